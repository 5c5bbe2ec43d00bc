"""What a change of a few dictionary rows costs: the delta of two lexicons, the scan with it, and the notes it touches.

    OMP_NUM_THREADS=1 python -m benchmarks.detection.lexicon_delta    # about 3 minutes of one core

A lexicon of invented people and of a simulated hospital's is compared with one in which about 100 rows differ. The scan
is measured beside the lexicon's own on the same notes, in turns; the best of several counts.
"""

import time
from collections.abc import Callable, Iterable
from itertools import chain

from benchmarks.support.corpora import invented_terms
from benchmarks.support.results import parser_of, results
from deid_tasks.engine.lexicon import Lexicon, LexiconDelta, LexiconTerm, text_batches
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import Hospital, HospitalSpec, Patient, World

_CHANGED = 100


def people_terms(patients: Iterable[Patient]) -> dict[LexiconTerm, None]:
    """Return the distinct rows that patients add to the dictionaries."""
    found: dict[LexiconTerm, None] = {}
    for patient in patients:
        person = patient.person
        for kind, term in (("first", person.first), ("last", person.last), ("full", f"{person.first} {person.last}")):
            found[LexiconTerm("patient_name", kind, term)] = None
    return found


def new_people(hospital: Hospital) -> tuple[list[LexiconTerm], list[LexiconTerm], int]:
    """Return the rows of the longer known patients, those that the newest add, and how many these are."""
    every = hospital.patients
    rows = people_terms(every)
    for count in range(1, len(every)):
        known = people_terms(every[:-count])
        if len(rows) - len(known) >= _CHANGED:
            return list(known), [row for row in rows if row not in known], count
    raise ValueError("the hospital has too few patients")


def scan_with(lexicon: Lexicon, texts: list[str]) -> None:
    """Look up all terms of the texts, as the detector does before it decides."""
    for batch in text_batches(texts):
        lexicon.match(lexicon.scan([texts[index] for index in batch]))


def seconds_of(work: Callable[[], object]) -> float:
    """Return the processor seconds of one call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--terms", type=int, default=1_000_000)
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    hospital = build_hospital(
        HospitalSpec("benchmark", World.DEV, seed=7, patients=400, providers=60, notes=arguments.notes)
    )
    texts = [note.text for note in write_notes(hospital)]
    words = sum(len(text.split()) for text in texts)
    known, added, patients = new_people(hospital)
    invented = list(invented_terms(arguments.terms + _CHANGED // 2))
    base, spare = invented[: arguments.terms], invented[arguments.terms :]
    changes = {
        f"{len(added)} rows of {patients} new patients": (known, chain(known, added), base),
        f"{len(spare)} invented rows gone, {len(spare)} new": (known, known, [*base[len(spare) :], *spare]),
    }
    with results("lexicon-delta", "Which notes a changed lexicon touches", arguments) as out:
        columns = {"change": "", "entries of the lexicon": ",d", "entries changed": ",d", "delta, core-seconds": ".2f"}
        columns |= {"delta scan, M words per core-second": ".2f", "lexicon scan, M words per core-second": ".2f"}
        out.table(f"{len(texts):,} notes, {words:,} words", columns | {"notes touched": ".1%"})
        for name, (before, after, later) in changes.items():
            old, new = Lexicon.build(chain(base, before)), Lexicon.build(chain(later, after))
            seconds = min(seconds_of(lambda: LexiconDelta.between(old, new)) for _ in range(3))  # noqa: B023
            delta = LexiconDelta.between(old, new)
            turns = [
                (seconds_of(lambda: delta.touched(texts)), seconds_of(lambda: scan_with(new, texts)))  # noqa: B023
                for _ in range(arguments.repeats)
            ]
            delta_scan, lexicon_scan = (words / min(column) / 1e6 for column in zip(*turns, strict=True))
            share = sum(delta.touched(texts)) / len(texts)
            entries = len(new.table.hashes)
            out.add(name, entries, len(delta), seconds, delta_scan, lexicon_scan, share)


if __name__ == "__main__":
    main()
