"""Published notes that the source does not hold any more, and how many left the table for that reason."""

import datetime

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.platform.warehouse.work_list import compare_in_memory, present_tables
from deid_tasks.settings import InstitutionSettings


def count_published(connection: Connection, settings: InstitutionSettings) -> int:
    """Return how many notes of the ledger may have a row in the published table."""
    with connection.cursor() as cursor:
        cursor.execute(compose("select count(note_key) from {results}.note_ledger", settings))
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def count_missing(connection: Connection, settings: InstitutionSettings) -> int:
    """Return how many published notes the source lacks or marks as deleted, although nobody excluded them."""
    compare_in_memory(connection)
    statement = sql.SQL("with {present} {select}").format(
        present=present_tables(settings),
        select=compose(
            """
            select count(*) from {results}.note_ledger as l
            where l.note_key is not null
                and not exists (select 1 from present as p where p.note_id = l.note_id)
                and not exists (select 1 from excluded_note as en where en.note_id = l.note_id)
                and not exists (select 1 from excluded_patient as ep where ep.patient_id = l.patient_id)
            """,
            settings,
        ),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def missing_removed_since(connection: Connection, settings: InstitutionSettings, since: datetime.datetime) -> int:
    """Return how many notes have left the table since then because the source did not hold them any more."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select coalesce(sum((document::jsonb -> 'reasons' ->> 'deleted')::bigint), 0)
                from {results}.retraction where removed_at >= %s
                """,
                settings,
            ),
            (since,),
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0
