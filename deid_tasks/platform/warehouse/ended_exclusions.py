"""Exclusions of the warehouse as the platform has seen them, and those of them that the warehouse lacks now.

A table of exclusions that is being loaded again looks like one whose exclusions ended. So an exclusion that was seen
holds on, for every query that reads ``exclusion_tables``, until its own end comes or ``let_end`` is called.
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
    """Exclusions that hold although the warehouse lacks them, and those that were let end lately."""

    missing: int
    ended: int
    """Those that ended within the window without a person's approval."""
    is_empty: bool
    """Whether ``stg_exclusion`` has no row at all."""
    noticed_at: datetime.datetime
    """A moment at which all of the missing ones had been noticed, and none that goes missing later."""


_FORGET = """
delete from {results}.warehouse_exclusion
where ended_at < now() - %(window)s or valid_to <= now() at time zone {zone}
"""
# Few rows change from run to run, and an institution may exclude millions of patients.
_SEE = """
with {held}
insert into {results}.warehouse_exclusion (kind, id, reason, valid_to)
select h.kind, h.id, h.reason, h.valid_to
from held as h
left join {results}.warehouse_exclusion as k on h.kind = k.kind and h.id = k.id
where k.id is null or k.ended_at is not null or (k.reason, k.valid_to) is distinct from (h.reason, h.valid_to)
on conflict (kind, id) do update set
    reason = excluded.reason, valid_to = excluded.valid_to, missing_since = null, ended_at = null
"""
# The clock, and not the start of the transaction: one that has waited for another must not date before it.
_MISS = """
with {held}
update {results}.warehouse_exclusion as k
set missing_since = case when c.is_missing then clock_timestamp() end
from (
    select k.kind, k.id, h.id is null as is_missing
    from {results}.warehouse_exclusion as k
    -- Patients may have been merged since.
    left join {staging}.stg_patient_merge as m on k.kind = 'patient' and k.id = m.former_id
    left join held as h on k.kind = h.kind and coalesce(m.surviving_id, k.id) = h.id
    where k.ended_at is null
) as c
where k.kind = c.kind and k.id = c.id and (k.missing_since is not null) <> c.is_missing
"""


def see_exclusions(connection: Connection, settings: InstitutionSettings, window: datetime.timedelta) -> None:
    """Record what the warehouse excludes now, and since when it lacks what it excluded before.

    Args:
        connection: A connection to the warehouse; others that see exclusions wait until its transaction ends.
        settings: The institution.
        window: How long exclusions that were let end are remembered.
    """
    values = {"window": window}
    with connection.cursor() as cursor:
        cursor.execute(compose("lock table {results}.warehouse_exclusion in share row exclusive mode", settings))
        held = warehouse_exclusions(settings)
        for statement in (_FORGET, _SEE, _MISS):
            cursor.execute(compose(statement, settings, held=held, zone=sql.Literal(settings.notes.timezone)), values)


def count_ended(connection: Connection, settings: InstitutionSettings, window: datetime.timedelta) -> EndedExclusions:
    """Return how many exclusions the warehouse lacks, of those that were seen."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select
                    count(*) filter (where missing_since is not null and ended_at is null),
                    count(*) filter (where ended_at >= now() - %(window)s),
                    not exists (select 1 from {staging}.stg_exclusion),
                    clock_timestamp()
                from {results}.warehouse_exclusion
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
                    where k.missing_since is not null and k.ended_at is null
                )
                select count(*) from (
                    select l.note_id from missing as k
                    inner join {results}.note_ledger as l on k.kind = 'patient' and k.id = l.patient_id
                    where l.outcome = 'excluded'
                    union
                    select l.note_id from missing as k
                    inner join {results}.note_ledger as l on k.kind = 'note' and k.id = l.note_id
                    where l.outcome = 'excluded'
                ) as n
                """,
                settings,
            )
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def let_end(connection: Connection, settings: InstitutionSettings) -> None:
    """Let every exclusion end that the warehouse lacks, and remember that nobody was asked."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "update {results}.warehouse_exclusion set ended_at = now()"
                " where missing_since is not null and ended_at is null",
                settings,
            )
        )


def let_end_as_approved(connection: Connection, settings: InstitutionSettings, noticed_by: datetime.datetime) -> None:
    """Let the exclusions end that the warehouse has lacked since this moment at the latest: no later one was shown."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "delete from {results}.warehouse_exclusion where missing_since <= %s and ended_at is null", settings
            ),
            (noticed_by,),
        )
