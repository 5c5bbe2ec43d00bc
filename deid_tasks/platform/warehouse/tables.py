"""Rows of the structured staging tables, streamed, and what became of them."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import SettingsError
from deid_tasks.engine.obfuscate.tables import TableRules
from deid_tasks.settings import InstitutionSettings

_BATCH_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """What came of one structured table in one run."""

    table_name: str
    version: str
    key_id: str
    rows_read: int
    published: int
    withheld: int


def hold_tables(connection: Connection, settings: InstitutionSettings) -> None:
    """Wait until nobody else publishes the institution's tables, and see them all as they are at one moment from then on.

    Both end with the connection.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "select pg_advisory_lock(hashtextextended(%s, 0))", (f"palimpsest tables {settings.institution}",)
        )
        # What is seen is what was there after the wait, not before it.
        connection.commit()
        cursor.execute("set transaction isolation level repeatable read, read only")


def check_columns(connection: Connection, settings: InstitutionSettings, rules: TableRules) -> None:
    """Raise ``SettingsError`` unless the warehouse's columns are exactly those that have a rule."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select column_name from information_schema.columns where table_schema = %s and table_name = %s",
            (settings.schema_name("staging"), rules.model),
        )
        real = {name for (name,) in cursor.fetchall()}
    declared = {rule.column for rule in rules.columns}
    if unknown := sorted(real - declared):
        raise SettingsError(
            f"{rules.model}.{unknown[0]}: no rule says what becomes of it, so {rules.model} is not published"
        )
    if missing := sorted(declared - real):
        raise SettingsError(f"{rules.model}.{missing[0]}: the warehouse has no such column; has `dbt build` run?")


def table_digest(connection: Connection, settings: InstitutionSettings, tables: Sequence[TableRules]) -> list[str]:
    """Counts and hashes of the tables' rows, and of what the engine knows of patients: the same as long as nothing changed."""
    staging, dictionaries = settings.schema_name("staging"), settings.schema_name("dictionaries")
    names = [f"{staging}.{rules.model}" for rules in tables]
    found = []
    with connection.cursor() as cursor:
        for name in (*names, f"{staging}.stg_patient", f"{dictionaries}.dict_patient"):
            cursor.execute(
                f"select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) from {name} as t"
            )
            found += [row[0] for row in cursor.fetchall()]
    return found


def count_older(connection: Connection, settings: InstitutionSettings, years: int, today: datetime.date) -> int:
    """Patients older than ``years``: their birth dates are not published, and their number says when another one turns old."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select count(*) from {settings.schema_name('staging')}.stg_patient"
            " where birth_date <= %s - make_interval(years => %s)",
            (today, years + 1),
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def count_rows(connection: Connection, settings: InstitutionSettings, rules: TableRules) -> int:
    """Rows of one table."""
    with connection.cursor() as cursor:
        cursor.execute(f"select count(*) from {settings.schema_name('staging')}.{rules.model}")
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def read_rows(
    connection: Connection, settings: InstitutionSettings, rules: TableRules
) -> Iterator[list[dict[str, Any]]]:
    """The rows of one table in batches, those of one patient next to each other."""
    columns = [rule.column for rule in rules.columns]
    order = f" order by {rules.owner}" if rules.owner else ""
    with connection.cursor(name=f"rows_{rules.name}") as cursor:
        cursor.itersize = _BATCH_ROWS
        cursor.execute(f"select {', '.join(columns)} from {settings.schema_name('staging')}.{rules.model}{order}")
        while rows := cursor.fetchmany(_BATCH_ROWS):
            yield [dict(zip(columns, row, strict=True)) for row in rows]


def record_tables(
    connection: Connection, settings: InstitutionSettings, run_id: str, outcomes: Sequence[TableOutcome]
) -> None:
    """One row a table, in place of those of an earlier try of the run."""
    table = f"{settings.schema_name('results')}.published_table"
    with connection.cursor() as cursor:
        cursor.execute(f"delete from {table} where run_id = %s", (run_id,))
        for one in outcomes:
            cursor.execute(
                f"insert into {table} (run_id, table_name, version, key_id, rows_read, published, withheld, published_at)"
                " values (%s, %s, %s, %s, %s, %s, %s, now())",
                (run_id, one.table_name, one.version, one.key_id, one.rows_read, one.published, one.withheld),
            )
