"""The work list of a run: which notes it processes, which it removes, and why.

A note's present state in the staging views is compared with the ledger, which says what was published from which
version. Only columns are compared, never a watermark: a row that the EHR commits late is found like any other.

A list is gathered in the temporary table ``planned_note``, which ends with the transaction, and
``shards.save_work_list`` writes it once, when the number of shards is known.
"""

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Literal

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.platform.warehouse.exclusions import exclusion_tables
from deid_tasks.platform.warehouse.needed_records import digest_as_read
from deid_tasks.platform.warehouse.patient_records import refresh_records
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings, NotesRequest


class Cause(StrEnum):
    """Why a note is on a run's work list."""

    DAY = "day"
    """The run publishes the note's whole day."""
    DELETED = "deleted"
    """The source does not hold the note any more, and nobody excluded it."""
    EXCLUDED = "excluded"
    """The note or its patient is excluded."""
    READMITTED = "readmitted"
    """An exclusion ended."""
    MERGED = "merged"
    """The note belongs to another patient now: patients were merged, or the note was filed wrongly."""
    REDATED = "redated"
    """The note's time was changed."""
    AMENDED = "amended"
    """The note was written again since it was read."""
    RECORD = "record"
    """The record of the note's patient has changed."""
    INTERRUPTED = "interrupted"
    """A publication of the note was begun and not ended."""
    LATE = "late"
    """The note came after its day was published."""
    STALE = "stale"
    """Another engine is in use, which may read the note differently."""
    REQUESTED = "requested"
    """A person asked that the note be read again."""


REMOVALS = frozenset({Cause.DELETED, Cause.EXCLUDED})

Part = int | Literal["all", "unassigned"]
"""A part of a run's notes: those of the shard with this index, all notes, or those that no shard reads."""

_NO_CONDITION = sql.SQL("")
_PRESENT = """
present as (
    select
        n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.modified_at,
        coalesce(en.reason, ep.reason) as exclusion
    from {notes} as n
    left join excluded_note as en on n.note_id = en.note_id
    left join excluded_patient as ep on n.patient_id = ep.patient_id
    where not n.is_deleted {where}
)
"""

# A note that is missing and was excluded, or whose patient was, is removed as any excluded note is.
_IS_EXCLUDED = """
coalesce(
    p.exclusion is not null
    or p.note_id is null and (
        l.note_id in (select note_id from excluded_note) or l.patient_id in (select patient_id from excluded_patient)
    ),
    false
)
"""

_CAUSE = """
case
    when {is_excluded} then 'excluded'
    when p.note_id is null then 'deleted'
    when l.note_id is null then 'late'
    -- Excluded by a patient whom the source does not name any more: nothing says that the exclusion ended.
    when l.exclusion is not null and p.patient_id is null and l.patient_id is not null then null
    when l.exclusion is not null then 'readmitted'
    when p.patient_id is distinct from l.patient_id then 'merged'
    when p.note_datetime is distinct from l.note_datetime then 'redated'
    when (p.modified_at, p.note_type, p.author_id) is distinct from (l.modified_at, l.note_type, l.author_id)
        then 'amended'
    when l.outcome = 'publishing' then 'interrupted'
    when {digest} is distinct from l.record_digest then 'record'
end
"""


def present_tables(settings: InstitutionSettings, where: sql.Composable | None = None) -> sql.Composed:
    """Return the tables ``present`` and those that it reads, of a WITH clause: the notes that the source holds now.

    Args:
        settings: The institution.
        where: A further condition on ``stg_note as n``, beginning with ``and``; without one, all notes.
    """
    # A layout may look up each note's versions in stg_note, which is fast for a day and slow for all notes.
    notes = compose("{staging}.stg_note_state" if where is None else "{staging}.stg_note", settings)
    present = compose(_PRESENT, settings, notes=notes, where=_NO_CONDITION if where is None else where)
    return sql.SQL("{}, {}").format(exclusion_tables(settings), present)


def open_day_table(settings: InstitutionSettings) -> sql.Composed:
    """Return the table ``open_day`` of a WITH clause: the days that a run has published."""
    return compose(
        """
        open_day as (
            select distinct note_day from {results}.published_slice
            where published_at is not null and replaced_at is null and note_day is not null
        )
        """,
        settings,
    )


def compare_in_memory(connection: Connection) -> None:
    """Let the statements of this transaction hash a million notes in memory, instead of sorting them on disk.

    They take about 150 MB a million notes; what is beyond the bound goes to disk. Compiling them takes longer than it
    saves.
    """
    with connection.cursor() as cursor:
        cursor.execute("set local work_mem = '256MB'; set local jit = off")


def in_part(part: Part) -> sql.Composable:
    """Return the condition of a part of a run's notes on ``run_note as w``, beginning with ``and``."""
    if part == "all":
        return _NO_CONDITION
    if part == "unassigned":
        return sql.SQL("and w.shard is null")
    return sql.SQL("and w.shard = {}").format(sql.Literal(part))


def begin_work_list(connection: Connection) -> None:
    """Begin an empty list of planned notes, in place of one that this transaction has gathered before."""
    with connection.cursor() as cursor:
        cursor.execute("drop table if exists planned_note")
        cursor.execute(
            "create temporary table planned_note"
            " (note_id text, note_day date, cause text, is_removal boolean) on commit drop"
        )


def _gather(connection: Connection, select: sql.Composed, values: Mapping[str, object]) -> None:
    """Begin a list with the rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute("drop table if exists planned_note")
        # PostgreSQL creates a table with several processes, and inserts into one with a single process.
        cursor.execute(sql.SQL("create temporary table planned_note on commit drop as {}").format(select), dict(values))


def plan_days(
    connection: Connection, settings: InstitutionSettings, days: Sequence[datetime.date], request: NotesRequest
) -> Counter[str]:
    """Begin a list of the notes of consecutive days that the request takes, and of every published note that left them.

    The source is read once, however many days they are.

    Returns:
        The counts by cause.
    """
    if not days:
        begin_work_list(connection)
        return Counter()
    select = sql.SQL("with {present} {select}").format(
        present=present_tables(settings, sql.SQL("and n.note_datetime >= %(first)s and n.note_datetime < %(end)s")),
        select=compose(
            """
            select
                coalesce(p.note_id, l.note_id) as note_id,
                coalesce(p.note_datetime::date, l.note_day) as note_day,
                case
                    when {is_excluded} then 'excluded'
                    when p.note_id is null then 'deleted'
                    else 'day'
                end as cause,
                p.note_id is null or p.exclusion is not null as is_removal
            from present as p
            full join (
                select * from {results}.note_ledger where note_day >= %(first)s and note_day < %(end)s
            ) as l on p.note_id = l.note_id
            where
                -- What left the source or was excluded leaves the table with every run.
                p.note_id is null or p.exclusion is not null
                or (%(note_types)s = '{{}}' or p.note_type = any(%(note_types)s))
                and (not %(only_quarantined)s or l.outcome = 'quarantined')
            """,
            settings,
            is_excluded=sql.SQL(_IS_EXCLUDED),
        ),
    )
    compare_in_memory(connection)
    _gather(
        connection,
        select,
        {
            "first": days[0],
            "end": days[-1] + datetime.timedelta(days=1),
            "note_types": list(request.note_types),
            "only_quarantined": request.only == "quarantined",
        },
    )
    return count_causes(connection)


def plan_changes(
    connection: Connection,
    settings: InstitutionSettings,
    seed: int,
    max_notes: int,
    *,
    only_removals: bool = False,
    with_missing: bool = True,
) -> Counter[str]:
    """Begin a list of the notes of published days whose source differs from the ledger; return the counts by cause.

    Notes of days that no run has published yet are left to the run of their day, also where a killed run has begun to
    publish them: only what must leave the table leaves it.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        seed: Seed of the records' digests.
        max_notes: Maximum notes of the list; exclusions come first, other removals next, then the oldest days.
        only_removals: Whether only notes that must leave the published table are listed.
        with_missing: Whether notes are listed that the source does not hold any more and nobody excluded.
    """
    select = sql.SQL("with {present}, {open} {select}").format(
        present=present_tables(settings),
        open=open_day_table(settings),
        select=compose(
            """
            select note_id, note_day, cause, is_removal
            from (
                select
                    note_id,
                    cause,
                    -- A note that moved to a day without a publication leaves, and comes back with its day.
                    cause in ('deleted', 'excluded') or not is_open as is_removal,
                    case when is_open and cause <> 'excluded' then present_day
                        else coalesce(ledger_day, present_day) end as note_day
                from (
                    select
                        coalesce(p.note_id, l.note_id) as note_id,
                        p.note_datetime::date as present_day,
                        l.note_day as ledger_day,
                        coalesce(o.note_day is not null, false) as is_open,
                        {cause} as cause
                    from present as p
                    full join {results}.note_ledger as l on p.note_id = l.note_id
                    left join {results}.patient_record as r on p.patient_id = r.patient_id
                    left join open_day as o on p.note_datetime::date = o.note_day
                    where
                        (l.note_id is not null or o.note_day is not null)
                        -- Excluded already, and nothing that the ledger says of the note has changed.
                        and not (
                            p.exclusion is not null and l.exclusion is not null
                            and (p.exclusion, p.patient_id, p.note_type, p.note_datetime, p.author_id, p.modified_at)
                                is not distinct from
                                (l.exclusion, l.patient_id, l.note_type, l.note_datetime, l.author_id, l.modified_at)
                        )
                ) as compared
                where is_open or present_day is distinct from ledger_day or cause = 'excluded'
            ) as changed
            where
                cause is not null
                and (is_removal or not %(only_removals)s) and (cause <> 'deleted' or %(with_missing)s)
            order by is_removal desc, cause = 'deleted', note_day, note_id
            limit %(max_notes)s
            """,
            settings,
            cause=sql.SQL(_CAUSE).format(is_excluded=sql.SQL(_IS_EXCLUDED), digest=digest_as_read(settings)),
        ),
    )
    compare_in_memory(connection)
    refresh_records(connection, settings, seed)
    values = {"max_notes": max_notes, "only_removals": only_removals, "with_missing": with_missing}
    _gather(connection, select, values)
    return count_causes(connection)


def add_notes(connection: Connection, cause: Cause, notes: Iterable[tuple[str, datetime.date]]) -> None:
    """Add notes, as pairs of id and day, to the list that was begun where it does not have them."""
    with connection.cursor() as cursor:
        cursor.execute("create unique index if not exists planned_note_by_id on planned_note (note_id)")
        execute_values(
            cursor,
            "insert into planned_note (note_id, note_day, cause, is_removal) values %s on conflict do nothing",
            [(note_id, day, str(cause), cause in REMOVALS) for note_id, day in notes],
        )


def count_causes(connection: Connection) -> Counter[str]:
    """Return the number of planned notes by cause."""
    with connection.cursor() as cursor:
        cursor.execute("select cause, count(*) from planned_note group by 1")
        return Counter(dict(cursor.fetchall()))


def count_work(connection: Connection) -> int:
    """Return the number of planned notes that are to be processed."""
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from planned_note where not is_removal")
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def whole_days(connection: Connection, settings: InstitutionSettings, run_id: str) -> list[datetime.date]:
    """Return the days that the run publishes as a whole, in order."""
    return _days(connection, compose("select note_day from {results}.run_day where run_id = %s", settings), run_id)


def work_days(
    connection: Connection, settings: InstitutionSettings, run_id: str, part: Part = "all"
) -> list[datetime.date]:
    """Return the days of the notes on the run's work list, or on a part of it, in order."""
    statement = compose(
        "select distinct w.note_day from {results}.run_note as w where w.run_id = %s {in_part}",
        settings,
        in_part=in_part(part),
    )
    return _days(connection, statement, run_id)


def _days(connection: Connection, statement: sql.Composed, run_id: str) -> list[datetime.date]:
    with connection.cursor() as cursor:
        cursor.execute(statement, (run_id,))
        return sorted(day for (day,) in cursor.fetchall())
