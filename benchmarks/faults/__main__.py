"""The fault campaign: runs of a small site over real PostgreSQL and an S3 emulator, each under one fault.

    python -m benchmarks.faults                          # 1,000 faults, of all kinds in turn
    python -m benchmarks.faults --limit 50               # the next 50, and no more
    python -m benchmarks.faults --kind "disk full" --seed 3 --faults 10

Each fault has a seed of its own, which decides the step, the moment and the damage. What was done lies in a journal:
the same command goes on where it was stopped.
"""

import signal
import sys
from collections import Counter
from pathlib import Path
from statistics import median

from benchmarks.faults.campaign import campaign
from benchmarks.faults.journal import FOLDER, Journal
from benchmarks.faults.kinds import KINDS
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.hospital.layouts import LAYOUTS

_SEEDS = 1_000_000
_WANTED = 1_000


def main() -> int:
    """Go on with the campaign; return 1 where a fault was not survived."""
    parser = parser_of(__doc__)
    parser.add_argument("--seed", type=int, default=1, help="campaign: every fault follows from it")
    parser.add_argument("--faults", type=int, default=_WANTED, help="faults of the campaign")
    parser.add_argument("--limit", type=int, help="most faults of this call")
    parser.add_argument("--kind", choices=sorted(KINDS), action="append", help="one kind; all in turn if not given")
    parser.add_argument("--layout", choices=sorted(LAYOUTS), default="omop", help="layout of the raw tables")
    parser.add_argument("--journal", type=Path, help="file of what was done")
    arguments = parser.parse_args()
    # So that the services end too where the campaign is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    journal = Journal(arguments.journal or FOLDER / f"campaign-{arguments.layout}-{arguments.seed}.jsonl")
    kinds = arguments.kind or list(KINDS)
    first = arguments.seed * _SEEDS
    planned = [(kinds[number % len(kinds)], first + number) for number in range(arguments.faults)]
    left = [(kind, seed) for kind, seed in planned if seed not in journal.seeds(kind)][: arguments.limit]
    if left:
        with campaign(arguments.layout) as trials:
            for number, (kind, seed) in enumerate(left, 1):
                found = trials.try_kind(kind, seed)
                journal.add(kind, seed, **found._asdict())
                said = "; ".join(found.faults) or f"survived ({found.raised or 'nothing raised'})"
                print(
                    f"{number} of {len(left)}: {kind}, {found.step}, seed {seed}: {said}", file=sys.stderr, flush=True
                )
    with results("faults-campaign", "Faults that runs survive", arguments) as made:
        return _report(made, journal)


def _report(made: Results, journal: Journal) -> int:
    """Add the tables; return 1 where a fault was not survived."""
    columns = {
        "kind": "",
        "faults": ",d",
        "met the run": ",d",
        "survived": ",d",
        "ended a task": ",d",
        "most retries": "d",
        "errors": "",
    }
    made.table("Faults by kind", {**columns, "a person must": "", "median seconds": ".1f"})
    seconds: list[float] = []
    lost = []
    for name, kind in KINDS.items():
        found = journal.of(name)
        if not found:
            continue
        seconds += [one["seconds"] for one in found]
        lost += [(name, one) for one in found if one["faults"]]
        raised = Counter(one["raised"] for one in found if one["raised"])
        made.add(
            name,
            len(found),
            sum(one["is_reached"] for one in found),
            sum(not one["faults"] for one in found),
            raised.total(),
            max(one["retries"] for one in found),
            ", ".join(sorted(raised)),
            kind.runbook,
            median(one["seconds"] for one in found),
        )
    met = sum(one["is_reached"] for name in KINDS for one in journal.of(name))
    middle = median(seconds) if seconds else None
    made.add("all", len(seconds), met, len(seconds) - len(lost), None, None, "", "", middle)
    made.table("Faults that were not survived", {"kind": "", "seed": "", "step": "", "what does not hold": ""})
    for name, one in lost:
        made.add(name, str(one["seed"]), one["step"], "; ".join(one["faults"]))
    made.table("How long 1,000 would take", {"what": "", "hours": ".1f"})
    if seconds:
        made.add("at the mean of these", sum(seconds) / len(seconds) * _WANTED / 3_600)
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main())
