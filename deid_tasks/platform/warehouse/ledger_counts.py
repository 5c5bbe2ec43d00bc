"""Source, ledger and published table, counted by day and note type."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.platform.warehouse.work_list import compare_in_memory, open_day_table, present_tables
from deid_tasks.settings import InstitutionSettings

RECONCILIATION = "reconciliation"
"""Id of the list of notes whose source differs from the ledger. It is no run, and each reconciliation replaces it."""

_COLUMNS = """
note_day, note_type, source, published, quarantined, excluded, in_table, pending, overdue
"""


@dataclass(frozen=True, slots=True)
class LedgerCount:
    """Notes of one day and note type."""

    note_day: datetime.date
    note_type: str
    source: int
    """In the warehouse, deleted ones not counted."""
    published: int
    quarantined: int
    excluded: int
    in_table: int
    """Rows of the published table."""
    pending: int
    """Notes whose source differs from the ledger."""
    overdue: int
    """Pending notes that a reconciliation found more than ``changes.max_delay_hours`` ago, and every one since."""

    @property
    def is_reconciled(self) -> bool:
        """Whether the table holds what the ledger says, and no change is overdue."""
        return self.published == self.in_table and not self.overdue


def replace_counts(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    in_table: Mapping[tuple[str, str], int],
) -> None:
    """Count every published day anew.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        run_id: A run whose work list holds the notes whose source differs from the ledger.
        in_table: Rows of the published table by slice and note type.
    """
    compare_in_memory(connection)
    with connection.cursor() as cursor:
        cursor.execute(
            "create temporary table table_count (slice_key text, note_type text, rows bigint) on commit drop"
        )
        execute_values(
            cursor,
            "insert into table_count values %s",
            [(slice_key, note_type, rows) for (slice_key, note_type), rows in in_table.items()],
        )
        cursor.execute(compose("delete from {results}.ledger_count", settings))
        cursor.execute(
            compose(
                """
                with {present}, {open},
                source as (
                    select p.note_datetime::date as note_day, coalesce(p.note_type, '') as note_type, count(*) as notes
                    from present as p
                    inner join open_day as o on p.note_datetime::date = o.note_day
                    group by 1, 2
                ),
                known as (
                    select
                        note_day, coalesce(note_type, '') as note_type,
                        count(*) filter (where outcome in ('published', 'unchanged', 'publishing')) as published,
                        count(*) filter (where outcome = 'quarantined') as quarantined,
                        count(*) filter (where outcome = 'excluded') as excluded
                    from {results}.note_ledger group by 1, 2
                ),
                shown as (
                    select coalesce(s.note_day, date 'epoch') as note_day, t.note_type, sum(t.rows) as rows
                    from table_count as t
                    left join {results}.published_slice as s on t.slice_key = s.slice_key
                    group by 1, 2
                ),
                waiting as (
                    select
                        w.note_day, coalesce(l.note_type, p.note_type, '') as note_type, count(*) as notes,
                        count(*) filter (where w.listed_at < now() - {delay}) as overdue
                    from {results}.run_note as w
                    left join {results}.note_ledger as l on w.note_id = l.note_id
                    left join present as p on w.note_id = p.note_id
                    where w.run_id = %(run_id)s group by 1, 2
                )
                insert into {results}.ledger_count ({columns})
                select
                    note_day, note_type,
                    coalesce(s.notes, 0), coalesce(k.published, 0), coalesce(k.quarantined, 0),
                    coalesce(k.excluded, 0), coalesce(t.rows, 0), coalesce(w.notes, 0), coalesce(w.overdue, 0)
                from source as s
                full join known as k using (note_day, note_type)
                full join shown as t using (note_day, note_type)
                full join waiting as w using (note_day, note_type)
                """,
                settings,
                present=present_tables(settings),
                open=open_day_table(settings),
                delay=sql.Literal(datetime.timedelta(hours=settings.changes.max_delay_hours)),
                columns=sql.SQL(_COLUMNS),
            ),
            {"run_id": run_id},
        )


def replace_engine_counts(connection: Connection, settings: InstitutionSettings) -> None:
    """Count the notes of the ledger anew by the engine that their rows are valid for."""
    with connection.cursor() as cursor:
        cursor.execute(compose("delete from {results}.engine_note_count", settings))
        cursor.execute(
            compose(
                """
                insert into {results}.engine_note_count (fingerprint, notes)
                select fingerprint, count(*) from {results}.note_ledger
                where outcome in ('published', 'unchanged', 'quarantined') group by 1
                """,
                settings,
            )
        )


def read_counts(connection: Connection, settings: InstitutionSettings) -> list[LedgerCount]:
    """Return the counts of the last reconciliation, in order of day and note type."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select {columns} from {results}.ledger_count order by note_day, note_type",
                settings,
                columns=sql.SQL(_COLUMNS),
            )
        )
        return [LedgerCount(*row) for row in cursor.fetchall()]


def set_list_aside(connection: Connection, settings: InstitutionSettings, run_id: str) -> None:
    """Keep the work list of the former reconciliation beside the new one."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose("update {results}.run_note set run_id = %s where run_id = %s", settings),
            (_former(run_id), run_id),
        )


def date_waiting_notes(connection: Connection, settings: InstitutionSettings, run_id: str) -> None:
    """Date each note of the list as on the list that was set aside, which is deleted.

    A note that a run has published meanwhile has changed again since, and waits from now on. A change has no time of
    its own: a merge, an exclusion and a deletion leave the note's modification time as it is.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                update {results}.run_note as w set listed_at = f.listed_at
                from {results}.run_note as f
                left join {results}.note_ledger as l on f.note_id = l.note_id
                where w.run_id = %s and f.run_id = %s and w.note_id = f.note_id
                    and coalesce(l.updated_at, '-infinity') <= f.listed_at
                """,
                settings,
            ),
            (run_id, _former(run_id)),
        )
        cursor.execute(compose("delete from {results}.run_note where run_id = %s", settings), (_former(run_id),))


def _former(run_id: str) -> str:
    return f"{run_id}/former"
