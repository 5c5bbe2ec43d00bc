"""Models trained on one data set and tested on others (after Lin, MIT 2020, chapter 5).

    python -m benchmarks.models.cross_dataset FOLDER --corpora FOLDER --steps 100    # about 40 minutes of one core

People, places and organizations alone count: the categories that all sets annotate. Every model is the smallest recipe
(MiniLM, linear head) on the same number of word pieces. Rows that FOLDER holds are not trained again.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.support.corpora import Row, counted_spans, hospital_rows, open_set_rows
from benchmarks.support.results import parser_of, results
from deid_tasks.core.entities import Category, category_of
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.text import Document
from deid_tasks.evidence.evaluate import Scorer
from deid_tasks.learning.train.corpora import read_social, read_templates
from deid_tasks.learning.train.mixture import TEMPLATES, MixtureSettings, build_mixture, is_held_out
from deid_tasks.learning.train.run import train
from deid_tasks.learning.train.sample import Sample
from deid_tasks.learning.train.settings import FitSettings, plan
from deid_tasks.settings import TransformerSettings

SHARED = frozenset({Category.NAME, Category.LOCATION, Category.ORGANIZATION})
_TRAINED_ROWS = 1_500


def _same(value: str) -> str:
    return value


def training_sets(corpora: Path) -> dict[str, Callable[[], list[Sample]]]:
    """Return the sets to train on, read when they are needed."""
    world = MixtureSettings(
        skeleton_rounds=4, skeleton_copies=4, context_rounds=6, context_copies=6, hospital_notes=200, negatives=2_000
    )
    return {
        "train world": lambda: build_mixture(world),
        "wnut17": lambda: list(read_social(corpora / "wnut17_train.jsonl", _same, _same)),
        "broad_twitter": lambda: list(read_social(corpora / "broad_twitter_train.jsonl", _same, _same))[
            _TRAINED_ROWS // 3 :
        ],
        "presidio_synth": lambda: list(read_templates(corpora / TEMPLATES, _same, _same, is_held_out)),
    }


def test_sets(corpora: Path, notes: int) -> dict[str, list[Row]]:
    """Return the sets to test on; of the tweets and of the templates only documents that no model is trained on."""
    return {
        "dev world": hospital_rows(notes, 3)[0],
        "wnut17": open_set_rows(corpora / "wnut17_dev.jsonl"),
        "broad_twitter": open_set_rows(corpora / "broad_twitter_train.jsonl")[: _TRAINED_ROWS // 3],
        "presidio_synth": open_set_rows(corpora / TEMPLATES),
        "handoffs": open_set_rows(corpora / "handoffs_standard.jsonl"),
    }


def score(model: Path, rows: Sequence[Row], bias: float) -> list[float]:
    """Return precision and recall of words of the categories that all sets share."""
    detector = TransformerDetector(TransformerSettings(model=str(model), outside_bias=bias))
    found = detector.detect([Document(str(number), row.document.text) for number, row in enumerate(rows)])
    scorer = Scorer(resamples=100)
    for row, spans in zip(rows, found, strict=True):
        gold = [span for span in row.gold if category_of(span.entity) in SHARED]
        scorer.add(row.document.text, gold, counted_spans(row, spans, SHARED), row.group)
    evaluation = scorer.finish()
    return [round(evaluation.precision, 3), round(evaluation.recall, 3)]


def main() -> None:
    """Train what is missing, and print the table."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the open sets")
    parser.add_argument("--steps", type=int, default=150, help="training steps of 1,024 word pieces")
    parser.add_argument("--notes", type=int, default=60)
    parser.add_argument("--outside-bias", type=float, default=-1.0)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    path = arguments.folder / "cross.json"
    rows: dict[str, dict[str, list[float]]] = json.loads(path.read_text()) if path.is_file() else {}
    tests = test_sets(arguments.corpora, arguments.notes)
    fit = FitSettings(steps=arguments.steps, batch_word_pieces=1_024, is_bfloat16=True)
    for name, read in training_sets(arguments.corpora).items():
        if name not in rows:
            [one] = plan(arguments.folder / name.replace(" ", "-"))
            train(replace(one, fit=fit), print, read())
            rows[name] = {title: score(one.exported, held, arguments.outside_bias) for title, held in tests.items()}
            path.write_text(json.dumps(rows, indent=1) + "\n")
    with results("cross-dataset", "Trained on one set, tested on others", arguments) as out:
        columns = dict.fromkeys((f"{title} {metric}" for title in tests for metric in ("P", "R")), ".3f")
        out.table("Words of people, places and organizations", {"trained on": "", **columns})
        for name, row in rows.items():
            out.add(name, *(value for title in tests for value in row[title]))


if __name__ == "__main__":
    main()
