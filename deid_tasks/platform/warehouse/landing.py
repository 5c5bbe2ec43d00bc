"""The raw tables that landing writes, in one transaction a delivery, and the record of what was landed."""

import io
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import psycopg2
import pyarrow as pa
from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812
from pyarrow import csv as arrow_csv

from deid_tasks.core.errors import InputError
from deid_tasks.platform.landing.checks import CheckedRows, ColumnLimits
from deid_tasks.platform.landing.deliveries import DeliveredFile
from deid_tasks.platform.landing.rows import BadRow
from deid_tasks.platform.warehouse.copied_rows import insert_by_copy
from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.settings import ColumnType, InstitutionSettings, LandedTableSettings

_POSTGRES: Mapping[ColumnType, str] = {
    "text": "text",
    "integer": "integer",
    "bigint": "bigint",
    "numeric": "numeric",
    "double": "double precision",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "timestamptz": "timestamptz",
}
_ACCEPTED: Mapping[ColumnType, frozenset[str]] = {
    "text": frozenset({"text", "character varying", "character"}),
    "integer": frozenset({"integer", "bigint", "numeric"}),
    "bigint": frozenset({"bigint", "numeric"}),
    "numeric": frozenset({"numeric"}),
    "double": frozenset({"double precision"}),
    "boolean": frozenset({"boolean"}),
    "date": frozenset({"date", "timestamp without time zone"}),
    "timestamp": frozenset({"timestamp without time zone"}),
    "timestamptz": frozenset({"timestamp with time zone"}),
}
"""Types of an existing table's column that hold every value of the contract's type."""

_QUARANTINE = """
create table if not exists {ehr}.landing_quarantine (
    delivery text not null,
    file text not null,
    line bigint not null,
    table_name text not null,
    column_name text not null,
    reason text not null,
    -- The row, PHI: this table is as restricted as the raw tables beside it.
    content text not null,
    quarantined_at timestamptz not null default now()
)
"""


class LandedFile(NamedTuple):
    """A file that was loaded."""

    delivery: str
    path: str
    sha256: str
    table: str


class LandedRows(NamedTuple):
    """What a delivery did to one table."""

    inserted: int
    updated: int
    deleted: int


def hold_landing(connection: Connection, settings: InstitutionSettings) -> None:
    """Wait for another landing of the institution; the lock ends with the transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"palimpsest landing {settings.institution}",)
        )


def read_landed(connection: Connection, settings: InstitutionSettings) -> set[LandedFile]:
    """Return the files that were landed."""
    with connection.cursor() as cursor:
        cursor.execute(compose("select delivery, file, sha256, table_name from {results}.landed_file", settings))
        return {LandedFile(*row) for row in cursor.fetchall()}


def record_landed(
    connection: Connection, settings: InstitutionSettings, files: Iterable[tuple[DeliveredFile, int]]
) -> None:
    """Write one row for each file with the number of its quarantined rows."""
    with connection.cursor() as cursor:
        for file, quarantined in files:
            cursor.execute(
                compose(
                    """
                    insert into {results}.landed_file (delivery, file, sha256, table_name, row_count, quarantined)
                    values (%s, %s, %s, %s, %s, %s) on conflict do nothing
                    """,
                    settings,
                ),
                (file.delivery, file.path, file.sha256, file.table.table, file.rows, quarantined),
            )


def record_quarantine(
    connection: Connection, settings: InstitutionSettings, delivery: str, rows: Iterable[tuple[DeliveredFile, BadRow]]
) -> None:
    """Write the bad rows of a delivery, in place of those of an earlier try."""
    values = [
        (delivery, file.path, bad.line, file.table.table, bad.column, bad.reason, bad.content) for file, bad in rows
    ]
    with connection.cursor() as cursor:
        _create_schema(cursor, settings)
        cursor.execute(compose(_QUARANTINE, settings))
        cursor.execute(compose("delete from {ehr}.landing_quarantine where delivery = %s", settings), (delivery,))
        insert_by_copy(
            cursor,
            compose("{ehr}.landing_quarantine", settings),
            ("delivery", "file", "line", "table_name", "column_name", "reason", "content"),
            values,
        )


def prune_quarantine(connection: Connection, settings: InstitutionSettings, days: float) -> int:
    """Delete the bad rows that are older than ``days``; return their number."""
    with connection.cursor() as cursor:
        cursor.execute("select to_regclass(%s) is null", (f"{settings.schema_name('ehr')}.landing_quarantine",))
        if cursor.fetchone() == (True,):
            return 0
        cursor.execute(
            compose(
                "delete from {ehr}.landing_quarantine where quarantined_at < now() - %s * interval '1 day'", settings
            ),
            (days,),
        )
        return int(cursor.rowcount)


def prepare_table(connection: Connection, settings: InstitutionSettings, table: LandedTableSettings) -> ColumnLimits:
    """Make a raw table where it is missing; return what it asks of its columns.

    Raises:
        InputError: the table lacks a column of the contract, or has it in another type.
    """
    with connection.cursor() as cursor:
        _create_schema(cursor, settings)
        cursor.execute(
            """
            select column_name, data_type, character_maximum_length, is_nullable = 'NO' and column_default is null
            from information_schema.columns where table_schema = %s and table_name = %s
            """,
            (settings.schema_name("ehr"), table.table),
        )
        present = {name: (kind, longest, is_needed) for name, kind, longest, is_needed in cursor.fetchall()}
        if not present:
            _create(connection, settings, table)
            return ColumnLimits({}, table.not_null)
    for name, kind in table.columns.items():
        if name not in present:
            raise InputError(f"table {table.table} has no column {name}, which its contract names; add it to the table")
        if present[name][0] not in _ACCEPTED[kind]:
            raise InputError(
                f"table {table.table}: column {name} is {present[name][0]}, and the contract says {kind}; change one"
            )
    needed = {name for name, (_, _, is_needed) in present.items() if is_needed}
    if unfilled := sorted(needed - set(table.columns) - {table.loaded_at}):
        raise InputError(f"table {table.table}: column {unfilled[0]} may not be empty, and no file holds it")
    longest_of = {name: longest for name, (_, longest, _) in present.items() if longest and name in table.columns}
    return ColumnLimits(longest_of, table.not_null | (needed & set(table.columns)))


def _create_schema(cursor: Any, settings: InstitutionSettings) -> None:
    """Create the raw schema where it is missing; a role that may make none is given one by `deid roles`."""
    cursor.execute("select to_regnamespace(%s) is null", (settings.schema_name("ehr"),))
    if cursor.fetchone() == (True,):
        cursor.execute(compose("create schema if not exists {ehr}", settings))


def _create(connection: Connection, settings: InstitutionSettings, table: LandedTableSettings) -> None:
    columns = [
        sql.SQL("{} {}{}").format(
            sql.Identifier(name),
            sql.SQL(_POSTGRES[kind]),
            sql.SQL(" not null" if name in table.not_null else ""),
        )
        for name, kind in table.columns.items()
    ]
    if table.loaded_at:
        columns.append(sql.SQL("{} timestamp").format(sql.Identifier(table.loaded_at)))
    if table.key:
        columns.append(sql.SQL("primary key ({})").format(column_list(table.key)))
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "create table {ehr}.{table} ({columns})",
                settings,
                table=sql.Identifier(table.table),
                columns=sql.SQL(", ").join(columns),
            )
        )


class StagedTable:
    """The rows of one table's files in a temporary table, which ends with the transaction."""

    def __init__(self, connection: Connection, settings: InstitutionSettings, table: LandedTableSettings) -> None:
        self._connection, self._settings, self._table = connection, settings, table
        self._name = sql.Identifier(f"landing_{table.table}"[:63])
        self._columns = tuple(table.columns)
        columns = [
            sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(_POSTGRES[kind]))
            for name, kind in table.columns.items()
        ]
        with connection.cursor() as cursor:
            cursor.execute(
                sql.SQL("create temporary table {} (landing_file int, landing_line bigint, {}) on commit drop").format(
                    self._name, sql.SQL(", ").join(columns)
                )
            )

    def copy(self, file_number: int, file: DeliveredFile, rows: CheckedRows) -> None:
        """Append rows of a file.

        Raises:
            InputError: PostgreSQL refuses a row for a reason that the checks do not know; the text has no value.
        """
        if rows.batch.num_rows == 0:
            return
        numbers = pa.repeat(pa.scalar(file_number, pa.int32()), rows.batch.num_rows)
        batch = pa.RecordBatch.from_arrays(
            [numbers, rows.lines, *rows.batch.columns], names=["landing_file", "landing_line", *self._columns]
        )
        content = io.BytesIO()
        # An empty text is quoted, and NULL is not, as PostgreSQL reads it. A line begins with a number, so that no
        # text is taken for COPY's end mark.
        arrow_csv.write_csv(batch, content, arrow_csv.WriteOptions(include_header=False))
        content.seek(0)
        try:
            with self._connection.cursor() as cursor:
                cursor.copy_expert(sql.SQL("copy {} from stdin (format csv)").format(self._name), content)
        except psycopg2.DataError as error:
            first, last = rows.lines[0].as_py(), rows.lines[-1].as_py()
            raise InputError(
                f"{file.path}: PostgreSQL refused a row between lines {first} and {last}"
                f" ({type(error).__name__}, SQLSTATE {error.pgcode})"
            ) from None

    def remove_doubled(self) -> list[tuple[int, BadRow]]:
        """Remove rows whose key an earlier row has, or, where rows are appended, a row of the raw table.

        Returns:
            The number of the file and the removed row, for each.
        """
        if not self._table.key:
            return []
        with self._connection.cursor() as cursor:
            cursor.execute(sql.SQL("analyze {}").format(self._name))
            cursor.execute(
                sql.SQL(
                    """
                    with doubled as (select {key} from {staged} group by {key} having count(*) > 1),
                    numbered as (
                        select s.ctid as place, row_number() over (
                            partition by {key} order by landing_file, landing_line
                        ) as number
                        from {staged} as s inner join doubled using ({key})
                    )
                    delete from {staged} as s using numbered as n where s.ctid = n.place and n.number > 1
                    returning s.landing_file, s.landing_line, left(row_to_json(s)::text, 10000)
                    """
                ).format(key=column_list(self._table.key), staged=self._name)
            )
            removed = cursor.fetchall()
            if self._table.mode == "append":
                cursor.execute(
                    self._compose(
                        """
                        delete from {staged} as s using {ehr}.{table} as t where {same_key}
                        returning s.landing_file, s.landing_line, left(row_to_json(s)::text, 10000)
                        """
                    )
                )
                removed += cursor.fetchall()
        key = self._table.key[0]
        return [(number, BadRow(line, key, "duplicate_key", content)) for number, line, content in removed]

    def apply(self) -> LandedRows:
        """Bring the raw table to what its mode says; only rows that differ are written. Readers do not wait."""
        with self._connection.cursor() as cursor:
            # Writers wait, so that no key is written twice where the table has no unique index.
            cursor.execute(self._compose("lock table {ehr}.{table} in share row exclusive mode"))
            deleted, updated = 0, 0
            if self._table.mode == "replace":
                cursor.execute(
                    self._compose(
                        "delete from {ehr}.{table} as t where not exists (select 1 from {staged} as s where {same_key})"
                        if self._table.key
                        else "delete from {ehr}.{table}"
                    )
                )
                deleted = cursor.rowcount
            if self._table.key and self._table.mode != "append" and self._values:
                cursor.execute(
                    self._compose(
                        """
                        update {ehr}.{table} as t set {assignments} from {staged} as s
                        where {same_key} and ({old}) is distinct from ({new})
                        """
                    )
                )
                updated = cursor.rowcount
            cursor.execute(
                self._compose(
                    """
                    insert into {ehr}.{table} ({columns}{stamped}) select {columns}{stamp} from {staged} as s
                    where not exists (select 1 from {ehr}.{table} as t where {same_key})
                    """
                    if self._table.key
                    else "insert into {ehr}.{table} ({columns}{stamped}) select {columns}{stamp} from {staged} as s"
                )
            )
            inserted = cursor.rowcount
            if inserted or updated or deleted:
                cursor.execute(self._compose("analyze {ehr}.{table}"))
        return LandedRows(inserted, updated, deleted)

    def rows_before(self) -> int:
        """Return the number of rows of the raw table."""
        with self._connection.cursor() as cursor:
            cursor.execute(self._compose("select count(*) from {ehr}.{table}"))
            row = cursor.fetchone()
        return int(row[0]) if row else 0

    @property
    def _values(self) -> list[str]:
        """The columns beside the key."""
        return [name for name in self._columns if name not in self._table.key]

    def _compose(self, statement: str) -> sql.Composed:
        stamp = self._table.loaded_at
        assignments = [sql.SQL("{0} = s.{0}").format(sql.Identifier(name)) for name in self._values]
        if stamp:
            assignments.append(sql.SQL("{} = now() at time zone 'UTC'").format(sql.Identifier(stamp)))
        same_key = [sql.SQL("t.{0} = s.{0}").format(sql.Identifier(name)) for name in self._table.key]
        return compose(
            statement,
            self._settings,
            table=sql.Identifier(self._table.table),
            staged=self._name,
            columns=column_list(self._columns),
            assignments=sql.SQL(", ").join(assignments),
            same_key=sql.SQL(" and ").join(same_key),
            old=_row("t", self._values),
            new=_row("s", self._values),
            stamped=sql.SQL(", {}").format(sql.Identifier(stamp)) if stamp else sql.SQL(""),
            stamp=sql.SQL(", now() at time zone 'UTC'" if stamp else ""),
        )


def _row(alias: str, columns: list[str]) -> sql.Composed:
    names = [sql.SQL("{}.{}").format(sql.Identifier(alias), sql.Identifier(name)) for name in columns]
    return sql.SQL("row({})").format(sql.SQL(", ").join(names))
