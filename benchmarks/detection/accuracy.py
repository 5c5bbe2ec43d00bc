"""Word recall and precision on the dev world, with an institution's dictionaries and without, and what each part is worth.

    python benchmarks/accuracy.py                              # about 3 minutes of one core
    python benchmarks/accuracy.py --notes 600 --errors 40      # also what was missed and wrongly found, commonest first
    python benchmarks/accuracy.py --ablate                     # also without each part, and its time; harvests and approves first
    python benchmarks/accuracy.py --corpora FOLDER             # the open sets alone, by the engine that knows no institution
    python benchmarks/accuracy.py --strangers                  # notes written by hand in many styles (benchmarks/strangers)

The hospital stands in a private PostgreSQL, dbt builds its dictionaries, and the engine is the default one on them, with a pattern for
the hospital's record numbers. "Without dictionaries" is the same engine on its public resources alone. Intervals are 95 % bootstraps over patients.
"""

import argparse
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.support.corpora import OPEN_SETS, open_set, score
from benchmarks.support.institution import Institution, institution
from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import run_detectors
from deid_tasks.engine.resolve import Detection, SpansByDetector
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.evaluate import Evaluation, Figure, Scorer
from deid_tasks.platform.runs.ablation import (
    FULL,
    AblationScore,
    GoldDocument,
    RecoveredWords,
    Variant,
    score_variants,
    without_dictionaries,
)

_BATCH = 100
_AROUND = 32


def evaluate(place: Institution, most: int) -> dict[str, Evaluation]:
    """Scores of both engines from one reading; ``most`` errors of each kind are printed."""
    variants = (Variant(FULL, place.engine), without_dictionaries(place.engine))
    scorers = {one.name: Scorer() for one in variants}
    errors: dict[str, Counter[str]] = {one.name: Counter() for one in variants}
    seconds = 0.0
    for first in range(0, len(place.notes), _BATCH):
        notes = place.notes[first : first + _BATCH]
        documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
        began = time.process_time()
        found = run_detectors(documents, BatchContext(place.engine, place.records))
        seconds += time.process_time() - began
        for variant in variants:
            for note, by_detector, detection in zip(notes, found, variant.detections(documents, found), strict=True):
                scorers[variant.name].add(note.text, note.spans, detection.spans, note.patient_id, note.note_type)
                if most:
                    errors[variant.name].update(_errors(note.text, note.spans, detection, by_detector))
    for name, counted in errors.items():
        for text, times in sorted(counted.items(), key=lambda one: (one[0].split(":")[0], -one[1]))[:most]:
            print(f"{name}: {times} {text}")
    print(f"detection: {seconds:.0f} core-s")
    return {name: scorer.finish() for name, scorer in scorers.items()}


def _errors(text: str, gold: Sequence[Span], detection: Detection, by_detector: SpansByDetector) -> list[str]:
    """Each word that is wrong, with who said so and what stands around it: notes here are invented."""
    words = split_words(text)
    truth, guess = mark_words(words, gold), mark_words(words, detection.spans)
    told = []
    for place, (start, end) in enumerate(words):
        if (place in truth) == (place in guess):
            continue
        around = text[max(0, start - _AROUND) : start], text[start:end], text[end : end + _AROUND]
        if place in truth:
            by = sorted(
                {name for name, spans in by_detector.items() if any(s.start < end and start < s.end for s in spans)}
            )
            given_back = any(span.start < end and start < span.end for span in detection.recovered)
            told.append(f"missed {truth[place]}: {around} {'given back ' if given_back else ''}{' '.join(by)}")
        else:
            by = [s.detector for s in detection.spans if s.start < end and start < s.end]
            told.append(f"wrong {guess[place]}: {around} {' '.join(by)}")
    return told


def open_sets(folder: Path) -> None:
    """The default engine with public resources on every document of each set; for Presidio on the same sets see ``engine.py --peer``."""
    from deid_tasks.engine.build import build_engine
    from deid_tasks.engine.pipeline import find_identifiers
    from deid_tasks.settings import EngineSettings

    context = BatchContext(build_engine(EngineSettings.public()))
    print("| set | documents | words | recall | precision |\n|---|---|---|---|---|")
    for name, categories in OPEN_SETS.items():
        rows = open_set(folder / f"{name}.jsonl")
        found: list[list[Span]] = []
        for first in range(0, len(rows), _BATCH):
            found += [
                list(one.spans)
                for one in find_identifiers([row.document for row in rows[first : first + _BATCH]], context)
            ]
        evaluation = score(rows, found, categories)
        recall, precision = evaluation.find(), evaluation.find(metric="precision")
        print(f"| {name} | {len(rows):,} | {evaluation.words:,} | {_cells(recall)} | {_cells(precision)} |", flush=True)


def strangers() -> None:
    """The default engine with public resources on notes of styles that no training saw: those whose errors were read, and those of which only scores were."""
    from deid_tasks.engine.build import build_engine
    from deid_tasks.engine.pipeline import find_identifiers
    from deid_tasks.learning.train.handwritten_notes import read_written
    from deid_tasks.settings import EngineSettings

    context = BatchContext(build_engine(EngineSettings.public()))
    print("| notes by strangers | notes | words | recall | precision | missed | false |\n|---|---|---|---|---|---|---|")
    for name in ("read", "blind"):
        notes = list(read_written(Path(__file__).parents[1] / "external_notes" / name))
        found = find_identifiers([Document(note.group, note.text) for note in notes], context)
        scorer = Scorer()
        for note, detection in zip(notes, found, strict=True):
            gold = [Span(mark.start, mark.end, Entity(mark.target), "gold") for mark in note.marks]
            scorer.add(note.text, gold, detection.spans, note.group)
        evaluation = scorer.finish()
        recall, precision = evaluation.find(), evaluation.find(metric="precision")
        print(
            f"| {name} | {evaluation.notes} | {evaluation.words:,} | {_cells(recall)} | {_cells(precision)} |"
            f" {recall.counts.false_negatives} | {precision.counts.false_positives} |"
        )


def _cells(figure: Figure) -> str:
    return f"{figure.value:.4f} [{figure.lower:.4f}, {figure.upper:.4f}]"


def _print(evaluations: dict[str, Evaluation]) -> None:
    print("\n| engine | notes | words | recall | precision | missed | false |\n|---|---|---|---|---|---|---|")
    for name, evaluation in evaluations.items():
        recall, precision = evaluation.find(), evaluation.find(metric="precision")
        print(
            f"| {name.replace('_', ' ')} | {evaluation.notes:,} | {evaluation.words:,} | {_cells(recall)} | {_cells(precision)} |"
            f" {recall.counts.false_negatives:,} | {precision.counts.false_positives:,} |"
        )
    full = evaluations[FULL]
    bare = evaluations["without_dictionaries"]
    print(
        "\n| entity | gold words | recall | precision | recall without dictionaries | precision |\n|---|---|---|---|---|---|"
    )
    for entity in map(str, Entity):
        try:
            pairs = [(e.find(entity=entity), e.find(entity=entity, metric="precision")) for e in (full, bare)]
        except KeyError:
            continue
        counts = pairs[0][0].counts
        cells = " | ".join(f"{r.value:.3f} | {p.value:.3f}" for r, p in pairs)
        print(f"| {entity} | {counts.true_positives + counts.false_negatives:,} | {cells} |")


def _ablate(place: Institution) -> None:
    gold = [
        GoldDocument(
            Document(n.note_id, n.text, n.patient_id, n.note_type),
            n.spans,
            n.patient_id,
            place.records.get(n.patient_id),
        )
        for n in place.notes
    ]
    bare = place.engine.without_dictionaries()
    # What patterns, templates and propagation are worth shows where neither a model nor a dictionary finds the same words.
    bare = replace(bare, detectors=tuple(one for one in bare.detectors if not isinstance(one, SentenceDetector)))
    for title, engine in (("the whole engine", place.engine), ("no model and no dictionaries", bare)):
        _print_ablation(title, *score_variants(gold, engine, Scorer()))


def _print_ablation(title: str, ablated: Sequence[AblationScore], recovered: RecoveredWords) -> None:
    print(f"\n{title}")
    print("| engine | recall | change | precision | change | core-s | the part's |\n|---|---|---|---|---|---|---|")
    for row in ablated:
        changes = [f"{c.lower:+.4f} to {c.upper:+.4f}" for c in (row.recall_change, row.precision_change)]
        print(
            f"| {row.name.replace('_', ' ')} | {row.evaluation.recall:.4f} | {changes[0]} | {row.evaluation.precision:.4f} | {changes[1]} |"
            f" {row.seconds:.2f} | {ablated[0].seconds - row.seconds:+.2f} |"
        )
    print(f"recovery gave back {recovered.share:.2%} of the words that were marked")


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument(
        "--of", type=int, default=2_000, help="notes of the hospital, which dictionaries and harvest read"
    )
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--errors", type=int, default=0)
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--strangers", action="store_true")
    arguments = parser.parse_args()
    print(f"{time.strftime('%Y-%m-%d')}, load {os.getloadavg()[0]:.1f}, {arguments}")
    if arguments.strangers:
        strangers()
        return
    if arguments.corpora:
        open_sets(arguments.corpora)
        return
    with institution(arguments.notes, arguments.of, arguments.seed, harvested=arguments.ablate) as place:
        _print(evaluate(place, arguments.errors))
        if arguments.ablate:
            _ablate(place)


if __name__ == "__main__":
    main()
