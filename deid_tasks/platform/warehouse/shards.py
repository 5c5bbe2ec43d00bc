"""Shards: the notes of a run's work list in parts of about equally many characters.

Notes are divided in the order of their days and patients: a shard reads few days, and looks up few patients.
"""

from dataclasses import dataclass

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.days import consecutive_days
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.platform.warehouse.work_list import compare_in_memory, work_days
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
inner join {results}.run_note as w
    on n.note_id = w.note_id and w.note_day = n.note_datetime::date
    and w.run_id = %(run_id)s and w.note_day >= %(first)s and w.note_day < %(end)s and not w.is_removal
where n.note_datetime >= %(first)s and n.note_datetime < %(end)s and not n.is_deleted
"""
# A note is in the shard in which its middle character is. The length in octets is known without reading a text.
_ASSIGNED = """
update {results}.run_note as w set shard = s.shard
from (
    select
        note_id,
        floor(
            (sum(octets) over (order by note_day, owner, note_id) - octets / 2.0) * %(count)s / sum(octets) over ()
        )::integer as shard
    from note_size
) as s
where w.run_id = %(run_id)s and w.note_id = s.note_id
"""


def assign_shards(connection: Connection, settings: InstitutionSettings, run_id: str, count: int) -> None:
    """Say which shard processes each note of the run's work list.

    The shards differ by the length of their longest notes at most. A note that has left the source, or its day, gets no
    shard.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        run_id: The run.
        count: Number of shards.
    """
    compare_in_memory(connection)
    with connection.cursor() as cursor:
        # Taken for as small as before this run, the list would be joined row by row.
        cursor.execute(compose("analyze {results}.run_note", settings))
        cursor.execute("drop table if exists note_size")
        cursor.execute(
            "create temporary table note_size (note_id text, note_day date, owner text, octets bigint) on commit drop"
        )
        for first, end in consecutive_days(work_days(connection, settings, run_id)):
            cursor.execute(compose(_MEASURED, settings), {"run_id": run_id, "first": first, "end": end})
        cursor.execute("analyze note_size")
        cursor.execute(compose(_ASSIGNED, settings), {"run_id": run_id, "count": count})
