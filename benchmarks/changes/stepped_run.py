"""A run of the platform that is taken step by step, and that can be killed between any two of its statements."""

import datetime
import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.changes.living_site import LivingCopy
from deid_tasks.platform import runs
from deid_tasks.platform.runs.reports import GateReport, RunPlan, ShardReport
from deid_tasks.settings import InstitutionSettings

_DAY = datetime.timedelta(days=1)
_PUBLICATION = "deid_tasks.platform.runs.publication"
KILL_POINTS: tuple[tuple[str, str, bool], ...] = (
    (_PUBLICATION, "announce_slices", False),
    (_PUBLICATION, "upsert_ledger", False),
    (_PUBLICATION, "upsert_ledger", True),
    (_PUBLICATION, "replace_notes", False),
    (_PUBLICATION, "replace_notes", True),
    (_PUBLICATION, "forget_notes", False),
    (_PUBLICATION, "close_slices", False),
    (_PUBLICATION, "record_removed", True),
    (_PUBLICATION, "remove_from_vault", False),
    (_PUBLICATION, "record_retraction", False),
)
"""Module and function, and whether the run is killed after the function instead of before."""


class Killed(BaseException):
    """A run is killed here."""


@contextmanager
def killed_at(module: str, function: str, *, after: bool) -> Iterator[None]:
    """Kill whatever calls the function meanwhile."""
    owner = importlib.import_module(module)
    original: Callable[..., Any] = getattr(owner, function)

    def kill(*args: Any, **kwargs: Any) -> Any:
        if after:
            original(*args, **kwargs)
        raise Killed

    setattr(owner, function, kill)
    try:
        yield
    finally:
        setattr(owner, function, original)


class SteppedRun:
    """A run of days, or of changes where it has no days. A step that failed can be repeated, as Airflow does."""

    def __init__(
        self, site: LivingCopy, run_id: str, days: Sequence[datetime.date], settings: InstitutionSettings | None = None
    ) -> None:
        """Take consecutive days in order; ``settings`` are the copy's where none are given."""
        self.days = list(days)
        self.run_id = run_id
        self._site, self._settings = site, settings or site.settings
        self.plan: RunPlan | None = None
        self._has_removed = False
        self._shards: list[ShardReport] = []
        self._released: GateReport | None = None
        self.is_done = False

    def step(self) -> None:
        """Do the next step; a step that raises is repeated by the next call."""
        settings, secrets, pin = self._settings, self._site.secrets, self._site.site.pin
        if self.plan is None:
            self.plan = self._plan()
        elif not self._has_removed:
            runs.remove_notes(settings, secrets, self.run_id)
            self._has_removed = True
            self.is_done = not self.plan["shards"]
        elif len(self._shards) < len(self.plan["shards"]):
            shard = self.plan["shards"][len(self._shards)]
            self._shards.append(runs.process_shard(settings, secrets, self.run_id, pin, shard))
        elif self._released is None:
            kind = self.plan["kind"]
            self._released = runs.reconcile_run(settings, secrets, self.run_id, pin, kind, self._shards)
        else:
            runs.publish_notes(settings, secrets, self.run_id, pin, self._released)
            self.is_done = True

    def finish(self) -> None:
        """Do all further steps."""
        while not self.is_done:
            self.step()

    def _plan(self) -> RunPlan:
        if not self.days:
            return runs.plan_changes_run(self._settings, self._site.secrets, self.run_id)
        first = datetime.datetime.combine(self.days[0], datetime.time(), datetime.UTC)
        last = datetime.datetime.combine(self.days[-1] + _DAY, datetime.time(), datetime.UTC)
        return runs.plan_notes_run(self._settings, self._site.secrets, self.run_id, first, last)
