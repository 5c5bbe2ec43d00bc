"""Shards: the notes of a run's work list in parts of about equally many characters.

Notes are divided in the order of their days and patients: a shard reads few days, and looks up few patients.
"""

import datetime
from collections.abc import Collection
from dataclasses import dataclass

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.platform.days import consecutive_days
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.platform.warehouse.work_list import compare_in_memory
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``count`` parts of a run's notes, counted from 0."""

    index: int
    count: int


_MEASURED = """
insert into note_size (note_id, note_day, owner, octets)
select n.note_id, w.note_day, md5(coalesce(n.patient_id, n.note_id)), coalesce(octet_length(n.note_text), 0) + 1
from {staging}.stg_note as n
inner join planned_note as w
    on n.note_id = w.note_id and w.note_day = n.note_datetime::date
    and w.note_day >= %(first)s and w.note_day < %(end)s and not w.is_removal
where n.note_datetime >= %(first)s and n.note_datetime < %(end)s and not n.is_deleted
"""
# A note is in the shard in which its middle character is. The length in octets is known without reading a text.
_SAVED = """
insert into {results}.run_note (run_id, note_id, note_day, cause, is_removal, shard)
select %(run_id)s, w.note_id, w.note_day, w.cause, w.is_removal, s.shard
from planned_note as w
left join (
    select
        note_id,
        floor(
            (sum(octets) over (order by note_day, owner, note_id) - octets / 2.0) * %(shards)s / sum(octets) over ()
        )::integer as shard
    from note_size
) as s on w.note_id = s.note_id
"""


def save_work_list(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    days: Collection[datetime.date] = (),
    shards: int = 0,
) -> None:
    """Write the list that this transaction has gathered in place of the run's former list, each note with its shard.

    The shards differ by the length of their longest notes at most. A note that is removed, or that has left the source
    or its day, gets no shard.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        run_id: The run.
        days: The days that the run publishes as a whole.
        shards: Number of shards.
    """
    compare_in_memory(connection)
    with connection.cursor() as cursor:
        for table in ("run_note", "run_day"):
            cursor.execute(
                compose("delete from {results}.{table} where run_id = %s", settings, table=sql.Identifier(table)),
                (run_id,),
            )
        execute_values(
            cursor,
            compose("insert into {results}.run_day (run_id, note_day) values %s", settings),
            [(run_id, day) for day in sorted(days)],
        )
        cursor.execute("drop table if exists note_size")
        cursor.execute(
            "create temporary table note_size (note_id text, note_day date, owner text, octets bigint) on commit drop"
        )
        # Nobody else analyzes a temporary table; taken for small, it would be joined row by row.
        cursor.execute("analyze planned_note")
        if shards:
            cursor.execute("select distinct note_day from planned_note where not is_removal order by 1")
            for first, end in consecutive_days([day for (day,) in cursor.fetchall()]):
                cursor.execute(compose(_MEASURED, settings), {"first": first, "end": end})
        cursor.execute("analyze note_size")
        cursor.execute(compose(_SAVED, settings), {"run_id": run_id, "shards": shards})
        if cursor.rowcount:
            # Later steps join the list in other transactions.
            cursor.execute(compose("analyze {results}.run_note", settings))
