"""Speed and shape of the simulated hospital: notes per second, their length, and how often sentences repeat.

python -m benchmarks.simulation.hospital --notes 50000 --world train    # about 1 minute of one core
"""

import time
from collections import Counter

from benchmarks.support.results import parser_of, results
from deid_tasks.engine.text import split_sentences
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, World


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--world", type=World, choices=list(World), default=World.TRAIN)
    parser.add_argument("--notes", type=int, default=50_000)
    parser.add_argument("--patients", type=int, default=10_000)
    arguments = parser.parse_args()
    began = time.perf_counter()
    spec = HospitalSpec("benchmark", arguments.world, patients=arguments.patients, providers=300, notes=arguments.notes)
    hospital = build_hospital(spec)
    built = time.perf_counter()
    words = spans = 0
    for note in write_notes(hospital):
        words += len(note.text.split())
        spans += len(note.spans)
    written = time.perf_counter()
    copies: Counter[str] = Counter()
    for note in write_notes(hospital):
        copies.update(note.text[start:end] for start, end in split_sentences(note.text))
    total, covered, commonest = copies.total(), 0, 0
    for count in sorted(copies.values(), reverse=True):
        covered, commonest = covered + count, commonest + 1
        if covered * 3 >= total:
            break
    notes = arguments.notes
    with results("simulated-hospital", "The simulated hospital", arguments) as out:
        columns = {"patients": ",d", "seconds to build": ".1f", "notes": ",d", "notes per second": ",.0f"}
        out.table(f"{arguments.world} world", columns | {"words per note": ".0f", "identifiers per note": ".1f"})
        seconds = written - built
        out.add(len(hospital.patients), built - began, notes, notes / seconds, words / notes, spans / notes)
        columns = {"sentences": ",d", "distinct": ",d", "copies of each": ".1f"}
        out.table("Sentences", columns | {"share of the distinct that are a third of all": ".2%"})
        out.add(total, len(copies), total / len(copies), commonest / len(copies))


if __name__ == "__main__":
    main()
