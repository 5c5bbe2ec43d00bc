"""Exclusions of the warehouse as the platform has recorded them, and those of them that the warehouse lacks now.

A table of exclusions that is being loaded again looks like one whose exclusions ended. So an exclusion that was
recorded stays in force, for every query that reads ``exclusion_tables``, until its own end comes or ``end_missing`` is
called.
"""

import datetime
from dataclasses import dataclass

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.exclusions import warehouse_exclusions
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class EndedExclusions:
    """Exclusions that are in force although the warehouse lacks them, and those that ended lately; by patient and note.

    A patient counts once, under all ids that were merged.
    """

    missing: int
    ended: int
    """Others that ended within the window without a person's approval, also where they are in force again."""
    is_empty: bool
    """Whether ``stg_exclusion`` has no row at all."""
    noticed_at: datetime.datetime
    """A moment at which all of the missing ones had been noticed, and none that goes missing later."""


_END_IN_TIME = """
update {results}.warehouse_exclusion set is_ended = true
where not is_ended and valid_to <= now() at time zone {zone}
"""
_DELETE_ENDED = """
delete from {results}.warehouse_exclusion
where is_ended and coalesce(ended_at, '-infinity') < now() - %(window)s
"""
# Few rows change from run to run, and an institution may exclude millions of patients. An earlier end counts only once
# it has been named for the window: a load that closes the rows which it did not find may name one of today.
_RECORD = """
with {in_force},

named as (
    select kind, id, reason, valid_to from in_force
    union all
    -- Where a merge is lost, notes stand under the former id again.
    select f.kind, m.former_id, f.reason, f.valid_to
    from in_force as f
    inner join {staging}.stg_patient_merge as m on f.kind = 'patient' and f.id = m.surviving_id
)

insert into {results}.warehouse_exclusion as k (kind, id, reason, valid_to, named_end, named_since)
select n.kind, n.id, n.reason, n.valid_to, n.valid_to, now()
from named as n
left join {results}.warehouse_exclusion as k on n.kind = k.kind and n.id = k.id
where
    k.id is null or k.is_ended
    or (k.reason, k.valid_to, k.named_end) is distinct from (n.reason, n.valid_to, n.valid_to)
on conflict (kind, id) do update set
    reason = excluded.reason,
    valid_to = case
        when
            k.is_ended
            or coalesce(excluded.valid_to, 'infinity') >= coalesce(k.valid_to, 'infinity')
            or k.named_end = excluded.valid_to and k.named_since <= now() - %(window)s
            then excluded.valid_to
        else k.valid_to
    end,
    named_end = excluded.valid_to,
    named_since = case when k.named_end is distinct from excluded.valid_to then now() else k.named_since end,
    missing_since = null,
    is_ended = false
"""
# The clock, and not the start of the transaction: one that has waited for another must not date before it.
_MARK_MISSING = """
with {in_force}
update {results}.warehouse_exclusion as k
set missing_since = case when c.is_missing then clock_timestamp() end
from (
    select k.kind, k.id, f.id is null as is_missing
    from {results}.warehouse_exclusion as k
    -- Patients may have been merged since.
    left join {staging}.stg_patient_merge as m on k.kind = 'patient' and k.id = m.former_id
    left join in_force as f on k.kind = f.kind and coalesce(m.surviving_id, k.id) = f.id
    where not k.is_ended
) as c
where k.kind = c.kind and k.id = c.id and (k.missing_since is not null) <> c.is_missing
"""


def record_exclusions(connection: Connection, settings: InstitutionSettings, window: datetime.timedelta) -> None:
    """Record what the warehouse excludes now, and since when it lacks what it excluded before.

    Args:
        connection: A connection to the warehouse; others that record exclusions wait until its transaction ends.
        settings: The institution.
        window: How long exclusions that ended without a person are remembered, and how long the warehouse must name an
            earlier end before it counts.
    """
    values = {"window": window}
    with connection.cursor() as cursor:
        cursor.execute(compose("lock table {results}.warehouse_exclusion in share row exclusive mode", settings))
        in_force, zone = warehouse_exclusions(settings), sql.Literal(settings.notes.timezone)
        for statement in (_END_IN_TIME, _DELETE_ENDED, _RECORD, _MARK_MISSING):
            cursor.execute(compose(statement, settings, in_force=in_force, zone=zone), values)


def count_ended(connection: Connection, settings: InstitutionSettings, window: datetime.timedelta) -> EndedExclusions:
    """Return how many of the recorded exclusions the warehouse lacks, and how many ended lately."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select
                    count(*) filter (where is_missing),
                    count(*) filter (where has_ended and not is_missing),
                    not exists (select 1 from {staging}.stg_exclusion),
                    clock_timestamp()
                from (
                    select
                        bool_or(k.missing_since is not null and not k.is_ended) as is_missing,
                        bool_or(coalesce(k.ended_at >= now() - %(window)s, false)) as has_ended
                    from {results}.warehouse_exclusion as k
                    left join {staging}.stg_patient_merge as m on k.kind = 'patient' and k.id = m.former_id
                    where k.missing_since is not null or k.ended_at is not null
                    group by k.kind, coalesce(m.surviving_id, k.id)
                ) as n
                """,
                settings,
            ),
            {"window": window},
        )
        row = cursor.fetchone()
    assert row is not None
    return EndedExclusions(*row)


def count_readmitted(connection: Connection, settings: InstitutionSettings) -> int:
    """Return how many notes of the ledger may come back once the missing exclusions end."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                with missing as (
                    select k.kind, coalesce(m.surviving_id, k.id) as id
                    from {results}.warehouse_exclusion as k
                    left join {staging}.stg_patient_merge as m on k.kind = 'patient' and k.id = m.former_id
                    where k.missing_since is not null and not k.is_ended
                )
                select count(*) from (
                    select l.note_id from missing as k
                    inner join {results}.note_ledger as l on k.kind = 'patient' and k.id = l.patient_id
                    where l.outcome = 'excluded'
                    union
                    select l.note_id from missing as k
                    inner join {results}.note_ledger as l on k.kind = 'note' and k.id = l.note_id
                    where l.outcome = 'excluded'
                    union
                    -- Notes whose patient was merged when they were excluded, and is not any more.
                    select l.note_id from {results}.note_ledger as l
                    inner join {staging}.stg_note_state as n on l.note_id = n.note_id
                    inner join missing as k on k.kind = 'patient' and n.patient_id = k.id
                    where l.outcome = 'excluded' and l.patient_id is distinct from n.patient_id
                ) as n
                """,
                settings,
            )
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def end_missing(connection: Connection, settings: InstitutionSettings) -> None:
    """End every exclusion that the warehouse lacks, and record when, since nobody was asked."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "update {results}.warehouse_exclusion set is_ended = true, ended_at = now()"
                " where missing_since is not null and not is_ended",
                settings,
            )
        )


def end_missing_as_approved(
    connection: Connection, settings: InstitutionSettings, noticed_by: datetime.datetime
) -> None:
    """End the exclusions that the warehouse has lacked since this moment at the latest: no later one was shown."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose("delete from {results}.warehouse_exclusion where missing_since <= %s and not is_ended", settings),
            (noticed_by,),
        )
