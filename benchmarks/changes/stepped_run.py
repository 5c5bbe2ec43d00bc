"""A run of the platform that is taken step by step, and that can be killed between any two of its statements."""

import datetime
import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.changes.living_site import TIMEZONE, LivingCopy
from deid_tasks.platform import runs
from deid_tasks.platform.runs.reports import EnginePin, GateReport, RunPlan, ShardReport
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
    """A run of days, or of changes where it has no days, or a restatement.

    A step that failed can be repeated, as Airflow does. Each step reads the settings as they are then.
    """

    def __init__(
        self,
        site: LivingCopy,
        run_id: str,
        days: Sequence[datetime.date],
        settings: InstitutionSettings | None = None,
        *,
        restates: bool = False,
        number: int = 0,
    ) -> None:
        """Take consecutive days in order; ``settings`` are the copy's where none are given."""
        self.days = list(days)
        self.run_id, self.restates, self.number = run_id, restates, number
        self._site, self._settings = site, settings
        self._pin: EnginePin | None = None
        self.plan: RunPlan | None = None
        self._has_removed = False
        self._shards: list[ShardReport] = []
        self._released: GateReport | None = None
        self.is_done = False

    @property
    def is_of_changes(self) -> bool:
        """Whether the run follows changes."""
        return not self.days and not self.restates

    @property
    def next_step(self) -> str:
        """The step that the next call of ``step`` does: plan, remove, shard, gate or publish."""
        if self.plan is None:
            return "plan"
        if not self._has_removed:
            return "remove"
        if len(self._shards) < len(self.plan["shards"]):
            return "shard"
        return "publish" if self._released else "gate"

    def clear_shards(self) -> None:
        """Forget what was done after planning, as when a person clears the shard tasks and those after them."""
        self._shards, self._released = [], None

    def step(self) -> None:
        """Do the next step; a step that raises is repeated by the next call."""
        settings, secrets = self._settings or self._site.settings, self._site.secrets
        pin = self._pin = self._pin or runs.pin_engine(settings, secrets)
        if self.plan is None:
            self.plan = self._plan(settings, pin)
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
            runs.delete_run_files(settings, secrets, self.run_id)
            self.is_done = True

    def finish(self) -> None:
        """Do all further steps."""
        while not self.is_done:
            self.step()

    def _plan(self, settings: InstitutionSettings, pin: EnginePin) -> RunPlan:
        secrets, zone = self._site.secrets, ZoneInfo(TIMEZONE)
        if self.restates:
            return runs.plan_restate_run(settings, secrets, self.run_id, pin)
        if not self.days:
            return runs.plan_changes_run(settings, secrets, self.run_id)
        first = datetime.datetime.combine(self.days[0], datetime.time(), zone)
        last = datetime.datetime.combine(self.days[-1] + _DAY, datetime.time(), zone)
        return runs.plan_notes_run(settings, secrets, self.run_id, first, last)
