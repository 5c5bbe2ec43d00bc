"""The invariant: the published table is what one run from nothing over the present source would publish."""

import datetime
from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

from benchmarks.changes.living_site import NAME, LivingCopy
from benchmarks.changes.stepped_run import SteppedRun
from deid_tasks.platform import runs
from deid_tasks.settings import InstitutionSettings

_DAY = datetime.timedelta(days=1)
_MAX_RUNS = 4
"""Changes runs after which nothing may be left to do."""
_LEDGER = (
    "note_id, patient_id, note_type, note_datetime, note_day, modified_at, record_digest, exclusion, outcome, reason,"
    " content_hash, output_hash, entities, fingerprint, slice_key, note_key"
)
_SLICES = "slice_key, note_day, notes, published_at is not null as is_published, replaced_at is not null as is_replaced"


class DivergenceError(AssertionError):
    """The published table, or its ledger, is not what a run from nothing would make."""


def consecutive(days: Iterable[datetime.date]) -> Iterator[list[datetime.date]]:
    """Yield the days in groups without gaps."""
    group: list[datetime.date] = []
    for day in sorted(set(days)):
        if group and day - group[-1] != _DAY:
            yield group
            group = []
        group.append(day)
    if group:
        yield group


def open_days(site: LivingCopy) -> set[datetime.date]:
    """Return the days that were published."""
    found = site.rows(
        f"select distinct note_day from {NAME}_results.published_slice"
        " where published_at is not null and replaced_at is null"
    )
    return {day for (day,) in found}


def check_convergence(site: LivingCopy) -> int:
    """Follow all changes, restate what is stale, and compare table and ledger with those of one run from nothing.

    Return the published rows.

    Days whose first run was killed are published first, as the schedule's next try would do.

    Raises:
        DivergenceError: they differ, a change stays pending, or source, ledger and table do not agree.
    """
    begun = site.rows(
        f"select note_day from {NAME}_results.note_ledger union select note_day from {NAME}_results.published_slice"
    )
    for number, days in enumerate(consecutive({day for (day,) in begun} - open_days(site))):
        SteppedRun(site, f"again{number}", days).finish()
    for number in count():
        run, restatement = SteppedRun(site, f"last{number}", []), SteppedRun(site, f"stale{number}", [], restates=True)
        run.finish()
        restatement.finish()
        if not any(one.plan and one.plan["causes"] for one in (run, restatement)):
            break
        if number == _MAX_RUNS:
            raise DivergenceError(f"changes are still pending after {number} runs: {run.plan}, {restatement.plan}")
    check_table(site)
    report = runs.reconcile_ledger(site.settings, site.secrets)
    if report["pending"]:
        raise DivergenceError(f"the reconciliation finds changes that no run finds: {report}")
    lived = published_state(site)
    compare_states(lived, _from_nothing(site))
    return len(lived.rows)


class PublishedState(NamedTuple):
    """What researchers read, and what the platform believes of it."""

    rows: list[dict[str, object]]
    ledger: list[dict[str, object]]
    slices: list[dict[str, object]]


def published_state(site: LivingCopy, settings: InstitutionSettings | None = None) -> PublishedState:
    """Return the published rows, the ledger and the slices, each in one order; without times and ids of runs."""
    return PublishedState(site.published_rows(settings or site.settings), _ledger(site), _slices(site))


def compare_states(lived: PublishedState, fresh: PublishedState) -> None:
    """Raise ``DivergenceError`` where the first is not what the second is; the text quotes no note."""
    _compare("published rows", lived.rows, fresh.rows, "note_key")
    _compare("ledger rows", lived.ledger, fresh.ledger, "note_id")
    _compare("slices", lived.slices, fresh.slices, "slice_key")


def check_table(site: LivingCopy) -> bool:
    """Check that the nightly reconciliation finds in the table what the ledger says; return whether it was done.

    Nothing is checked while a publication is interrupted: only the run that repeats it knows what the table holds.

    Raises:
        DivergenceError: the table does not.
        GateError: the nightly reconciliation says so.
    """
    if site.rows(f"select 1 from {NAME}_results.note_ledger where outcome = 'publishing' limit 1"):
        return False
    report = runs.reconcile_ledger(site.settings, site.secrets)
    if report["published"] != report["in_table"]:
        raise DivergenceError(f"the reconciliation counts otherwise: {report}")
    return True


def _from_nothing(site: LivingCopy) -> PublishedState:
    days = open_days(site)
    for table in ("note_ledger", "published_slice", "run_note", "run_day"):
        site.rows(f"delete from {NAME}_results.{table}")
    settings = site.published_as("fresh")
    for number, group in enumerate(consecutive(days)):
        SteppedRun(site, f"fresh{number}", group, settings).finish()
    return published_state(site, settings)


def _ledger(site: LivingCopy) -> list[dict[str, object]]:
    names = _LEDGER.split(", ")
    rows = site.rows(f"select {_LEDGER} from {NAME}_results.note_ledger order by note_id")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _slices(site: LivingCopy) -> list[dict[str, object]]:
    names = [column.split(" ")[-1] for column in _SLICES.split(", ")]
    rows = site.rows(f"select {_SLICES} from {NAME}_results.published_slice order by slice_key")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _compare(what: str, lived: list[dict[str, object]], fresh: list[dict[str, object]], key: str) -> None:
    """Raise ``DivergenceError`` where rows differ; the text names keys and columns, and quotes no text."""
    if lived == fresh:
        return
    old, new = {row[key]: row for row in lived}, {row[key]: row for row in fresh}
    reasons = [f"{len(lived) - len(old)} rows twice"] if len(lived) != len(old) else []
    reasons += [f"{one} too many" for one in sorted(map(str, old.keys() - new.keys()))]
    reasons += [f"{one} missing" for one in sorted(map(str, new.keys() - old.keys()))]
    for one in sorted(map(str, old.keys() & new.keys())):
        columns = [
            name if name == "text" else f"{name}: {old[one][name]!s} for {new[one][name]!s}"
            for name in old[one]
            if old[one][name] != new[one][name]
        ]
        if columns:
            reasons.append(f"{one} differs in {', '.join(columns)}")
    raise DivergenceError(f"{what} ({len(lived)} for {len(fresh)}): " + "; ".join(reasons[:8]))
