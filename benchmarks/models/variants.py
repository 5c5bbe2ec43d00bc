"""The results table of docs/models.md: `python benchmarks/variants.py FOLDER [--corpora FOLDER] [--steps N] [--only NAME…]`.

Every variant is trained on the same samples, once over, but for the published preset with its four epochs, and scored alone (no patterns, no dictionaries) on notes of the
`dev` world. Rows that FOLDER holds already are not run again, so the table can be made piece by piece on a busy machine.
"""

import argparse
import json
import pickle
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.models.speed import simulated
from deid_tasks.core.entities import Category
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.merge import merge_spans
from deid_tasks.engine.text import Document
from deid_tasks.evidence.evaluate import Scorer
from deid_tasks.learning.train.mixture import MixtureSettings, build_mixture
from deid_tasks.learning.train.run import train
from deid_tasks.learning.train.sample import Sample
from deid_tasks.learning.train.settings import FitSettings, plan
from deid_tasks.settings import MergeSettings, TransformerSettings

BATCH = 1_024
_PIECES = 24
"""Of a sample, special tokens included."""
VARIANTS: dict[str, dict[str, Any]] = {
    "MiniLM, linear head": {},
    "the same, seed 1": {"seed": 1},
    "the same, seed 2": {"seed": 2},
    "CRF head": {"head": "crf"},
    "CRF head, BIO labels": {"head": "crf", "labels": "bio"},
    "BIO labels": {"labels": "bio"},
    "first piece of a word": {"subwords": "first"},
    "rule features": {"has_rules": True},
    "512-piece windows, 10 % overlap": {"context": "window", "window": 512, "overlap": 0.1},
    "uncased: no casing embeddings": {"has_casing": False},
    "capitals as Title case": {"is_titled": True},
    "3 layers": {"layers": 3},
    "MPNet, 6 layers": {"encoder": "mpnet"},
}
PUBLISHED = "published preset on MiniLM (five models)"


def mixture(folder: Path, corpora: Path | None) -> list[Sample]:
    """The samples of all variants: one third of the usual writings, made once."""
    path = folder / "mixture.pickle"
    if path.is_file():
        # Written by this script, into a folder of its own.
        return list(pickle.loads(path.read_bytes()))
    settings = MixtureSettings(
        corpora, skeleton_rounds=6, skeleton_copies=4, context_rounds=10, context_copies=8, hospital_notes=300, negatives=3_000
    )  # fmt: skip
    samples = build_mixture(settings)
    path.write_bytes(pickle.dumps(samples))
    return samples


def measure(models: list[Path], notes: int, bias: float) -> dict[str, Any]:
    """Scores of models that read together, and what they cost."""
    detectors = [TransformerDetector(TransformerSettings(model=str(m), outside_bias=bias)) for m in models]
    rows = list(simulated(notes))
    documents = [Document(str(number), row[0]) for number, row in enumerate(rows)]
    sentences = sum(len(document.sentences) for document in documents)
    begun = time.process_time()
    found = [detector.detect(documents) for detector in detectors]
    seconds = time.process_time() - begun
    scorer = Scorer(resamples=100)
    for number, (row, document) in enumerate(zip(rows, documents, strict=True)):
        merged = merge_spans(
            document, {f"transformer:{i}": one[number] for i, one in enumerate(found)}, MergeSettings()
        )
        scorer.add(row[0], row[1], merged, row[3])
    evaluation = scorer.finish()
    views = {"binary": "word", "multi-class": "word:category"}
    table = {
        title: [round(evaluation.find(view=view, metric=metric).value, 4) for metric in ("precision", "recall", "f1")]
        for title, view in views.items()
    }
    entities = {
        str(category): [
            round(evaluation.find(entity=f"category:{category}", metric=metric).value, 4)
            for metric in ("precision", "recall")
        ]
        for category in Category
    }
    size = sum((model / "model.onnx").stat().st_size for model in models) / 1e6
    return {
        **table,
        "entities": entities,
        "seconds": round(1_000 * seconds / sentences, 2),
        "megabytes": round(size, 1),
    }


def show(results: dict[str, dict[str, Any]]) -> None:
    """Markdown."""
    print("| variant | binary P/R/F1 | multi-class P/R/F1 | core-s per 1,000 sentences | MB |")
    print("|---|---|---|---|---|")
    for name, row in results.items():
        cells = [" / ".join(f"{x:.3f}" for x in row[view]) for view in ("binary", "multi-class")]
        print(f"| {name} | {cells[0]} | {cells[1]} | {row['seconds']} | {row['megabytes']} |")
    print("\n| variant | " + " | ".join(str(category) for category in Category) + " |")
    print("|---" * (len(Category) + 1) + "|")
    for name, row in results.items():
        cells = [" / ".join(f"{x:.2f}" for x in row["entities"][str(category)]) for category in Category]
        print(f"| {name} | " + " | ".join(cells) + " |")


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--steps", type=int, default=150, help=f"of {BATCH} pieces")
    parser.add_argument("--notes", type=int, default=60)
    parser.add_argument("--outside-bias", type=float, default=-1.0)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--show", action="store_true", help="print what there is and train nothing")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    path = arguments.folder / "results.json"
    results = json.loads(path.read_text()) if path.is_file() else {}
    fit = FitSettings(steps=arguments.steps, batch_word_pieces=BATCH, is_bfloat16=True)
    for name, model in {**VARIANTS, PUBLISHED: {}}.items():
        if arguments.show or name in results or (arguments.only and name not in arguments.only):
            continue
        slug = "".join(c if c.isalnum() else "-" for c in name.lower())
        if name == PUBLISHED:
            # At its rate of 5e-5 a fifth of the others' pieces would leave it in its warm-up: it keeps its own four epochs.
            changes = {"model": {"encoder": "minilm"}, "fit": {"is_bfloat16": True}}
            trainings = plan(arguments.folder / slug, "published", changes)
        else:
            changes = {key: value for key, value in model.items() if key != "seed"}
            [one] = plan(arguments.folder / slug, changes={"model": changes, "seed": model.get("seed", 0)})
            rate = 1.2e-4 if one.model.encoder == "mpnet" else fit.learning_rate
            trainings = [replace(one, fit=replace(fit, learning_rate=rate))]
        begun = time.process_time()
        every = mixture(arguments.folder, arguments.corpora)
        # As many as the steps can read once, the same for all.
        wanted = min(len(every), arguments.steps * BATCH // _PIECES)
        samples = random.Random(0).sample(every, wanted)
        for training in trainings:
            train(training, print, samples)
        spent = time.process_time() - begun
        results[name] = measure([one.exported for one in trainings], arguments.notes, arguments.outside_bias)
        results[name]["training_seconds"] = round(spent)
        path.write_text(json.dumps(results, indent=1) + "\n")
    show(results)


if __name__ == "__main__":
    main()
