"""Speed of scoring notes in all views at once, beside a baseline that scores the same words in one view.

    python -m benchmarks.evidence.scoring --words 1000000    # about 2 minutes of one core

The baseline is scikit-learn's ``confusion_matrix`` over lists of word labels, since seqeval and nervaluate are not
dependencies of this project. Both must come to the same counts.
"""

import random
import resource
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from benchmarks.support.results import parser_of, results
from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import label_words, split_words
from deid_tasks.evidence.evaluate import Evaluation, Scorer
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import GoldNote, HospitalSpec, World

Result = TypeVar("Result")


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--words", type=int, default=1_000_000)
    arguments = parser.parse_args()
    rng = random.Random(1)
    notes = 1 + arguments.words // 150
    spec = HospitalSpec("riverside", World.DEV, seed=5, patients=400, providers=60, notes=notes)
    pairs: list[tuple[GoldNote, list[Span]]] = []
    words = 0
    for note in write_notes(build_hospital(spec)):
        pairs.append((note, list(_disturbed(note, rng))))
        words += len(split_words(note.text))
        if words >= arguments.words:
            break
    scorer = Scorer()
    adding, _ = _timed(lambda: _add_all(scorer, pairs))
    finishing, evaluation = _timed(scorer.finish)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    baseline, differing = _timed(lambda: _count_differing(pairs, evaluation))
    if differing:
        raise SystemExit(f"scikit-learn counts {differing} words differently")
    with results("scoring", "Scoring in all views", arguments) as out:
        columns = {"notes": ",d", "words": ",d", "figures": ",d", "core-s": ".1f", "core-s of intervals": ".1f"}
        columns |= {"words per core-second": ",.0f", "core-s of the baseline": ".1f", "peak MiB": ",.0f"}
        out.table("All views", columns)
        total = adding + finishing
        figures = len(evaluation.figures)
        out.add(len(pairs), words, figures, total, finishing, words / total, baseline, peak)


def _disturbed(note: GoldNote, rng: random.Random) -> Iterator[Span]:
    """Yield what a detector might find: most spans, some of them cut short, and some words that are not identifiers."""
    for span in note.spans:
        draw = rng.random()
        if draw < 0.02:
            continue
        end = span.end - (draw < 0.06 and len(span) > 3)
        yield Span(span.start, end, span.entity)
    for word in split_words(note.text):
        if rng.random() < 0.003:
            yield Span(*word, Entity.PATIENT)


def _add_all(scorer: Scorer, pairs: list[tuple[GoldNote, list[Span]]]) -> None:
    for note, found in pairs:
        scorer.add(note.text, note.spans, found, note.patient_id, note.note_type, str(note.note_datetime.year))


def _count_differing(pairs: list[tuple[GoldNote, list[Span]]], evaluation: Evaluation) -> int:
    """Return how many words scikit-learn counts differently in the confusion matrix of types."""
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
