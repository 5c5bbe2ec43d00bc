"""How fast notes are scored in every view at once, on one core, beside a peer that scores the same words in one view.

The peer is scikit-learn's ``confusion_matrix`` over the words' labels as lists; scorers of spans such as seqeval and nervaluate are no
dependency of this project. Both must come to the same counts.

python benchmarks/evaluate.py [--words 1000000]
"""

import argparse
import random
import resource
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import label_words, split_words
from deid_tasks.evidence.evaluate import Evaluation, Scorer
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import GoldNote, HospitalSpec, World

Result = TypeVar("Result")


def main() -> None:
    """Print words per second of all views, of the headline done naively, and peak memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=1_000_000)
    wanted = parser.parse_args().words
    rng = random.Random(1)
    spec = HospitalSpec("riverside", World.DEV, seed=5, patients=400, providers=60, notes=1 + wanted // 150)
    pairs: list[tuple[GoldNote, list[Span]]] = []
    words = 0
    for note in write_notes(build_hospital(spec)):
        pairs.append((note, list(_disturbed(note, rng))))
        words += len(split_words(note.text))
        if words >= wanted:
            break
    print(f"{len(pairs):,} notes, {words:,} words, {sum(len(n.spans) for n, _ in pairs):,} gold spans")
    scorer = Scorer()
    adding, _ = _timed(lambda: _add_all(scorer, pairs))
    finishing, evaluation = _timed(scorer.finish)
    total = adding + finishing
    print(f"all views: {total:.1f} s ({finishing:.1f} s of it intervals), {words / total:,.0f} words per second")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"recall {evaluation.recall:.4f}, precision {evaluation.precision:.4f}, {len(evaluation.figures)} figures")
    taken, missed = _timed(lambda: _peer(pairs, evaluation))
    print(
        f"peer, labels of one view: {taken:.1f} s, {words / taken:,.0f} words per second, {missed} words counted otherwise;"
        f" all views take {total / taken:.2f} times that"
    )
    print(f"peak memory {peak:,.0f} MiB, the notes included")


def _disturbed(note: GoldNote, rng: random.Random) -> Iterator[Span]:
    """What a detector might have found: most spans, some cut short, and some words that are none."""
    for span in note.spans:
        chance = rng.random()
        if chance < 0.02:
            continue
        end = span.end - (chance < 0.06 and len(span) > 3)
        yield Span(span.start, end, span.entity)
    for word in split_words(note.text):
        if rng.random() < 0.003:
            yield Span(*word, Entity.PATIENT)


def _add_all(scorer: Scorer, pairs: list[tuple[GoldNote, list[Span]]]) -> None:
    for note, found in pairs:
        scorer.add(note.text, note.spans, found, note.patient_id, note.note_type, str(note.note_datetime.year))


def _peer(pairs: list[tuple[GoldNote, list[Span]]], evaluation: Evaluation) -> int:
    """How many words scikit-learn puts elsewhere in the confusion matrix of types."""
    from sklearn.metrics import confusion_matrix

    truth: list[str] = []
    guess: list[str] = []
    for note, found in pairs:
        words = split_words(note.text)
        truth += label_words(words, note.spans)
        guess += label_words(words, found)
    labels = sorted({*truth, *guess})
    matrix = confusion_matrix(truth, guess, labels=labels)
    ours = evaluation.confusion("word:type")
    return sum(
        abs(int(matrix[row, column]) - ours.get((gold, predicted), 0))
        for row, gold in enumerate(labels)
        for column, predicted in enumerate(labels)
    )


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


if __name__ == "__main__":
    main()
