"""Random histories of a small hospital and of the runs that publish it, as a state machine of Hypothesis.

Each rule is a change of the source, a step of a run, or a killed run. At the end the table must have converged.
"""

import datetime
import logging
from collections import Counter
from contextlib import ExitStack
from itertools import count
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from benchmarks.changes.check_convergence import check_convergence, check_table
from benchmarks.changes.living_site import ENGINES, NAME, START, LivingCopy, LivingSite
from benchmarks.changes.source_edits import EDITS
from benchmarks.changes.stepped_run import KILL_POINTS, Killed, SteppedRun, killed_at
from deid_tasks.core.errors import DeidError
from deid_tasks.core.identity import Identity
from deid_tasks.hospital.history import EVENTS, Event
from deid_tasks.platform import runs

_FIRST_DAY, _LAST_DAY = -2, 4
"""Days that are published, counted from the first day of the first notes. Late and redated notes are also of others."""
_HISTORY_DAYS = 5
_MAX_EVENTS = 25
"""Events that one rule applies at most, until one of the chosen kind happens."""

_KINDS = st.sampled_from(EVENTS)
_EDITS = st.sampled_from(EDITS)
_STEPS = st.sampled_from((9, 9, 9, 1, 3, 4))
_DAYS = st.integers(_FIRST_DAY, _LAST_DAY)
_POINTS = st.sampled_from(KILL_POINTS)


class RandomHistory(RuleBasedStateMachine):
    """A history of changes and runs; a subclass names its site."""

    site: ClassVar[LivingSite]
    counts: ClassVar[Counter[str]] = Counter()
    """What happened in all histories so far."""

    def __init__(self) -> None:
        """Begin without a copy of the site."""
        super().__init__()
        self._copy: LivingCopy | None = None
        self._begun: list[SteppedRun] = []
        self._numbers = count(1)
        self._killed = 0
        """Number of the last run that was killed and whose removals no later run of changes has ended; 0 for none."""

    @property
    def _lived(self) -> LivingCopy:
        assert self._copy is not None
        return self._copy

    @initialize(seed=st.integers(0, 2**16), last=st.integers(0, _LAST_DAY))
    def begin(self, seed: int, last: int) -> None:
        """Take a copy of the site, and publish the first days."""
        self._copy = self.site.copy()
        self._events = self._copy.future(_HISTORY_DAYS, seed)
        self._go_on(self._run([START + datetime.timedelta(days=n) for n in range(_FIRST_DAY, last + 1)]), 99)

    @rule(kind=_KINDS)
    def happen(self, kind: type[Event]) -> None:
        """Let the hospital live until something of this kind happens."""
        for _ in range(_MAX_EVENTS):
            event, at = next(self._events, (None, None))
            if event is None or at is None:
                return
            if self._lived.apply(event, at):
                self.counts[type(event).__name__] += 1
            if isinstance(event, kind):
                return

    @rule(day=_DAYS, steps=_STEPS)
    def publish_day(self, day: int, steps: int) -> None:
        """Begin a run of a day, and go some steps."""
        self._go_on(self._run([START + datetime.timedelta(days=day)]), steps)

    @rule(steps=_STEPS)
    def follow_changes(self, steps: int) -> None:
        """Begin a run of changes, and go some steps."""
        self._go_on(self._run([]), steps)

    @rule(kind=_EDITS, number=st.integers(0, 999))
    def edit(self, kind: str, number: int) -> None:
        """Change rows of the source as no event does."""
        if self._lived.edit(kind, number):
            self.counts[kind] += 1

    @rule(number=st.integers(0, ENGINES - 1))
    def promote(self, number: int) -> None:
        """Promote an engine with other dictionaries."""
        self._lived.promote(number)
        self.counts["promotion"] += 1

    @rule(steps=_STEPS)
    def restate(self, steps: int) -> None:
        """Begin a restatement, and go some steps."""
        self._go_on(self._run([], restates=True), steps)

    @rule(number=st.integers(0, 9))
    def need_no_record(self, number: int) -> None:
        """Let the settings name one note type as one without patients, and no other."""
        types = self._lived.rows(
            f"select distinct note_type from {NAME}_staging.stg_note where note_type is not null order by 1"
        )
        if types:
            self._lived.name_types_without_patient(types[number] if number < len(types) else ())
            self.counts["note types without patients changed"] += 1

    @rule()
    def pass_night(self) -> None:
        """Reconcile source, ledger and table, unless a killed run left them for the next run of changes."""
        if not self._killed:
            self.counts["nights"] += check_table(self._lived)

    @rule(at_once=st.booleans())
    def purge(self, at_once: bool) -> None:  # noqa: FBT001
        """Delete the bytes of what was removed."""
        runs.purge_removed(self._lived.settings, self._lived.secrets, at_once=at_once)
        self.counts["purge"] += 1

    @precondition(lambda self: self._begun)
    @rule(number=st.integers(0, 9), steps=_STEPS)
    def continue_run(self, number: int, steps: int) -> None:
        """Go on with a run that was begun or killed, after whatever happened and was published meanwhile."""
        self._go_on(self._begun[number % len(self._begun)], steps)

    @rule(point=_POINTS, day=st.none() | _DAYS)
    def kill_run(self, point: tuple[str, str, bool], day: int | None) -> None:
        """Begin a run of a day or of changes, which is killed when it publishes."""
        module, function, after = point
        run = self._run([] if day is None else [START + datetime.timedelta(days=day)])
        try:
            with ExitStack() as stack:
                stack.enter_context(killed_at(module, function, after=after))
                self._go_on(run, 99)
        except Killed:
            self.counts["killed run"] += 1
            self._killed = run.number
            self._begun.append(run)

    @rule(number=st.integers(0, 99), is_patient=st.booleans(), at_once=st.booleans())
    def retract(self, number: int, is_patient: bool, at_once: bool) -> None:  # noqa: FBT001
        """Exclude a note, or a patient, by request."""
        column = "patient_id" if is_patient else "note_id"
        found = self._lived.rows(
            f"select distinct {column} from {NAME}_results.note_ledger where {column} is not null order by 1"
        )
        if not found:
            return
        chosen = [found[number % len(found)][0]]
        settings, secrets = self._lived.settings, self._lived.secrets
        who = Identity("privacy officer", "unverified")
        if is_patient:
            runs.retract(settings, secrets, patient_ids=chosen, reason="opted_out", requested_by=who)
        else:
            runs.retract(settings, secrets, note_ids=chosen, reason="opted_out", requested_by=who)
        if at_once:
            runs.retract_at_once(settings, secrets)
        self.counts["retraction"] += 1

    def teardown(self) -> None:
        """Check that the table has converged."""
        if self._copy is None:
            return
        try:
            self.counts["published rows"] += check_convergence(self._copy)
            self.counts["histories"] += 1
        finally:
            self._copy.drop()

    def _run(self, days: list[datetime.date], *, restates: bool = False) -> SteppedRun:
        number = next(self._numbers)
        return SteppedRun(self._lived, f"run{number}", days, restates=restates, number=number)

    def _go_on(self, run: SteppedRun, steps: int) -> None:
        """Go some steps; a run that an error ends is given up, as when nobody clears its task."""
        if run in self._begun:
            self._begun.remove(run)
        try:
            for _ in range(steps):
                run.step()
                if run.is_done:
                    if run.is_of_changes and run.number > self._killed:
                        self._killed = 0
                    self.counts["finished run"] += 1
                    return
        except DeidError as error:
            logging.getLogger(__name__).warning("%s: %s", run.run_id, error)
            self.counts[f"run ended by {type(error).__name__}"] += 1
            return
        self._begun.append(run)


def history_of(site: LivingSite) -> type[RandomHistory]:
    """Return a state machine over copies of this site."""
    return type("SiteHistory", (RandomHistory,), {"site": site})
