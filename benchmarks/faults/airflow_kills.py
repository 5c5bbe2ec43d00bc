"""Kills of Airflow's own processes in the middle of a run, over a real Airflow.

    python -m benchmarks.faults.airflow_kills                 # fifteen runs, of all kinds in turn
    python -m benchmarks.faults.airflow_kills --kind "scheduler killed" --seed 3 --kills 4

A run of the notes DAG publishes a day. While one of its tasks runs, which the seed chooses, a process of Airflow is
killed with SIGKILL and started again some seconds later, and Airflow alone brings the run to its end. Then the
invariant of the fault campaign must hold. What was done lies in a journal: the same command goes on where it was
stopped. A kill takes one to three minutes.
"""

import datetime
import random
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple
from zoneinfo import ZoneInfo

from benchmarks.changes.check_convergence import PublishedState
from benchmarks.changes.living_site import NAME, START, TIMEZONE
from benchmarks.faults.airflow_site import AirflowSite, airflow_site
from benchmarks.faults.campaign import differences, identifiers_of, undisturbed_state
from benchmarks.faults.journal import FOLDER, Journal
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.hospital.layouts import LAYOUTS

_DAG = f"notes__{NAME}"
_TASKS = ("pin_engine", "plan_notes", "remove_notes", "detect_and_obfuscate", "reconcile_and_gate", "publish")
"""Tasks in whose middle a process is killed."""
_SEEDS = 1_000_000
_KILLS = 15
_LONGEST_SECONDS = 4.0
"""Within which a process is killed after the chosen task has begun."""
_DOWN_SECONDS = 5.0
"""For which a killed process is away, at the longest."""
_RUN_SECONDS = 1_200
_POLL_SECONDS = 1.0


def _kill_scheduler(site: AirflowSite) -> bool:
    site.kill_main("scheduler")
    return True


def _kill_scheduler_and_tasks(site: AirflowSite) -> bool:
    site.kill_all("scheduler")
    return True


def _kill_api_server(site: AirflowSite) -> bool:
    site.kill_all("api-server")
    return True


class KilledProcess(NamedTuple):
    """One kind of kill."""

    kill: Callable[[AirflowSite], bool]
    """Return whether a process was there to be killed."""
    service: str
    """That is started again; empty where the parent of the killed process goes on."""


KINDS: Mapping[str, KilledProcess] = {
    # Its tasks go on as zombies, beside those that the next scheduler starts.
    "scheduler killed": KilledProcess(_kill_scheduler, "scheduler"),
    "scheduler killed with its tasks": KilledProcess(_kill_scheduler_and_tasks, "scheduler"),
    "task killed": KilledProcess(AirflowSite.kill_task, ""),
    "API server killed": KilledProcess(_kill_api_server, "api-server"),
    # So that what differs after a kill is of the kill.
    "nothing killed": KilledProcess(lambda _: False, ""),
}
"""Every kind of kill by name."""


class Ended(NamedTuple):
    """What one kill came to."""

    task: str
    """In whose middle the process was killed."""
    is_reached: bool
    tries: int
    """Most tries that a task of the run needed."""
    orphans: int
    """Processes that the killed scheduler left."""
    seconds: float
    """From the trigger to the end of the run."""
    faults: tuple[str, ...]


def try_kill(site: AirflowSite, name: str, seed: int, expected: PublishedState) -> Ended:
    """Publish a day, kill what the kind says in the middle, and check what is left."""
    rng, kind = random.Random(seed), KINDS[name]
    site.begin_again()
    task, began = rng.choice(_TASKS), time.monotonic()
    run = trigger_day(site)
    is_reached = False
    if _wait_for_task(site, run, task):
        time.sleep(rng.random() * _LONGEST_SECONDS)
        is_reached = site.api.run_state(_DAG, run) == "running" and kind.kill(site)
        if kind.service:
            time.sleep(rng.random() * _DOWN_SECONDS)
            site.start(kind.service)
    faults = []
    if (state := wait_for_end(site, run)) != "success":
        faults.append(f"the run ended as {state}")
    seconds = time.monotonic() - began
    tries = max(one["try_number"] for one in site.api.tasks(_DAG, run))
    orphans = site.end_orphans()
    faults += differences(site.copy, expected)
    if named := _lines_that_name_a_patient(site):
        faults.append(f"{named} lines of logs name a patient")
    return Ended(task, is_reached, tries, orphans, seconds, tuple(faults))


def trigger_day(site: AirflowSite) -> str:
    """Trigger a run of the site's first day; return its id."""
    first = datetime.datetime.combine(START, datetime.time(), ZoneInfo(TIMEZONE))
    last = datetime.datetime.combine(START + datetime.timedelta(days=1), datetime.time(), ZoneInfo(TIMEZONE))
    return site.api.trigger_interval(_DAG, first, last)


def wait_for_end(site: AirflowSite, run: str) -> str:
    """Return the state in which a run ended, or ``running`` after 20 minutes."""
    deadline = time.monotonic() + _RUN_SECONDS
    while (state := site.api.run_state(_DAG, run)) not in {"success", "failed"} and time.monotonic() < deadline:
        time.sleep(2 * _POLL_SECONDS)
    return state


def _wait_for_task(site: AirflowSite, run: str, task: str) -> bool:
    """Wait until a task of the run runs; return whether it was seen to."""
    deadline = time.monotonic() + _RUN_SECONDS
    while time.monotonic() < deadline:
        states = {one["state"] for one in site.api.tasks(_DAG, run) if one["task_id"] == task}
        if "running" in states:
            return True
        if states and states <= {"success", "failed", "skipped", "upstream_failed", "removed"}:
            return False
        time.sleep(_POLL_SECONDS)
    return False


def _lines_that_name_a_patient(site: AirflowSite) -> int:
    identifiers = frozenset(identifiers_of(site.site.hospital))
    return sum(
        any(one in line for one in identifiers)
        for path in site.logs.rglob("*.log")
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
    )


def main() -> int:
    """Go on with the kills; return 1 where one was not survived."""
    parser = parser_of(__doc__)
    parser.add_argument("--seed", type=int, default=1, help="every kill follows from it")
    parser.add_argument("--kills", type=int, default=_KILLS, help="runs in all")
    parser.add_argument("--kind", choices=sorted(KINDS), action="append", help="one kind; all in turn if not given")
    parser.add_argument("--layout", choices=sorted(LAYOUTS), default="omop", help="layout of the raw tables")
    parser.add_argument("--journal", type=Path, help="file of what was done")
    arguments = parser.parse_args()
    # So that the services end too where the command is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    journal = Journal(arguments.journal or FOLDER / f"airflow-{arguments.layout}-{arguments.seed}.jsonl")
    kinds = arguments.kind or list(KINDS)
    first = arguments.seed * _SEEDS
    planned = [(kinds[number % len(kinds)], first + number) for number in range(arguments.kills)]
    left = [(kind, seed) for kind, seed in planned if seed not in journal.seeds(kind)]
    if left:
        with airflow_site(arguments.layout) as site:
            expected = undisturbed_state(site.site)
            _wait_for_dag(site)
            for number, (kind, seed) in enumerate(left, 1):
                found = try_kill(site, kind, seed, expected)
                journal.add(kind, seed, **found._asdict())
                said = "; ".join(found.faults) or f"survived in {found.seconds:.0f} s"
                print(
                    f"{number} of {len(left)}: {kind}, {found.task}, seed {seed}: {said}", file=sys.stderr, flush=True
                )
    with results("faults-airflow", "Kills of Airflow's processes", arguments) as made:
        return _report(made, journal)


def _wait_for_dag(site: AirflowSite) -> None:
    while _DAG not in site.api.dag_ids():
        time.sleep(_POLL_SECONDS)
    site.api.unpause(_DAG)


def _report(made: Results, journal: Journal) -> int:
    """Add the tables; return 1 where a kill was not survived."""
    columns = {"kills": ",d", "met the run": ",d", "survived": ",d", "most tries": "d", "median seconds": ".0f"}
    made.table("Kills by kind", {"kind": "", **columns, "tasks": ""})
    lost = []
    for name in KINDS:
        found = journal.of(name)
        if not found:
            continue
        lost += [(name, one) for one in found if one["faults"]]
        made.add(
            name,
            len(found),
            sum(one["is_reached"] for one in found),
            sum(not one["faults"] for one in found),
            max(one["tries"] for one in found),
            median(one["seconds"] for one in found),
            ", ".join(sorted({one["task"] for one in found})),
        )
    made.table("Kills that were not survived", {"kind": "", "seed": "", "task": "", "what does not hold": ""})
    for name, one in lost:
        made.add(name, str(one["seed"]), one["task"], "; ".join(one["faults"]))
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main())
