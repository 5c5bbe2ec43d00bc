"""Outcomes, runs and evaluations, written to the institution's schema ``_results``.

Every writer replaces the rows of an earlier try of the same run or evaluation, so a retry changes nothing.
"""

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import chain
from typing import Any

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.core.policies import EXPERT
from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class NoteOutcome:
    """The outcome of one note in one run."""

    run_id: str
    note_id: str
    outcome: str
    reason: str
    fingerprint: str
    words: int
    spans: int
    milliseconds: float
    error_class: str | None = None
    """Class of the exception that quarantined the note; ``None`` for every other note."""
    error_location: str | None = None
    """Module, function and line that raised it. Neither holds text of the note."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One finding of the audit: offsets in a note's output at which a value of the patient's own record was found."""

    run_id: str
    note_id: str
    kind: str
    start_offset: int
    end_offset: int
    is_published: bool = False
    """Whether the note was ready to be published. Such a finding stops the run."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run's totals."""

    run_id: str
    institution: str
    slice_start: datetime.datetime
    slice_end: datetime.datetime
    fingerprint: str
    certificate_id: str
    notes_read: int
    published: int
    unchanged: int
    quarantined: int
    words: int
    seconds: float
    review: str = "[]"
    """Why a person must review the run before it is published: a JSON list of objects with ``kind`` and ``reason``."""
    kind: str = "notes"


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One figure of one evaluation."""

    evaluation_id: str
    fingerprint: str
    gold_version: str
    sample: str
    variant: str
    view: str
    stratum: str
    metric: str
    entity: str
    value: float
    lower: float
    upper: float
    true_positives: int
    false_positives: int
    false_negatives: int
    policy: str = EXPERT
    """The name of the policy that decided which forms count as identifiers."""


_FIGURE_COLUMNS = (
    "note_type",
    "measure",
    "words",
    "value",
    "baseline",
    "lowest",
    "highest",
    "judgement",
    "is_held",
    "window_days",
)


def delete_outcomes(connection: Connection, settings: InstitutionSettings, run_id: str) -> None:
    """Delete the outcomes and findings of an earlier try of the run."""
    with connection.cursor() as cursor:
        for table in ("note_outcome", "audit_finding"):
            cursor.execute(
                compose("delete from {results}.{table} where run_id = %s", settings, table=sql.Identifier(table)),
                (run_id,),
            )


def add_outcomes(
    connection: Connection,
    settings: InstitutionSettings,
    outcomes: Iterable[NoteOutcome],
    findings: Iterable[AuditRow],
) -> None:
    """Write one row a note and one a finding."""
    with connection.cursor() as cursor:
        _insert_rows(cursor, settings, "note_outcome", outcomes)
        _insert_rows(cursor, settings, "audit_finding", findings)


def replace_run(connection: Connection, settings: InstitutionSettings, row: RunRow) -> None:
    """Write the run's totals, in place of its earlier ones."""
    with connection.cursor() as cursor:
        cursor.execute(compose("delete from {results}.run where run_id = %s", settings), (row.run_id,))
        _insert_rows(cursor, settings, "run", [row], written_at="finished_at")


def record_removal_run(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    kind: str,
    days: Sequence[datetime.date],
    removed: int,
) -> None:
    """Write the totals of a run that removed notes of these days and read none, in place of its earlier ones."""
    midnight = datetime.time()
    row = RunRow(
        run_id,
        settings.institution,
        datetime.datetime.combine(min(days), midnight),
        datetime.datetime.combine(max(days), midnight) + datetime.timedelta(days=1),
        fingerprint="",
        certificate_id="",
        notes_read=0,
        published=0,
        unchanged=0,
        quarantined=0,
        words=0,
        seconds=0.0,
        kind=kind,
    )
    replace_run(connection, settings, row)
    record_removed(connection, settings, run_id, removed)


def record_removed(connection: Connection, settings: InstitutionSettings, run_id: str, removed: int) -> None:
    """Record how many notes the run removed from the published table."""
    with connection.cursor() as cursor:
        cursor.execute(compose("update {results}.run set removed = %s where run_id = %s", settings), (removed, run_id))


def replace_run_figures(
    connection: Connection, settings: InstitutionSettings, run_id: str, rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write the run's figures by note type and measure, in place of its earlier ones.

    Args:
        connection: A connection to the warehouse.
        settings: The institution's settings.
        run_id: The run.
        rows: The columns of ``run_figure`` except ``run_id``.
    """
    with connection.cursor() as cursor:
        cursor.execute(compose("delete from {results}.run_figure where run_id = %s", settings), (run_id,))
        values = [(run_id, *(row[name] for name in _FIGURE_COLUMNS)) for row in rows]
        statement = compose(
            "insert into {results}.run_figure ({columns}) values %s",
            settings,
            columns=column_list(("run_id", *_FIGURE_COLUMNS)),
        )
        execute_values(cursor, statement, values)


def earlier_figures(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    first: datetime.datetime,
    until: datetime.datetime,
) -> list[tuple[str, int, dict[str, float | None]]]:
    """Return note type, words and value by measure of the newest run of each earlier slice.

    Args:
        connection: A connection to the warehouse.
        settings: The institution's settings.
        run_id: A run that does not count.
        first: Begin of the first slice.
        until: End of the last one.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                with newest as (
                    select distinct on (slice_start) run_id from {results}.run
                    where kind = 'notes' and run_id <> %(run)s and slice_start >= %(first)s and slice_end <= %(until)s
                    order by slice_start, finished_at desc
                )
                select note_type, max(words)::bigint, jsonb_object_agg(measure, value)
                from {results}.run_figure inner join newest using (run_id)
                where window_days = 1
                group by run_id, note_type
                """,
                settings,
            ),
            {"run": run_id, "first": first, "until": until},
        )
        return [(note_type, int(words), dict(values)) for note_type, words, values in cursor]


def replace_run_counts(
    connection: Connection, settings: InstitutionSettings, run_id: str, rows: Iterable[tuple[str, str, int]]
) -> None:
    """Write ``(measure, entity, value)`` rows of the run, in place of its earlier ones."""
    with connection.cursor() as cursor:
        cursor.execute(compose("delete from {results}.run_count where run_id = %s", settings), (run_id,))
        values = [(run_id, *row) for row in rows]
        statement = compose("insert into {results}.run_count (run_id, measure, entity, value) values %s", settings)
        execute_values(cursor, statement, values)


def read_review(connection: Connection, settings: InstitutionSettings, run_id: str) -> list[dict[str, str]] | None:
    """Return why a person must review the run before it is published; ``None`` without a check of the gate."""
    with connection.cursor() as cursor:
        cursor.execute(compose("select review from {results}.run where run_id = %s", settings), (run_id,))
        row = cursor.fetchone()
    return None if row is None else list(json.loads(row[0]))


def replace_evaluation(connection: Connection, settings: InstitutionSettings, rows: list[EvaluationRow]) -> None:
    """Write every figure of one evaluation, in place of an earlier evaluation of the same id."""
    with connection.cursor() as cursor:
        ids = sorted({row.evaluation_id for row in rows})
        cursor.execute(compose("delete from {results}.evaluation where evaluation_id = any(%s)", settings), (ids,))
        _insert_rows(cursor, settings, "evaluation", rows, written_at="evaluated_at")


def _insert_rows(
    cursor: Any, settings: InstitutionSettings, table: str, rows: Iterable[Any], *, written_at: str = ""
) -> None:
    """Insert dataclass rows into the columns that their fields name, and the present time into ``written_at``."""
    stream = iter(rows)
    first = next(stream, None)
    if first is None:
        return
    names = [field.name for field in fields(first)] + ([written_at] if written_at else [])
    now = (datetime.datetime.now(datetime.UTC),) if written_at else ()
    statement = compose(
        "insert into {results}.{table} ({columns}) values %s",
        settings,
        table=sql.Identifier(table),
        columns=column_list(names),
    )
    values = (astuple(row) + now for row in chain([first], stream))
    execute_values(cursor, statement, values, page_size=1_000)
