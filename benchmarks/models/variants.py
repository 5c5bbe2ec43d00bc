"""Comparison of model variants in small equal trainings.

    python -m benchmarks.models.variants FOLDER --corpora FOLDER --steps 150    # about 3 hours of one core
    python -m benchmarks.models.variants FOLDER --show                          # print the rows that FOLDER holds

Every variant is trained once over the same samples, except the published preset, which has its own four epochs. Each is
scored alone (without patterns and dictionaries) on notes of the dev world. Rows that FOLDER holds are not trained
again, so that the table can be made in parts.
"""

import json
import pickle
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.support.corpora import hospital_rows
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.core.entities import Category
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.merge import merge_spans
from deid_tasks.engine.text import Document
from deid_tasks.evidence.evaluate import Scorer
from deid_tasks.learning.train.mixture import MixtureSettings, build_mixture
from deid_tasks.learning.train.run import train
from deid_tasks.learning.train.sample import Sample
from deid_tasks.learning.train.settings import FitSettings, TrainSettings, plan
from deid_tasks.settings import MergeSettings, TransformerSettings

BATCH = 1_024
_PIECES = 24
"""Mean word pieces of a sample, special tokens included."""
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
    """Return the samples of all variants, made once: a third of the usual copies."""
    path = folder / "mixture.pickle"
    if path.is_file():
        # Only this script writes the file.
        return list(pickle.loads(path.read_bytes()))
    settings = MixtureSettings(
        corpora,
        skeleton_rounds=6,
        skeleton_copies=4,
        context_rounds=10,
        context_copies=8,
        hospital_notes=300,
        negatives=3_000,
    )
    samples = build_mixture(settings)
    path.write_bytes(pickle.dumps(samples))
    return samples


def measure(models: list[Path], notes: int, bias: float) -> dict[str, Any]:
    """Return the scores of models that read together, their speed and their size."""
    detectors = [TransformerDetector(TransformerSettings(model=str(m), outside_bias=bias)) for m in models]
    rows, _ = hospital_rows(notes, 3)
    documents = [Document(str(number), row.document.text) for number, row in enumerate(rows)]
    sentences = sum(len(document.sentences) for document in documents)
    begun = time.process_time()
    found = [detector.detect(documents) for detector in detectors]
    seconds = time.process_time() - begun
    scorer = Scorer(resamples=100)
    for number, (row, document) in enumerate(zip(rows, documents, strict=True)):
        merged = merge_spans(
            document, {f"transformer:{i}": one[number] for i, one in enumerate(found)}, MergeSettings()
        )
        scorer.add(row.document.text, row.gold, merged, row.group)
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


def show(out: Results, rows: dict[str, dict[str, Any]]) -> None:
    """Add both tables."""
    scores = [f"{view} {metric}" for view in ("binary", "multi-class") for metric in ("P", "R", "F1")]
    columns = {"variant": "", **dict.fromkeys(scores, ".3f"), "core-s per 1,000 sentences": ".2f", "MB": ".1f"}
    out.table("Variants", columns)
    for name, row in rows.items():
        out.add(name, *row["binary"], *row["multi-class"], row["seconds"], row["megabytes"])
    pairs = [f"{category} {metric}" for category in Category for metric in ("P", "R")]
    out.table("By category", {"variant": "", **dict.fromkeys(pairs, ".2f")})
    for name, row in rows.items():
        out.add(name, *(value for category in Category for value in row["entities"][str(category)]))


def trainings_of(name: str, model: dict[str, Any], folder: Path, fit: FitSettings) -> list[TrainSettings]:
    """Return the trainings of one variant: five for the published preset, else one."""
    if name == PUBLISHED:
        # At its rate of 5e-5 the budget of the others would end within its warm-up: it keeps its own four epochs.
        return plan(folder, "published", {"model": {"encoder": "minilm"}, "fit": {"is_bfloat16": True}})
    changes = {key: value for key, value in model.items() if key != "seed"}
    [one] = plan(folder, changes={"model": changes, "seed": model.get("seed", 0)})
    rate = 1.2e-4 if one.model.encoder == "mpnet" else fit.learning_rate
    return [replace(one, fit=replace(fit, learning_rate=rate))]


def main() -> None:
    """Train what is missing, and print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpora", type=Path, help="folder of the open sets")
    parser.add_argument("--steps", type=int, default=150, help=f"training steps of {BATCH} word pieces")
    parser.add_argument("--notes", type=int, default=60)
    parser.add_argument("--outside-bias", type=float, default=-1.0)
    parser.add_argument("--only", nargs="*", help="names of variants")
    parser.add_argument("--show", action="store_true", help="print the rows that there are, and train nothing")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    path = arguments.folder / "results.json"
    rows: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.is_file() else {}
    fit = FitSettings(steps=arguments.steps, batch_word_pieces=BATCH, is_bfloat16=True)
    for name, model in {**VARIANTS, PUBLISHED: {}}.items():
        if arguments.show or name in rows or (arguments.only and name not in arguments.only):
            continue
        slug = "".join(c if c.isalnum() else "-" for c in name.lower())
        trainings = trainings_of(name, model, arguments.folder / slug, fit)
        began = time.process_time()
        every = mixture(arguments.folder, arguments.corpora)
        # As many samples as the steps can read once, the same for all variants.
        wanted = min(len(every), arguments.steps * BATCH // _PIECES)
        samples = random.Random(0).sample(every, wanted)
        for training in trainings:
            train(training, print, samples)
        spent = time.process_time() - began
        rows[name] = measure([one.exported for one in trainings], arguments.notes, arguments.outside_bias)
        rows[name]["training_seconds"] = round(spent)
        path.write_text(json.dumps(rows, indent=1) + "\n")
    with results("model-variants", "Model variants in small equal trainings", arguments) as out:
        show(out, rows)


if __name__ == "__main__":
    main()
