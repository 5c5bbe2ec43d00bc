"""Notes by run: what leaves ``run_note``, ``note_outcome`` and ``audit_finding`` once no run needs it any more.

A run reads its own rows alone, until it has published. Afterwards they say what became of a note when, for people.
"""

import datetime
from collections.abc import Collection

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.ledger_counts import RECONCILIATION
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings

# Notes that were published again meanwhile, or wait for it, keep their rows.
_GONE = """
create temporary table gone_note on commit drop as
select note_id from unnest(%(note_ids)s::text[]) as n (note_id)
where not exists (
    select 1 from {results}.note_ledger as l where l.note_id = n.note_id and l.outcome <> 'excluded'
)
"""
_EXCLUDED = """
create temporary table gone_note on commit drop as
select note_id from {results}.note_ledger where outcome = 'excluded'
"""
# A run that has not published counts its list once more; a retraction whose bytes are still there finds its notes here.
_CANDIDATES = """
create temporary table closed_run on commit drop as
select run_id from (
    select run_id from {results}.run_note where note_id in (select note_id from gone_note)
    union
    select run_id from {results}.note_outcome where note_id in (select note_id from gone_note)
    union
    select run_id from {results}.audit_finding where note_id in (select note_id from gone_note)
) as r
where not exists (select 1 from {results}.run_note as w where w.run_id = r.run_id and w.result is null)
    and not exists (select 1 from {results}.retraction as x where x.run_id = r.run_id and x.purged_at is null)
"""
_DELETE = """
delete from {results}.{table} as t
where t.note_id in (select note_id from gone_note) and t.run_id in (select run_id from closed_run)
"""
_OLD_LISTS = """
create temporary table old_run on commit drop as
select run_id from {results}.run_note as w
where run_id <> %(reconciliation)s
    and not exists (select 1 from {results}.retraction as x where x.run_id = w.run_id and x.purged_at is null)
group by run_id having max(listed_at) < %(before)s
"""
_OLD_OUTCOMES = """
delete from {results}.note_outcome as o
where run_id in (select run_id from old_run)
    or run_id in (
        select run_id from {results}.run as r where r.finished_at < %(before)s
            and not exists (select 1 from {results}.run_note as w where w.run_id = r.run_id)
    )
"""


def delete_runs_of_notes(
    connection: Connection, settings: InstitutionSettings, note_ids: Collection[str] | None = None
) -> int:
    """Delete what ended runs recorded of notes that are excluded or have left the ledger; return the number of rows.

    Rows stay of a run that has not published, and of a run whose retraction is open.

    Args:
        connection: A connection to the warehouse that holds the lock on publication.
        settings: The institution.
        note_ids: The notes; all that the ledger has as excluded if not given, which may be millions.
    """
    if note_ids is not None and not note_ids:
        return 0
    deleted = 0
    with connection.cursor() as cursor:
        cursor.execute("drop table if exists gone_note, closed_run")
        if note_ids is None:
            cursor.execute(compose(_EXCLUDED, settings))
        else:
            cursor.execute(compose(_GONE, settings), {"note_ids": sorted(note_ids)})
        # Nobody else analyzes a temporary table: for few notes the tables of all runs are asked by note.
        cursor.execute("analyze gone_note")
        cursor.execute(compose(_CANDIDATES, settings))
        for table in ("run_note", "note_outcome", "audit_finding"):
            cursor.execute(compose(_DELETE, settings, table=sql.Identifier(table)))
            deleted += cursor.rowcount
    return deleted


def delete_old_runs(connection: Connection, settings: InstitutionSettings, before: datetime.datetime) -> int:
    """Delete the lists and outcomes of runs that were listed before a moment; return the number of rows.

    The list of the last reconciliation stays, since it says since when each note waits, and so does that of a run whose
    retraction is open. Totals, counts and figures of a run stay.
    """
    deleted = 0
    with connection.cursor() as cursor:
        cursor.execute("drop table if exists old_run")
        cursor.execute(compose(_OLD_LISTS, settings), {"before": before, "reconciliation": RECONCILIATION})
        for table in ("run_note", "run_day"):
            cursor.execute(
                compose(
                    "delete from {results}.{table} where run_id in (select run_id from old_run)",
                    settings,
                    table=sql.Identifier(table),
                )
            )
            deleted += cursor.rowcount
        cursor.execute(compose(_OLD_OUTCOMES, settings), {"before": before})
        deleted += cursor.rowcount
    return deleted
