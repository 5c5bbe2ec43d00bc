"""What annotators meet in the most disputed notes and in notes drawn at random: errors, and words that models missed, on the dev world.

    python benchmarks/disputed.py                         # about 2 minutes of one core
    python benchmarks/disputed.py --notes 2000 --drawn 200

Errors are distinct words of a note, as disputes are: of the whole engine on what it marks in the end, and of its models on what they miss.
"""

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.support.institution import institution
from deid_tasks.engine.merge.votes import is_neural
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
class Read:
    """What is known of one note."""

    patient: str
    score: float
    words: int
    errors: int
    missed: int


def read(note: GoldNote, document: Document, found: SpansByDetector, committee: Committee) -> Read:
    """Score one note, and count what is wrong in it."""
    words = split_words(note.text)

    def distinct(places: set[int]) -> int:
        return len({note.text[words[place].start : words[place].end].casefold() for place in places})

    own = {name: spans for name, spans in found.items() if not name.endswith(":alone")}
    truth = set(mark_words(words, note.spans))
    marked = set(mark_words(words, resolve_spans(document, own, committee.engine).spans))
    neural = set(mark_words(words, [span for name, spans in own.items() if is_neural(name) for span in spans]))
    score = committee.score(note.text, found)
    return Read(note.patient_id, score, len(words), distinct(truth ^ marked), distinct(truth - neural))


def first_of_patients(notes: Sequence[Read], most: int) -> list[Read]:
    """The first note of each patient."""
    found: dict[str, Read] = {}
    for note in notes:
        found.setdefault(note.patient, note)
    return list(found.values())[:most]


def main() -> None:
    """Print both draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=800, help="Notes that the engine reads.")
    parser.add_argument("--drawn", type=int, default=80, help="Notes that annotators read.")
    parser.add_argument("--seed", type=int, default=11)
    arguments = parser.parse_args()
    pool: list[Read] = []
    with institution(arguments.notes, 2 * arguments.notes, arguments.seed, harvested=False) as place:
        committee = Committee.of(place.engine, DetectSettings())
        for first in range(0, len(place.notes), _BATCH):
            notes = place.notes[first : first + _BATCH]
            documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
            found = run_detectors(documents, BatchContext(committee.engine, place.records))
            pool += [read(*one, committee) for one in zip(notes, documents, found, strict=True)]
    random.Random(arguments.seed).shuffle(pool)
    print("| draw | notes | words | errors of the engine | words that its models missed |\n|---|---|---|---|---|")
    for name, order in (("random", pool), ("disputed", sorted(pool, key=lambda note: -note.score))):
        drawn = first_of_patients(order, arguments.drawn)
        counts = (len(drawn), *(sum(getattr(note, what) for note in drawn) for what in ("words", "errors", "missed")))
        print("|".join(("", f" {name} ", *(f" {count:,} " for count in counts), "")))


if __name__ == "__main__":
    main()
