"""Speed of a model by itself: sentences and words per second of processor time, on notes of the dev world and on open
sets.

    python -m benchmarks.models.speed                      # about 1 minute of one core
    python -m benchmarks.models.speed --model mpnet --corpora FOLDER

Accuracy of models by themselves is the subject of ``benchmarks.models.accuracy``.
"""

import time
from pathlib import Path

from benchmarks.support.corpora import OPEN_SETS, count_words, hospital_rows, open_set_rows
from benchmarks.support.results import parser_of, results
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.text import Document
from deid_tasks.settings import TransformerSettings


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--model", default="minilm", help="name of a shipped model, or a folder")
    parser.add_argument("--corpora", type=Path, help="folder of the open sets")
    parser.add_argument("--notes", type=int, default=400)
    arguments = parser.parse_args()
    detector = TransformerDetector(TransformerSettings(model=arguments.model))
    rows = {"dev world": hospital_rows(arguments.notes, 3)[0]}
    if arguments.corpora:
        rows |= {name: open_set_rows(arguments.corpora / f"{name}.jsonl") for name in OPEN_SETS}
    with results(
        f"model-speed-{Path(arguments.model).name}", f"Speed of {Path(arguments.model).name}", arguments
    ) as out:
        amounts = dict.fromkeys(("documents", "words", "sentences"), ",d")
        speeds = dict.fromkeys(("sentences per core-second", "words per core-second"), ",.0f")
        out.table("By set", {"set": "", **amounts, "core-s": ".1f", **speeds})
        for name, held in rows.items():
            documents = [Document(row.document.note_id, row.document.text) for row in held]
            sentences, words = sum(len(document.sentences) for document in documents), count_words(documents)
            began = time.process_time()
            detector.detect(documents)
            seconds = time.process_time() - began
            out.add(name, len(documents), words, sentences, seconds, sentences / seconds, words / seconds)


if __name__ == "__main__":
    main()
