"""Microsoft Presidio as a process that reads texts and writes spans; ``benchmarks.detection.speed`` runs it with the
Python of its own environment.

    python3 -m venv PEER
    PEER/bin/python -m pip install "presidio-analyzer>=2.2.360,<2.3"
    PEER/bin/python -m spacy download en_core_web_sm

If spaCy's downloads cannot be reached, ``train_spacy.py`` trains a model of the same shape for ``--peer-model``.

Input: lines with a JSON list of texts. Output: lines of {"seconds": processor time, "spans": [[[start, end, entity,
score], …], …]}.
"""

import json
import logging
import sys
import time
from typing import Any

from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider


def main() -> None:
    """Answer until standard input ends."""
    logging.disable(logging.WARNING)  # Presidio logs each recognizer
    model = sys.argv[1] if len(sys.argv) > 1 else "en_core_web_sm"
    settings: dict[str, Any] = {"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": model}]}
    engine = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration=settings).create_engine())
    engine.analyze("Warm-up: Maria Okafor, 617-555-0123.", "en")
    print("ready", flush=True)
    for line in sys.stdin:
        texts = json.loads(line)
        began = time.process_time()
        found = [engine.analyze(text, "en") for text in texts]
        seconds = time.process_time() - began
        spans = [[(one.start, one.end, one.entity_type, one.score) for one in each] for each in found]
        print(json.dumps({"seconds": seconds, "spans": spans}), flush=True)


if __name__ == "__main__":
    main()
