"""Bad input: fuzzed notes through the public engine, and damaged files before every reader.

    python -m benchmarks.faults.fuzz                            # 10,000 notes and 250 files a reader
    python -m benchmarks.faults.fuzz --limit 500                # the next 500 notes, and no more
    python -m benchmarks.faults.fuzz --seed 7 --notes 0 --reader delivery

Each note and file has a seed of its own, which a fault names. What was done lies in a journal: the same command goes on
where it was stopped, and says so when nothing is left. Times are processor seconds of one thread.
"""

import gc
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

from benchmarks.faults.bad_notes import bad_note, longest_note
from benchmarks.faults.file_checks import READ, REFUSED, DamagedFiles
from benchmarks.faults.journal import FOLDER, Entry, Journal
from benchmarks.faults.note_checks import check_interface, check_note
from benchmarks.faults.reader import KEY
from benchmarks.faults.readers import READERS
from benchmarks.support.results import Results, parser_of, results
from deid_tasks import Engine

_NOTE, _API = "note", "Python API"
_SEEDS = 1_000_000
"""Seeds of one campaign; the next one's begin after them."""
_API_NOTES = 20
_LONGEST_NOTES = 3
_SLOW = 10
"""Times the median of its length class beyond which a note is listed."""
_SHOWN = 20


def main() -> int:
    """Go on with the campaign; return 1 where it has found a fault."""
    parser = parser_of(__doc__)
    parser.add_argument("--seed", type=int, default=1, help="campaign: every note and file follows from it")
    parser.add_argument("--notes", type=int, default=10_000, help="notes of the campaign")
    parser.add_argument("--files", type=int, default=250, help="damaged files of each reader")
    parser.add_argument("--reader", choices=sorted(READERS), action="append", help="one reader; all if not given")
    parser.add_argument("--limit", type=int, help="most notes of this call")
    parser.add_argument("--journal", type=Path, help="file of what was done")
    arguments = parser.parse_args()
    journal = Journal(arguments.journal or FOLDER / f"fuzz-{arguments.seed}.jsonl")
    first = arguments.seed * _SEEDS
    for name in arguments.reader or READERS:
        _try_files(journal, name, range(first, first + arguments.files))
    _try_notes(journal, range(first, first + arguments.notes), arguments.limit)
    with results("faults-fuzz", "Bad input", arguments) as made:
        faults = _report(made, journal)
    return 1 if faults else 0


def _try_files(journal: Journal, name: str, seeds: range) -> None:
    left = sorted(set(seeds) - journal.seeds(name))
    if not left:
        return
    with tempfile.TemporaryDirectory() as folder:
        files = DamagedFiles(READERS[name], Path(folder, "files"))
        for seed in left:
            found = files.check(seed)
            journal.add(name, seed, damage=found.damage, outcome=found.outcome, fault=found.fault)
    print(f"{name}: {len(left)} files", file=sys.stderr, flush=True)


def _try_notes(journal: Journal, seeds: range, limit: int | None) -> None:
    done = journal.seeds(_NOTE)
    left = [seed for seed in seeds if seed not in done][:limit]
    if not left:
        return
    engine = Engine.public(key=KEY)
    check_note(engine, bad_note(0))
    for number, seed in enumerate(left, 1):
        # The last of a campaign are of the longest kind.
        note = longest_note(seed) if seed >= seeds.stop - _LONGEST_NOTES else bad_note(seed)
        gc.disable()
        found = check_note(engine, note)
        gc.enable()
        journal.add(
            _NOTE,
            seed,
            kinds=note.kinds,
            length=len(note.text),
            outcome=found.outcome,
            reason=found.reason,
            seconds=round(found.seconds, 4),
            faults=found.faults,
        )
        if number % 200 == 0:
            print(f"{len(done) + number} of {len(seeds)} notes", file=sys.stderr, flush=True)
    for seed in left[:: 10 * _API_NOTES]:
        texts = [bad_note(one).text for one in range(seed, seed + _API_NOTES)]
        journal.add(_API, seed, notes=len(texts), faults=check_interface(engine, texts))


def _report(made: Results, journal: Journal) -> int:
    """Add the tables, and return the number of faults."""
    notes = journal.of(_NOTE)
    faults = [(f"note {one['seed']}", fault) for one in (*notes, *journal.of(_API)) for fault in one["faults"]]
    made.table("Notes by outcome", {"outcome": "", "reason": "", "notes": ",d"})
    for (outcome, reason), count in sorted(Counter((one["outcome"], one["reason"]) for one in notes).items()):
        made.add(outcome, reason, count)
    made.add("all", "", len(notes))
    _times(made, notes)
    made.table("Damaged files by reader", {"reader": "", "files": ",d", "read": ",d", "refused": ",d", "faults": ",d"})
    for name in READERS:
        files = journal.of(name)
        wrong = [one for one in files if one["fault"]]
        faults += [(f"{name} {one['seed']}: {one['damage']}", one["fault"]) for one in wrong]
        counts = Counter(one["outcome"] for one in files)
        made.add(name, len(files), counts[READ], counts[REFUSED], len(wrong))
    made.table("Faults", {"seed": "", "fault": ""})
    for where, fault in faults[:_SHOWN]:
        made.add(where, fault)
    made.add("all", str(len(faults)))
    return len(faults)


def _times(made: Results, notes: list[Entry]) -> None:
    """Add seconds against length, in classes whose lengths differ by four times, and the slowest note of each."""
    classes: dict[int, list[Entry]] = defaultdict(list)
    for one in notes:
        if one["outcome"] != "quarantined":
            classes[max(one["length"], 1).bit_length() // 2].append(one)
    columns = {"characters, fewer than": ",d", "notes": ",d", "median seconds": ".3f", "maximum": ".3f"}
    columns |= {"maximum by median": ".1f", f"over {_SLOW} times the median": ",d", "seed": "", "kinds": ""}
    made.table("Processor seconds by length", columns)
    for power, found in sorted(classes.items()):
        middle = median(one["seconds"] for one in found)
        slowest = max(found, key=lambda one: float(one["seconds"]))
        over = sum(one["seconds"] > _SLOW * middle for one in found)
        made.add(
            2 * 4**power,
            len(found),
            middle,
            slowest["seconds"],
            slowest["seconds"] / middle if middle else None,
            over,
            str(slowest["seed"]),
            ", ".join(slowest["kinds"]),
        )


if __name__ == "__main__":
    sys.exit(main())
