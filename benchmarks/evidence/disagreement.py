"""What annotators find in a disagreement sample and in a random sample: errors of the engine, and words that models
missed.

    python -m benchmarks.evidence.disagreement                          # about 2 minutes of one core
    python -m benchmarks.evidence.disagreement --notes 2000 --drawn 200

A disagreement sample holds the notes on which the parts of the engine differ most. Errors are distinct words of a note:
wrong or missing words of the whole engine, and words that its models missed. The notes are of the dev world.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.support.institution import institution
from benchmarks.support.results import parser_of, results
from deid_tasks.core.detectors import is_neural
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import run_detectors
from deid_tasks.engine.resolve import SpansByDetector, resolve_spans
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.hospital.records import GoldNote
from deid_tasks.platform.runs.disagreement import Committee
from deid_tasks.settings import DetectSettings

_BATCH = 100


@dataclass(frozen=True)
class NoteErrors:
    """The counts of one note."""

    patient: str
    score: float
    """Disagreement of the engine's parts."""
    words: int
    errors: int
    missed: int


def count_errors(note: GoldNote, document: Document, found: SpansByDetector, committee: Committee) -> NoteErrors:
    """Score one note, and count what is wrong in it."""
    words = split_words(note.text)

    def distinct(indices: set[int]) -> int:
        return len({note.text[words[index].start : words[index].end].casefold() for index in indices})

    own = {name: spans for name, spans in found.items() if not name.endswith(":alone")}
    gold = set(mark_words(words, note.spans))
    marked = set(mark_words(words, resolve_spans(document, own, committee.engine).spans))
    neural = set(mark_words(words, [span for name, spans in own.items() if is_neural(name) for span in spans]))
    score = committee.score(note.text, found)
    return NoteErrors(note.patient_id, score, len(words), distinct(gold ^ marked), distinct(gold - neural))


def first_of_patients(notes: Sequence[NoteErrors], most: int) -> list[NoteErrors]:
    """Return the first note of each patient, at most ``most``."""
    found: dict[str, NoteErrors] = {}
    for note in notes:
        found.setdefault(note.patient, note)
    return list(found.values())[:most]


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=800, help="notes that the engine reads")
    parser.add_argument("--drawn", type=int, default=80, help="notes that annotators read")
    parser.add_argument("--seed", type=int, default=11)
    arguments = parser.parse_args()
    pool: list[NoteErrors] = []
    with (
        results("disagreement", "A disagreement sample beside a random sample", arguments) as out,
        institution(arguments.notes, 2 * arguments.notes, arguments.seed, harvested=False) as site,
    ):
        committee = Committee.of(site.engine, DetectSettings())
        for first in range(0, len(site.notes), _BATCH):
            notes = site.notes[first : first + _BATCH]
            documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
            found = run_detectors(documents, BatchContext(committee.engine, site.records))
            pool += [count_errors(*one, committee) for one in zip(notes, documents, found, strict=True)]
        random.Random(arguments.seed).shuffle(pool)
        columns = ("notes", "words", "errors of the engine", "words that its models missed")
        out.table("Both samples", {"sample": "", **dict.fromkeys(columns, ",d")})
        for name, order in (("random", pool), ("disagreement", sorted(pool, key=lambda note: -note.score))):
            drawn = first_of_patients(order, arguments.drawn)
            out.add(name, len(drawn), *(sum(getattr(n, what) for n in drawn) for what in ("words", "errors", "missed")))


if __name__ == "__main__":
    main()
