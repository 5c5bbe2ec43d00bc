"""Rows of other tables that the audit log names by a hash: what it says happened must still stand there, unchanged."""

import datetime
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.evidence.gate.certificate import canonical
from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.settings import InstitutionSettings

AuditedTable = Literal[
    "approval", "certificate", "retraction", "reidentification", "approval_request", "exclusion", "exclusion_end",
    "gold_set",
]  # fmt: skip
AUDITED_COLUMNS: dict[AuditedTable, tuple[str, ...]] = {
    "approval": (
        "kind", "run_id", "fingerprint", "certificate_id", "reason", "decision", "decided_by", "decided_at",
    ),
    "certificate": ("certificate_id", "fingerprint", "verdict", "issued_at", "document", "signature"),
    "retraction": ("retraction_id", "notes", "removed_at", "document", "signature", "run_id"),
    "reidentification": ("reidentification_id", "asked_at", "asked_by", "database_user", "reason", "note_keys"),
    "approval_request": (
        "request_id", "act", "requested_at", "requested_by", "reason", "note_keys", "patient_ids", "note_ids",
        "expires_at",
    ),
    "exclusion": (
        "exclusion_id", "patient_id", "note_id", "reason", "valid_from", "valid_to", "requested_by", "requested_at",
        "salt",
    ),
    "exclusion_end": ("end_id", "exclusion_id", "reason", "requested_by", "requested_at", "salt"),
    # Its version is the hash of its notes, spans and decisions.
    "gold_set": ("gold_version", "sample_version", "design", "preannotated_by", "notes", "kappa", "frozen_at"),
}  # fmt: skip
"""The columns that never change after a row was written; their names and order are a part of the hash."""
_TIMES: dict[AuditedTable, str] = {
    "approval": "decided_at",
    "certificate": "issued_at",
    "retraction": "removed_at",
    "reidentification": "asked_at",
    "approval_request": "requested_at",
    "exclusion": "requested_at",
    "exclusion_end": "requested_at",
    "gold_set": "frozen_at",
}
_GOLD: frozenset[AuditedTable] = frozenset({"gold_set"})
"""Tables of the schema ``_gold``; the others are in ``_results``."""


def utc_text(moment: datetime.datetime) -> str:
    """Return a moment as it is hashed: ISO 8601 in UTC, with microseconds."""
    return moment.astimezone(datetime.UTC).isoformat(timespec="microseconds")


def insert_record(
    connection: Connection, settings: InstitutionSettings, table: AuditedTable, values: Mapping[str, Any]
) -> str:
    """Add a row, and return its hash; the database may add further columns. A row of the same key is an error."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "insert into {table} ({columns}) values ({values}) returning {hashed}",
                settings,
                table=_qualified(settings, table),
                columns=column_list(list(values)),
                values=sql.SQL(", ").join(sql.Placeholder() * len(values)),
                hashed=column_list(AUDITED_COLUMNS[table]),
            ),
            list(values.values()),
        )
        row = cursor.fetchone()
    assert row is not None
    return record_hash(table, row)


def record_hash(table: AuditedTable, row: Sequence[Any]) -> str:
    """Return the hash of a row, given as the values of its ``AUDITED_COLUMNS``."""
    values = [_moment_text(value) if isinstance(value, datetime.datetime) else value for value in row]
    content = {"table": table, **dict(zip(AUDITED_COLUMNS[table], values, strict=True))}
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def read_audited_records(
    connection: Connection, settings: InstitutionSettings, table: AuditedTable
) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each row of a table with its hash, the oldest first."""
    columns = AUDITED_COLUMNS[table]
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select {columns} from {table} order by {time}",
                settings,
                columns=column_list(columns),
                table=_qualified(settings, table),
                time=column_list([_TIMES[table]]),
            )
        )
        for row in cursor.fetchall():
            yield dict(zip(columns, row, strict=True)), record_hash(table, row)


def _qualified(settings: InstitutionSettings, table: AuditedTable) -> sql.Identifier:
    return sql.Identifier(settings.schema_name("gold" if table in _GOLD else "results"), table)


def _moment_text(moment: datetime.datetime) -> str:
    """Return a moment as it is hashed; one without a zone as it is, because its reader's zone must not count."""
    return utc_text(moment) if moment.tzinfo else moment.isoformat(timespec="microseconds")
