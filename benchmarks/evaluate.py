"""How fast notes are scored in every view at once, on one core, beside labelling the same words naively.

python benchmarks/evaluate.py [--words 1000000]
"""

import argparse
import random
import resource
import time
from collections.abc import Callable, Iterator

from deid_tasks.entities import Entity
from deid_tasks.evaluate import Scorer
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import GoldNote, HospitalSpec, World
from deid_tasks.span import Span
from deid_tasks.text.words import words_of


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
        words += len(words_of(note.text))
        if words >= wanted:
            break
    print(f"{len(pairs):,} notes, {words:,} words, {sum(len(n.spans) for n, _ in pairs):,} gold spans")
    naive = _seconds(lambda: _naive(pairs))
    scorer = Scorer()
    adding = _seconds(lambda: [scorer.add(n.text, n.spans, p, n.patient_id, n.note_type) for n, p in pairs])
    finishing = _seconds(lambda: print(f"recall {scorer.finish().recall:.4f}"))
    total = adding + finishing
    print(f"all views: {total:.1f} s ({finishing:.1f} s of it intervals), {words / total:,.0f} words per second")
    print(f"headline alone, each word against each span: {naive:.1f} s; all views take {total / naive:.2f} times that")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB, the notes included")


def _disturbed(note: GoldNote, rng: random.Random) -> Iterator[Span]:
    """What a detector might have found: most spans, some cut short, and some words that are none."""
    for span in note.spans:
        chance = rng.random()
        if chance < 0.02:
            continue
        end = span.end - (chance < 0.06 and len(span) > 3)
        yield Span(span.start, end, span.entity)
    for word in words_of(note.text):
        if rng.random() < 0.003:
            yield Span(*word, Entity.PATIENT)


def _naive(pairs: list[tuple[GoldNote, list[Span]]]) -> None:
    for note, predicted in pairs:
        for start, end in words_of(note.text):
            for spans in (note.spans, predicted):
                any(span.start < end and start < span.end for span in spans)


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()
