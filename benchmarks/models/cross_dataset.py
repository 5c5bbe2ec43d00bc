"""Trained on one set, tested on another: `python benchmarks/cross_dataset.py FOLDER --corpora FOLDER [--steps N]`.

People, places and organizations alone, the categories that all sets annotate. Every model is the smallest recipe (MiniLM, linear head) on the same number
of word pieces; scores are of words, precision / recall. The table of docs/models.md; after Lin, MIT 2020, chapter 5.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.models.speed import Row, open_set, simulated
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
    """What a model may be trained on."""
    world = MixtureSettings(skeleton_rounds=4, skeleton_copies=4, context_rounds=6, context_copies=6, hospital_notes=200, negatives=2_000)  # fmt: skip
    return {
        "train world": lambda: build_mixture(world),
        "wnut17": lambda: list(read_social(corpora / "wnut17_train.jsonl", _same, _same)),
        "broad_twitter": lambda: list(read_social(corpora / "broad_twitter_train.jsonl", _same, _same))[
            _TRAINED_ROWS // 3 :
        ],
        "presidio_synth": lambda: list(read_templates(corpora / TEMPLATES, _same, _same, is_held_out)),
    }


def test_sets(corpora: Path, notes: int) -> dict[str, list[Row]]:
    """What a model may be tested on; a part of the tweets is kept from training, and so is half of the templates."""
    templates = [row for row in open_set(corpora / TEMPLATES) if is_held_out(row[3])]
    return {
        "dev world": list(simulated(notes)),
        "wnut17": list(open_set(corpora / "wnut17_dev.jsonl")),
        "broad_twitter": list(open_set(corpora / "broad_twitter_train.jsonl"))[: _TRAINED_ROWS // 3],
        "presidio_synth": templates,
        "handoffs": list(open_set(corpora / "handoffs_standard.jsonl")),
    }


def score(model: Path, rows: Sequence[Row], bias: float) -> list[float]:
    """Precision and recall of words of the categories that all sets share."""
    detector = TransformerDetector(TransformerSettings(model=str(model), outside_bias=bias))
    found = detector.detect([Document(str(number), row[0]) for number, row in enumerate(rows)])
    scorer = Scorer(resamples=100)
    for (text, gold, ignored, group), spans in zip(rows, found, strict=True):
        kept = [span for span in gold if category_of(span.entity) in SHARED]
        said = [s for s in spans if s.category in SHARED and not any(s.overlaps(other) for other in ignored)]
        scorer.add(text, kept, said, group)
    evaluation = scorer.finish()
    return [round(evaluation.precision, 3), round(evaluation.recall, 3)]


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--notes", type=int, default=60)
    parser.add_argument("--outside-bias", type=float, default=-1.0)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    path = arguments.folder / "cross.json"
    results: dict[str, dict[str, list[float]]] = json.loads(path.read_text()) if path.is_file() else {}
    tests = test_sets(arguments.corpora, arguments.notes)
    fit = FitSettings(steps=arguments.steps, batch_word_pieces=1_024, is_bfloat16=True)
    for name, read in training_sets(arguments.corpora).items():
        if name not in results:
            [one] = plan(arguments.folder / name.replace(" ", "-"))
            train(replace(one, fit=fit), print, read())
            results[name] = {title: score(one.exported, rows, arguments.outside_bias) for title, rows in tests.items()}
            path.write_text(json.dumps(results, indent=1) + "\n")
    print("| trained on | " + " | ".join(tests) + " |")
    print("|---" * (len(tests) + 1) + "|")
    for name, row in results.items():
        print(f"| {name} | " + " | ".join(" / ".join(f"{x:.3f}" for x in row[title]) for title in tests) + " |")


if __name__ == "__main__":
    main()
