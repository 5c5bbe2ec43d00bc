"""How well and how fast the shipped model reads: `python benchmarks/transformer.py [--corpora FOLDER]`.

Scores are word-level, on notes of the simulated hospital's `dev` world and, with --corpora, on open sets that no
training saw; intervals are 95 % bootstraps over notes (over templates where a set is made from templates).
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.support import corpora
from benchmarks.support.corpora import OPEN_SETS
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.text import Document
from deid_tasks.evidence.evaluate import ALL, Evaluation, Scorer
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.settings import TransformerSettings

Row = tuple[str, list[Span], list[Span], str]
"""Text, gold, ignored, group."""


def simulated(notes: int) -> Iterator[Row]:
    """Notes of the `dev` world."""
    spec = HospitalSpec("benchmark", World.DEV, seed=7, patients=max(60, notes // 3), providers=60, notes=notes)
    for note in write_notes(build_hospital(spec)):
        yield note.text, list(note.spans), [], note.note_id


def open_set(path: Path) -> Iterator[Row]:
    """Documents of one open set."""
    for row in corpora.open_set(path):
        yield row.document.text, row.gold, row.ignored, row.group


def measure(
    detector: TransformerDetector, rows: Iterable[Row], categories: frozenset[Category], errors: Counter[str]
) -> tuple[Evaluation, float, int]:
    """Scores, seconds of processor time, sentences."""
    scorer, held = Scorer(), list(rows)
    documents = [Document(str(number), text) for number, (text, *_) in enumerate(held)]
    sentences = sum(len(document.sentences) for document in documents)
    begun = time.process_time()
    found = detector.detect(documents)
    seconds = time.process_time() - begun
    for (text, gold, ignored, group), spans in zip(held, found, strict=True):
        kept = [s for s in spans if s.category in categories and not any(s.overlaps(other) for other in ignored)]
        scorer.add(text, gold, kept, group)
        for span in gold:
            if not any(span.overlaps(other) for other in kept):
                errors[
                    f"missed {span.entity}: …{text[max(0, span.start - 30) : span.start]!r} [{text[span.start : span.end]!r}] {text[span.end : span.end + 20]!r}"
                ] += 1
        for span in kept:
            if not any(span.overlaps(other) for other in gold):
                errors[
                    f"wrong {span.entity}: …{text[max(0, span.start - 30) : span.start]!r} [{text[span.start : span.end]!r}] {text[span.end : span.end + 20]!r}"
                ] += 1
    return scorer.finish(), seconds, sentences


def show(title: str, evaluation: Evaluation, seconds: float, sentences: int) -> None:
    """Print one table."""
    print(
        f"\n{title}: {evaluation.notes} documents, {evaluation.words} words, {sentences} sentences in {seconds:.1f} core-s"
    )
    print(f"{'entity':16s} {'recall':>22s} {'precision':>22s} {'words':>7s}")
    order = [ALL, *[f"category:{c}" for c in Category], *map(str, Entity)]
    figures = {(f.metric, f.entity): f for metric in ("recall", "precision") for f in evaluation.select(metric=metric)}
    for name in [n for n in order if ("recall", n) in figures]:
        recall, precision = figures["recall", name], figures["precision", name]
        cells = [f"{f.value:.3f} [{f.lower:.3f}, {f.upper:.3f}]" for f in (recall, precision)]
        words = recall.counts.true_positives + recall.counts.false_negatives
        print(f"{name.removeprefix('category:'):16s} {cells[0]:>22s} {cells[1]:>22s} {words:7d}")


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--notes", type=int, default=400)
    parser.add_argument("--outside-bias", type=float, default=0.0)
    parser.add_argument("--errors", type=int, default=0, help="print this many misses and false alarms of each set")
    arguments = parser.parse_args()
    detector = TransformerDetector(TransformerSettings(model=arguments.model, outside_bias=arguments.outside_bias))
    sets: list[tuple[str, Iterable[Row], frozenset[Category]]] = [
        ("dev world", simulated(arguments.notes), frozenset(Category))
    ]
    if arguments.corpora:
        sets += [(name, open_set(arguments.corpora / f"{name}.jsonl"), kept) for name, kept in OPEN_SETS.items()]
    for title, rows, categories in sets:
        errors: Counter[str] = Counter()
        show(title, *measure(detector, rows, categories, errors))
        for line, count in errors.most_common(arguments.errors):
            print(f"  {count:3d} {line}")


if __name__ == "__main__":
    main()
