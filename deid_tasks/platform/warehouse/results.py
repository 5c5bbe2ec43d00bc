"""Outcomes, runs and evaluations, written back to the institution's results schema.

Every writer replaces what an earlier try of the same run or evaluation left, so that a retry changes nothing.
"""

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from itertools import chain
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class NoteOutcome:
    """What became of one note in one run."""

    run_id: str
    note_id: str
    outcome: str
    reason: str
    fingerprint: str
    words: int
    spans: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class AuditRow:
    """Where something of the patient's own record stood in a note's output."""

    run_id: str
    note_id: str
    kind: str
    start_offset: int
    end_offset: int
    is_published: bool = False
    """Whether it stands in what would be published, which stops the run."""


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
    """Why a person must see the run before it is published: JSON, a list of objects of ``kind`` and ``reason``."""


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


def replace_outcomes(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    outcomes: Iterable[NoteOutcome],
    findings: Iterable[AuditRow],
) -> None:
    """One row a note and one a finding, in place of the run's earlier ones."""
    schema = settings.schema_name("results")
    with connection.cursor() as cursor:
        for table, rows in (("note_outcome", outcomes), ("audit_finding", findings)):
            cursor.execute(f"delete from {schema}.{table} where run_id = %s", (run_id,))
            _insert(cursor, f"{schema}.{table}", rows)


def replace_run(connection: Connection, settings: InstitutionSettings, row: RunRow) -> None:
    """The run's totals, in place of its earlier ones."""
    schema = settings.schema_name("results")
    with connection.cursor() as cursor:
        cursor.execute(f"delete from {schema}.run where run_id = %s", (row.run_id,))
        _insert(cursor, f"{schema}.run", [row], "finished_at")


def replace_run_figures(
    connection: Connection, settings: InstitutionSettings, run_id: str, rows: Iterable[Mapping[str, Any]]
) -> None:
    """The run's figures by note type and measure, in place of its earlier ones; a row is the columns but ``run_id``."""
    schema = settings.schema_name("results")
    names = ("note_type", "measure", "words", "value", "baseline", "lowest", "highest", "judgement", "is_held")
    with connection.cursor() as cursor:
        cursor.execute(f"delete from {schema}.run_figure where run_id = %s", (run_id,))
        values = [(run_id, *(row[name] for name in names)) for row in rows]
        execute_values(cursor, f"insert into {schema}.run_figure (run_id, {', '.join(names)}) values %s", values)


def replace_run_counts(
    connection: Connection, settings: InstitutionSettings, run_id: str, rows: Iterable[tuple[str, str, int]]
) -> None:
    """``(measure, entity, value)`` of the run, in place of its earlier ones."""
    schema = settings.schema_name("results")
    with connection.cursor() as cursor:
        cursor.execute(f"delete from {schema}.run_count where run_id = %s", (run_id,))
        values = [(run_id, *row) for row in rows]
        execute_values(cursor, f"insert into {schema}.run_count (run_id, measure, entity, value) values %s", values)


def read_review(connection: Connection, settings: InstitutionSettings, run_id: str) -> list[dict[str, str]] | None:
    """Why a person must see the run before it is published; ``None`` where the gate never saw the run."""
    with connection.cursor() as cursor:
        cursor.execute(f"select review from {settings.schema_name('results')}.run where run_id = %s", (run_id,))
        row = cursor.fetchone()
    return None if row is None else list(json.loads(row[0]))


def replace_evaluation(connection: Connection, settings: InstitutionSettings, rows: list[EvaluationRow]) -> None:
    """Every figure of one evaluation, in place of an earlier one of the same id."""
    schema = settings.schema_name("results")
    with connection.cursor() as cursor:
        ids = sorted({row.evaluation_id for row in rows})
        cursor.execute(f"delete from {schema}.evaluation where evaluation_id = any(%s)", (ids,))
        _insert(cursor, f"{schema}.evaluation", rows, "evaluated_at")


def read_outcomes(connection: Connection, settings: InstitutionSettings, run_id: str) -> Iterator[tuple[str, str, int]]:
    """``(outcome, reason, notes)`` of one run."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select outcome, reason, count(*) from {settings.schema_name('results')}.note_outcome"
            " where run_id = %s group by 1, 2 order by 1, 2",
            (run_id,),
        )
        yield from cursor


def _insert(cursor: Any, table: str, rows: Iterable[Any], moment: str = "") -> None:
    """Rows of one dataclass into the columns that its fields name, and now into the column ``moment``."""
    stream = iter(rows)
    first = next(stream, None)
    if first is None:
        return
    names = [field.name for field in fields(first)] + ([moment] if moment else [])
    now = (_now(),) if moment else ()
    values = (astuple(row) + now for row in chain([first], stream))
    execute_values(cursor, f"insert into {table} ({', '.join(names)}) values %s", values, page_size=1_000)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
