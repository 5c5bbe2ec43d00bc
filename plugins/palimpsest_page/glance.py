"""The state of an institution at a glance: nine facts, each good, to be looked at, or wrong."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo

import pendulum
from airflow.timetables.interval import CronDataIntervalTimetable

from deid_tasks.settings import InstitutionSettings
from palimpsest_page.checks import AuditCheck
from palimpsest_page.figures import Figures
from palimpsest_page.waiting import WaitingTask

State = Literal["good", "look", "wrong", "unknown"]
STATE_WORDS: dict[State, str] = {"good": "In order", "look": "Look at it", "wrong": "Act", "unknown": "Not known yet"}
"""What a screen reader says in place of the sign."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the summary."""

    label: str
    value: str
    state: State
    note: str = ""
    anchor: str = ""
    """The part of the institution's page that tells more."""


def facts(
    figures: Figures, tasks: Iterable[WaitingTask], checked: AuditCheck | None, now: datetime.datetime
) -> list[Fact]:
    """Return the facts of one institution, the most urgent kinds first.

    Args:
        figures: What the database says.
        tasks: Tasks of the institution that wait for a person in Airflow.
        checked: The newest check of its audit log.
        now: The present time, with its zone.
    """
    return [
        _published(figures, now),
        _held(figures, len(list(tasks))),
        _certificate(figures, now),
        _dictionaries(figures, now),
        _quarantine(figures),
        _stale(figures),
        _ledger(figures, now),
        _audit_log(figures, checked, now),
        _requests(figures, now),
    ]


def worst(found: Iterable[Fact]) -> State:
    """Return the state that the institution's card shows."""
    states = {fact.state for fact in found}
    order: tuple[State, ...] = ("wrong", "look", "good")
    return next((state for state in order if state in states), "unknown")


def expected_day(settings: InstitutionSettings, now: datetime.datetime) -> datetime.date | None:
    """Return the last day of notes that should be published by now; ``None`` while none should be.

    It is the last day of the newest interval of the schedule that ended ``notes.lag_hours`` and
    ``alarms.late_hours`` ago.
    """
    notes = settings.notes
    late = datetime.timedelta(hours=notes.lag_hours + settings.alarms.late_hours.get("notes", 24))
    timetable = CronDataIntervalTimetable(notes.schedule, timezone=notes.timezone)
    interval = timetable.infer_manual_data_interval(run_after=pendulum.instance(now - late))
    # A plain datetime: pendulum's own takes time off in another zone than this one's.
    end = datetime.datetime.fromtimestamp(interval.end.timestamp(), ZoneInfo(notes.timezone))
    last = (end - datetime.timedelta(microseconds=1)).date()
    last = min(last, notes.end_date) if notes.end_date else last
    return None if last < notes.start_date else last


def _published(figures: Figures, now: datetime.datetime) -> Fact:
    last, expected = figures.row("published").get("last_day"), expected_day(figures.settings, now)
    if last is None:
        return Fact("Published to", "nothing yet", "unknown" if expected is None else "look", anchor="runs")
    if expected is None or last >= expected:
        return Fact("Published to", f"{last}", "good", "as scheduled", "runs")
    days = (expected - last).days
    return Fact("Published to", f"{last}", "wrong", f"{_count(days, 'day')} late: {expected} should be there", "runs")


def _held(figures: Figures, tasks: int) -> Fact:
    held = [row for row in figures.rows("held") if not row["is_rejected"]]
    rejected = len(figures.rows("held")) - len(held)
    note = f"{_count(rejected, 'rejected run')} not published since" if rejected else ""
    if not held and not tasks:
        return Fact("Held", "nothing", "look" if rejected else "good", note or "no run waits for a person", "waiting")
    kinds = sorted({kind for row in held for kind in row["held_for"]})
    value = _count(max(len(held), tasks), "run waits" if max(len(held), tasks) == 1 else "run", "runs wait")
    return Fact("Held", value, "look", "; ".join(filter(None, [", ".join(kinds), note])), "waiting")


def _certificate(figures: Figures, now: datetime.datetime) -> Fact:
    row, newest = figures.row("certificate_in_use"), figures.row("newest_certificate")
    label, anchor = "Certificate", "certificates"
    if not row:
        failed = newest and newest["verdict"] != "passed"
        return Fact(label, "none", "wrong", "the evaluation failed" if failed else "nothing can be published", anchor)
    if row["signature"] == "no key":
        return Fact(label, "not verified", "look", "the verification key is not set in Airflow", anchor)
    if figures.certificate_problem:
        return Fact(label, "not valid", "wrong", figures.certificate_problem, anchor)
    days = figures.settings.gate.certificate_max_age_days
    note = "the newest evaluation failed, so the former engine stays" if newest["verdict"] != "passed" else ""
    if days is None:
        return Fact(label, "valid", "look" if note else "good", note or "does not expire", anchor)
    end = row["issued_at"] + datetime.timedelta(days=days)
    soon = (end - now).total_seconds() < figures.settings.alarms.certificate_days * 86_400
    left = f"{_count(max(0, (end - now).days), 'day')} left"
    state: State = "look" if soon or note else "good"
    return Fact(label, f"valid until {end:%Y-%m-%d}", state, "; ".join(filter(None, [left, note])), anchor)


def _dictionaries(figures: Figures, now: datetime.datetime) -> Fact:
    compiled, hours = figures.row("engine").get("compiled_at"), figures.settings.dictionaries.max_age_hours
    if compiled is None:
        return Fact("Dictionaries", "no engine promoted", "unknown", anchor="engines")
    age = (now - compiled).total_seconds() / 3_600
    note = f"{_age(age)} ago"
    if hours is not None and age > hours:
        note = f"{note}; runs of notes wait beyond {hours} hours"
    state: State = "look" if hours is not None and age > hours else "good"
    return Fact("Dictionaries", f"refreshed {compiled:%Y-%m-%d}", state, note, "engines")


def _quarantine(figures: Figures) -> Fact:
    row = figures.row("last_run")
    if not row or not row["notes_read"]:
        return Fact("Quarantine", "no run yet", "unknown", anchor="quarantine")
    share, highest = row["quarantined"] / row["notes_read"], figures.settings.gate.max_quarantined_share
    note = f"of the newest run; {highest:.1%} allowed"
    return Fact("Quarantine", f"{share:.2%}", "wrong" if share > highest else "good", note, "quarantine")


def _stale(figures: Figures) -> Fact:
    row, highest = figures.row("stale"), figures.settings.alarms.max_stale_share
    if not row.get("notes"):
        return Fact("Of another engine", "not counted", "unknown", f"ledger__{figures.name} counts nightly", "engines")
    share = row["stale"] / row["notes"]
    state: State = "look" if share > highest else "good"
    note = f"{row['stale']:,} of {row['notes']:,} notes on {row['counted_at']:%Y-%m-%d}"
    return Fact("Of another engine", f"{share:.1%}", state, note, "engines")


def _ledger(figures: Figures, now: datetime.datetime) -> Fact:
    row = figures.row("ledger")
    if row.get("counted_at") is None:
        return Fact("Ledger", "not reconciled", "unknown", f"ledger__{figures.name} compares nightly", "ledger")
    when = f"on {row['counted_at']:%Y-%m-%d}"
    if row["differing"]:
        return Fact("Ledger", _count(row["differing"], "row differs", "rows differ"), "wrong", when, "ledger")
    if row["overdue"]:
        return Fact("Ledger", f"{_count(row['overdue'], 'change')} overdue", "wrong", when, "ledger")
    pending = f"; {_count(row['pending'], 'change')} pending" if row["pending"] else ""
    note = f"{row['in_table']:,} rows {when}{pending}"
    if _is_old(figures.settings, row["counted_at"], now):
        return Fact(
            "Ledger", "not compared since", "look", f"{when}; ledger__{figures.name} compares nightly", "ledger"
        )
    return Fact("Ledger", "agrees", "good", note, "ledger")


def _audit_log(figures: Figures, checked: AuditCheck | None, now: datetime.datetime) -> Fact:
    label = "Audit log"
    if checked is None:
        return Fact(label, "not verified", "unknown", f"ledger__{figures.name} verifies nightly")
    when = f"on {checked.ended_at:%Y-%m-%d}"
    if not checked.is_unchanged:
        return Fact(label, "not verified", "wrong", f"check_audit_log failed {when}; its log in Airflow says why")
    if _is_old(figures.settings, checked.ended_at, now):
        return Fact(label, "not verified since", "look", f"{when}; ledger__{figures.name} verifies nightly")
    return Fact(label, "unchanged", "good", f"hashes and signatures verified {when}")


def _is_old(settings: InstitutionSettings, done_at: datetime.datetime, now: datetime.datetime) -> bool:
    """Whether the nightly reconciliation has missed a whole interval of its schedule since."""
    timetable = CronDataIntervalTimetable(settings.changes.reconcile_schedule, timezone=settings.notes.timezone)
    interval = timetable.infer_manual_data_interval(run_after=pendulum.instance(now))
    return done_at.timestamp() < interval.start.timestamp()


def _requests(figures: Figures, now: datetime.datetime) -> Fact:
    rows = figures.rows("requests")
    if not rows:
        return Fact("Requests", "none", "good", "of retraction or re-identification", "waiting")
    kinds = ", ".join(f"{row['waiting']} of {row['act'].replace('reid', 're-id')}" for row in rows)
    hours = min((row["expires_at"] - now).total_seconds() for row in rows) / 3_600
    waiting = sum(row["waiting"] for row in rows)
    return Fact("Requests", f"{waiting} waiting", "look", f"{kinds}; the first expires in {_age(hours)}", "waiting")


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _age(hours: float) -> str:
    return _count(round(hours), "hour") if hours < 48 else _count(int(hours // 24), "day")
