"""Weeks of a hospital's life, published by runs in random order, some of them in processes that are killed.

Every day's events are applied; a run of a day that is due, or of changes, follows. At the end the published table is
compared, row for row and byte for byte, with that of one run from nothing.
"""

import datetime
import logging
import multiprocessing
import random
import time
from collections import Counter
from multiprocessing.synchronize import Event as ProcessEvent

from benchmarks.changes.check_convergence import check_convergence, check_table, open_days
from benchmarks.changes.living_site import NAME, START, LivingCopy, LivingSite
from benchmarks.changes.site_services import served_site
from benchmarks.changes.source_edits import EDITS
from benchmarks.changes.stepped_run import SteppedRun
from benchmarks.support.results import parser_of, results
from deid_tasks.core.errors import DeidError
from deid_tasks.core.identity import Identity
from deid_tasks.hospital.history import HistoryRates, simulate_history
from deid_tasks.hospital.layouts import LAYOUTS
from deid_tasks.platform import runs

_DAY = datetime.timedelta(days=1)
_FIRST_DAYS = 3
_REFRESH_DAYS = 20
"""Days after which the dictionaries are built anew and their engine is promoted."""
_SLOWEST_KILL = 4.0
"""Seconds after which a run is killed at the latest, unless it has ended."""


class _Campaign:
    """One history: what happened, and the runs that published it."""

    def __init__(self, site: LivingSite, days: int, killed: float, seed: int) -> None:
        self._rng = random.Random(seed)
        self._site, self._copy = site, site.copy()
        self._days, self._killed = days, killed
        self.counts: Counter[str] = Counter()
        self._is_clear = True
        """Whether no killed run has left anything to the next run of changes."""
        self._due = [START + _DAY * number for number in range(_FIRST_DAYS)]

    def live(self) -> None:
        """Live through all days, and check the table."""
        history = simulate_history(self._site.hospital, self._site.notes, HistoryRates(), self._days, seed=1)
        for number, day in enumerate(history, 1):
            for event, at in day.timed():
                self.counts["events"] += self._copy.apply(event, at)
            self.counts["edits of rows"] += self._copy.edit(self._rng.choice(EDITS), self._rng.randrange(1_000))
            self._due.append(day.day)
            for _ in range(self._rng.choice((0, 1, 1, 2))):
                self._run_something()
            if self._is_clear:
                self.counts["nights reconciled"] += check_table(self._copy)
            logging.getLogger(__name__).warning("day %d: %s", number, dict(self.counts))
            if number % _REFRESH_DAYS == 0:
                self._copy.refresh_dictionaries()
                self.counts["engines promoted"] += 1
        while self._due:
            self._run(self._draw_days())
        self.counts["notes of the ledger"] = self._copy.rows(f"select count(*) from {NAME}_results.note_ledger")[0][0]
        self.counts["published days"] = len(open_days(self._copy))
        self.counts["rows that are equal"] = check_convergence(self._copy)
        self._copy.drop()

    def _draw_days(self) -> list[datetime.date]:
        return [self._due.pop(self._rng.randrange(len(self._due)))]

    def _run_something(self) -> None:
        days, restates = [], False
        if self._due and self._rng.random() < 0.5:
            days = self._draw_days()
        elif self._rng.random() < 0.2:
            days = sorted(open_days(self._copy))[:1]
        elif self._rng.random() < 0.3:
            restates = True
        elif self._rng.random() < 0.1:
            self._retract()
        if self._rng.random() < self._killed:
            self._kill(days, restates=restates)
            # The day is still due; another killed run is left as it is.
            self._due += days
        else:
            self._run(days, restates=restates)

    def _retract(self) -> None:
        notes = self._copy.rows(f"select note_id from {NAME}_results.note_ledger order by 1")
        if notes:
            settings, secrets, note = self._copy.settings, self._copy.secrets, self._rng.choice(notes)
            runs.retract(
                settings,
                secrets,
                note_ids=note,
                reason="opted_out",
                requested_by=Identity("privacy officer", "unverified"),
            )
            runs.purge_removed(settings, secrets, at_once=True)
            self.counts["retractions"] += 1

    def _run(self, days: list[datetime.date], *, restates: bool = False) -> None:
        run = SteppedRun(self._copy, self._run_id(), days, restates=restates)
        try:
            run.finish()
            self._is_clear |= run.is_of_changes
            self.counts["runs of a day" if days else "restatements" if restates else "runs of changes"] += 1
        except DeidError as error:
            self.counts[f"runs ended by {type(error).__name__}"] += 1
            self._due += days

    def _kill(self, days: list[datetime.date], *, restates: bool) -> None:
        """Run in another process, which is killed after a random time."""
        context = multiprocessing.get_context("spawn")
        begun = context.Event()
        process = context.Process(
            target=_run_until_killed,
            args=(self._site, self._copy.name, self._run_id(), days, begun),
            kwargs={"restates": restates},
        )
        process.start()
        self._is_clear = False
        begun.wait(120)
        process.join(self._rng.random() * _SLOWEST_KILL)
        self.counts["runs killed" if process.is_alive() else "runs that ended before they were killed"] += 1
        process.kill()
        process.join()

    def _run_id(self) -> str:
        self.counts["runs begun"] += 1
        return f"run{self.counts['runs begun']}"


def _run_until_killed(
    site: LivingSite, name: str, run_id: str, days: list[datetime.date], begun: ProcessEvent, *, restates: bool
) -> None:
    copy = LivingCopy(site, name)
    begun.set()
    SteppedRun(copy, run_id, days, restates=restates).finish()


def main() -> None:
    """Live through the weeks in both layouts."""
    parser = parser_of(__doc__)
    parser.add_argument("--days", type=int, default=60, help="days of each history")
    parser.add_argument("--killed", type=float, default=0.3, help="share of runs in processes that are killed")
    parser.add_argument("--layout", choices=sorted(LAYOUTS), help="one layout; both where it is not given")
    parser.add_argument("--seed", type=int, default=1, help="seed of the order of runs and of the kills")
    arguments = parser.parse_args()
    name = "-".join(filter(None, ("changes-convergence", arguments.layout)))
    with results(name, "Weeks of changes, runs and kills", arguments) as made:
        for layout in [arguments.layout] if arguments.layout else LAYOUTS:
            began = time.monotonic()
            with served_site(layout) as site:
                campaign = _Campaign(site, arguments.days, arguments.killed, arguments.seed)
                campaign.live()
            made.table(f"Layout {layout}: the table converged", {"what": "", "count": "d"})
            for name, number in sorted(campaign.counts.items()):
                made.add(name, number)
            made.add("seconds", round(time.monotonic() - began))


if __name__ == "__main__":
    main()
