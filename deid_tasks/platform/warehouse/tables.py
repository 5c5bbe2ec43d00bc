"""Rows of the structured staging tables, streamed, and the record of their publication."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import SettingsError
from deid_tasks.engine.obfuscate.tables import TableRules
from deid_tasks.platform.warehouse.exclusions import exclusion_tables
from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.settings import InstitutionSettings

_BATCH_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """The counts of one structured table in one run."""

    table_name: str
    version: str
    key_id: str
    rows_read: int
    published: int
    withheld: int


def hold_tables(connection: Connection, settings: InstitutionSettings) -> None:
    """Wait for other publishers of the institution's tables, then read all tables as of one moment.

    Both the lock and the snapshot end with the connection.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "select pg_advisory_lock(hashtextextended(%s, 0))", (f"palimpsest tables {settings.institution}",)
        )
        # The snapshot must begin after the wait, not before it.
        connection.commit()
        cursor.execute("set transaction isolation level repeatable read, read only")


def check_columns(connection: Connection, settings: InstitutionSettings, rules: TableRules) -> None:
    """Check that the warehouse's columns are exactly those that have a rule.

    Raises:
        SettingsError: A column has no rule, or a column with a rule is missing.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "select column_name from information_schema.columns where table_schema = %s and table_name = %s",
            (settings.schema_name("staging"), rules.model),
        )
        present = {name for (name,) in cursor.fetchall()}
    declared = {rule.column for rule in rules.columns}
    if unknown := sorted(present - declared):
        raise SettingsError(
            f"{rules.model}.{unknown[0]}: no rule says how to publish this column, so {rules.model} is not published;"
            " add the column to dbt/models/staging/models.yml"
        )
    if missing := sorted(declared - present):
        raise SettingsError(
            f"{rules.model}.{missing[0]}: the warehouse has no such column; run `dbt build`, then publish again"
        )


def table_digest(connection: Connection, settings: InstitutionSettings, tables: Sequence[TableRules]) -> list[str]:
    """Return a count and a hash for each table, for the patients and for their dictionary.

    The result stays the same as long as no row changes.
    """
    rows = [_rows(settings, rules) for rules in tables]
    rows.append(compose("select * from {staging}.stg_patient", settings))
    rows.append(compose("select patient_id, kind, term from {dictionaries}.dict_patient", settings))
    digests = []
    with connection.cursor() as cursor:
        for statement in rows:
            cursor.execute(
                sql.SQL(
                    "select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) from ({}) as t"
                ).format(statement)
            )
            digests += [row[0] for row in cursor.fetchall()]
    return digests


def count_older(connection: Connection, settings: InstitutionSettings, years: int, today: datetime.date) -> int:
    """Return the number of patients older than ``years``.

    Their birth dates are not published, so the number tells whether the published table would change with another
    birthday.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select count(*) from {staging}.stg_patient where birth_date <= %s - make_interval(years => %s)",
                settings,
            ),
            (today, years + 1),
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def count_rows(connection: Connection, settings: InstitutionSettings, rules: TableRules) -> int:
    """Return the number of rows of one table."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("select count(*) from ({}) as t").format(_rows(settings, rules)))
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def read_rows(
    connection: Connection, settings: InstitutionSettings, rules: TableRules
) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of one table in batches, the rows of one patient next to each other."""
    columns = [rule.column for rule in rules.columns]
    order = sql.SQL("order by {}").format(sql.Identifier(rules.owner)) if rules.owner else sql.SQL("")
    with connection.cursor(name=f"rows_{rules.name}") as cursor:
        cursor.itersize = _BATCH_ROWS
        cursor.execute(
            sql.SQL("select {columns} from ({rows}) as t {order}").format(
                columns=column_list(columns), rows=_rows(settings, rules), order=order
            )
        )
        while rows := cursor.fetchmany(_BATCH_ROWS):
            yield [dict(zip(columns, row, strict=True)) for row in rows]


def _rows(settings: InstitutionSettings, rules: TableRules) -> sql.Composed:
    """Return a query of the rows that may be published: those of excluded patients may not."""
    if rules.owner is None:
        return compose("select * from {staging}.{table}", settings, table=sql.Identifier(rules.model))
    return compose(
        """
        with {excluded}
        select s.* from {staging}.{table} as s
        where not exists (select 1 from excluded_patient as x where x.patient_id = s.{owner})
        """,
        settings,
        excluded=exclusion_tables(settings),
        table=sql.Identifier(rules.model),
        owner=sql.Identifier(rules.owner),
    )


def record_tables(
    connection: Connection, settings: InstitutionSettings, run_id: str, outcomes: Sequence[TableOutcome]
) -> None:
    """Write one row a table, in place of the rows of an earlier try of the run."""
    with connection.cursor() as cursor:
        cursor.execute(compose("delete from {results}.published_table where run_id = %s", settings), (run_id,))
        for one in outcomes:
            cursor.execute(
                compose(
                    """
                    insert into {results}.published_table
                        (run_id, table_name, version, key_id, rows_read, published, withheld, published_at)
                    values (%s, %s, %s, %s, %s, %s, %s, now())
                    """,
                    settings,
                ),
                (run_id, one.table_name, one.version, one.key_id, one.rows_read, one.published, one.withheld),
            )
