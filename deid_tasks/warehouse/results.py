"""Outcomes, evaluations and certificates, written back to the institution's results schema.

Every writer replaces what an earlier try of the same run or evaluation left, so that a retry changes nothing.
"""

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass

from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.settings.model import InstitutionSettings


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


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One figure of one evaluation."""

    evaluation_id: str
    fingerprint: str
    gold_version: str
    sample: str
    variant: str
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
            execute_values(cursor, f"insert into {schema}.{table} values %s", map(astuple, rows), page_size=1_000)


def replace_run(connection: Connection, settings: InstitutionSettings, row: RunRow) -> None:
    """The run's totals, in place of its earlier ones."""
    schema = settings.schema_name("results")
    with connection.cursor() as cursor:
        cursor.execute(f"delete from {schema}.run where run_id = %s", (row.run_id,))
        execute_values(cursor, f"insert into {schema}.run values %s", [(*astuple(row), _now())])


def replace_evaluation(connection: Connection, settings: InstitutionSettings, rows: list[EvaluationRow]) -> None:
    """Every figure of one evaluation, in place of an earlier one of the same id."""
    schema = settings.schema_name("results")
    with connection.cursor() as cursor:
        ids = sorted({row.evaluation_id for row in rows})
        cursor.execute(f"delete from {schema}.evaluation where evaluation_id = any(%s)", (ids,))
        values = [(*astuple(row), _now()) for row in rows]
        execute_values(cursor, f"insert into {schema}.evaluation values %s", values)


def write_certificate(
    connection: Connection,
    settings: InstitutionSettings,
    certificate_id: str,
    fingerprint: str,
    gold_version: str,
    verdict: str,
    document: str,
) -> None:
    """Keep a certificate with its verdict (``passed`` or ``failed``); the same one again replaces itself."""
    schema = settings.schema_name("results")
    with connection.cursor() as cursor:
        cursor.execute(f"delete from {schema}.certificate where certificate_id = %s", (certificate_id,))
        cursor.execute(
            f"insert into {schema}.certificate values (%s, %s, %s, %s, %s, %s)",
            (certificate_id, fingerprint, gold_version, verdict, document, _now()),
        )


def newest_certificate(
    connection: Connection, settings: InstitutionSettings, fingerprint: str
) -> tuple[str, bool] | None:
    """``(certificate id, passed)`` of the newest certificate of exactly this fingerprint."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select certificate_id, verdict = 'passed' from {settings.schema_name('results')}.certificate"
            " where fingerprint = %s order by issued_at desc limit 1",
            (fingerprint,),
        )
        row = cursor.fetchone()
    return (row[0], row[1]) if row else None


def read_outcomes(connection: Connection, settings: InstitutionSettings, run_id: str) -> Iterator[tuple[str, str, int]]:
    """``(outcome, reason, notes)`` of one run."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select outcome, reason, count(*) from {settings.schema_name('results')}.note_outcome"
            " where run_id = %s group by 1, 2 order by 1, 2",
            (run_id,),
        )
        yield from cursor


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
