"""Rows of the audit log in the warehouse. Rows are added; the database refuses to change or delete them."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Literal

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.identity import IdentitySource
from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.settings import InstitutionSettings

AuditRole = Literal["prepared", "approved", "rejected", "refused", "performed"]
_BATCH_ROWS = 2_000
_SEARCHED = frozenset({"subject", "role", "actor"})
"""Columns that a search may name beside the keys of the details."""


@dataclass(frozen=True, slots=True)
class AuditLogRow:
    """One row of the audit log, as it was hashed and signed."""

    seq: int
    occurred_at: datetime.datetime
    event: str
    role: AuditRole
    actor: str
    actor_source: IdentitySource
    actor_origin: str
    database_user: str
    subject: str
    details: str
    """Canonical JSON: counts, versions and hashes."""
    previous_hash: str
    row_hash: str
    key_id: str
    """The fingerprint of the audit key; empty where the row is not signed."""
    signature: str


_COLUMNS = tuple(field.name for field in fields(AuditLogRow))


def lock_audit_log(connection: Connection, settings: InstitutionSettings) -> None:
    """Wait for other writers of the institution's log; the lock ends with the transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"palimpsest audit log {settings.institution}",)
        )


def last_audit_row(connection: Connection, settings: InstitutionSettings) -> AuditLogRow | None:
    """Return the newest row; ``None`` for a log without rows."""
    return _first(audit_rows_of(connection, settings, newest=1))


def newest_audit_row(
    connection: Connection, settings: InstitutionSettings, event: str, **wanted: str
) -> AuditLogRow | None:
    """Return the newest row of one event whose details have these values; ``None`` without one.

    ``subject`` and ``role`` name the columns of these names.
    """
    return _first(audit_rows_of(connection, settings, event, wanted, newest=1))


def audit_rows_of(
    connection: Connection,
    settings: InstitutionSettings,
    event: str = "",
    wanted: Mapping[str, str] | None = None,
    *,
    newest: int | None = None,
    since: datetime.datetime | None = None,
) -> list[AuditLogRow]:
    """Return rows, the newest first.

    Args:
        connection: To the warehouse.
        settings: The institution.
        event: Their event; all events if empty.
        wanted: Values of ``subject``, ``role`` and ``actor``, and of the details by their key.
        newest: Maximum number of rows.
        since: Only rows from this time on.
    """
    clauses: list[sql.Composable] = []
    values: list[object] = []
    if event:
        clauses.append(sql.SQL("event = %s"))
        values.append(event)
    for name, value in (wanted or {}).items():
        if name in _SEARCHED:
            clauses.append(sql.SQL("{} = %s").format(sql.Identifier(name)))
        else:
            clauses.append(sql.SQL("details::jsonb ->> {} = %s").format(sql.Literal(name)))
        values.append(value)
    if since is not None:
        clauses.append(sql.SQL("occurred_at >= %s"))
        values.append(since)
    condition = sql.SQL(" and ").join(clauses) if clauses else sql.SQL("true")
    return _select(connection, settings, condition, values, newest)


def has_signed_rows(connection: Connection, settings: InstitutionSettings, before: int) -> bool:
    """Whether a row before this number is signed."""
    condition = sql.SQL("seq < %s and signature <> ''")
    return bool(_select(connection, settings, condition, [before], newest=1))


def read_audit_rows(connection: Connection, settings: InstitutionSettings, first: int = 1) -> Iterator[AuditLogRow]:
    """Yield the rows from number ``first`` on, in the order of their numbers; they are streamed."""
    with connection.cursor(name="audit_log") as cursor:
        cursor.itersize = _BATCH_ROWS
        cursor.execute(
            compose(
                "select {columns} from {results}.audit_log where seq >= %s order by seq",
                settings,
                columns=column_list(_COLUMNS),
            ),
            (first,),
        )
        for row in cursor:
            yield AuditLogRow(*row)


def audit_row_hashes(connection: Connection, settings: InstitutionSettings) -> dict[int, str]:
    """Return the hash of each row by its number."""
    with connection.cursor() as cursor:
        cursor.execute(compose("select seq, row_hash from {results}.audit_log", settings))
        return dict(cursor.fetchall())


def insert_audit_row(connection: Connection, settings: InstitutionSettings, row: AuditLogRow) -> None:
    """Add a row."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "insert into {results}.audit_log ({columns})"
                " values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                settings,
                columns=column_list(_COLUMNS),
            ),
            astuple(row),
        )


def database_user(connection: Connection) -> str:
    """Return the role that the session logged in with."""
    with connection.cursor() as cursor:
        cursor.execute("select session_user")
        row = cursor.fetchone()
    return str(row[0]) if row else ""


def _select(
    connection: Connection,
    settings: InstitutionSettings,
    condition: sql.Composable,
    values: Sequence[object],
    newest: int | None,
) -> list[AuditLogRow]:
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select {columns} from {results}.audit_log where {condition} order by seq desc limit {newest}",
                settings,
                columns=column_list(_COLUMNS),
                condition=condition,
                newest=sql.Literal(newest),
            ),
            values,
        )
        return [AuditLogRow(*row) for row in cursor.fetchall()]


def _first(rows: list[AuditLogRow]) -> AuditLogRow | None:
    return rows[0] if rows else None
