"""The names of published slices, by day of notes.

A slice is named by a keyed hash of its day, so the same day has another name under another surrogate key. The table
``published_slice`` holds every name, so that a day published again replaces its former slice.
"""

import datetime
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.core.errors import GateError
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings

_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class KeyUse:
    """The part of the published table that was made under one surrogate key."""

    key_id: str
    slices: int
    notes: int
    is_current: bool


def published_days(connection: Connection, settings: InstitutionSettings) -> set[datetime.date]:
    """Return the days that a run has published."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select distinct note_day from {results}.published_slice
                where published_at is not null and replaced_at is null and note_day is not null
                """,
                settings,
            )
        )
        return {day for (day,) in cursor.fetchall()}


def announce_slices(
    connection: Connection,
    settings: InstitutionSettings,
    slices: Mapping[datetime.date, str],
    key_id: str,
    run_id: str,
) -> None:
    """Record that rows of these slices are about to be published.

    The caller commits before it writes the table. A run that ends in between then leaves no slice without a record.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        slices: Name of the slice of each day that gets rows, or loses all.
        key_id: Pseudonym of the surrogate key.
        run_id: The run.
    """
    with connection.cursor() as cursor:
        execute_values(
            cursor,
            compose(
                """
                insert into {results}.published_slice (slice_key, slice_start, slice_end, note_day, key_id, run_id)
                values %s
                on conflict (slice_key) do update
                    set run_id = excluded.run_id, note_day = excluded.note_day, replaced_at = null
                """,
                settings,
            ),
            [(name, day, day + _DAY, day, key_id, run_id) for day, name in sorted(slices.items())],
        )


def former_slices(
    connection: Connection,
    settings: InstitutionSettings,
    slices: Mapping[datetime.date, str],
    whole: Collection[datetime.date],
) -> list[str]:
    """Return the other names of the whole days: those under earlier surrogate keys, and those of a former schedule.

    Raises:
        GateError: a former slice holds one of these days and other days beside it.
    """
    if not whole:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select slice_key, slice_start, slice_end from {results}.published_slice
                where replaced_at is null and slice_key <> all(%(names)s)
                    and exists (
                        select 1 from unnest(%(days)s::date[]) as d (day)
                        where slice_start < d.day + 1 and slice_end > d.day
                    )
                order by slice_start, slice_key
                """,
                settings,
            ),
            {"names": sorted(slices.values()), "days": sorted(whole)},
        )
        found = cursor.fetchall()
    for _, start, end in found:
        last = (end - datetime.timedelta(microseconds=1)).date()
        held = {start.date() + _DAY * number for number in range((last - start.date()).days + 1)}
        if not held <= set(whole):
            raise GateError(
                f"{settings.institution}: a former schedule published {start:%Y-%m-%d} to {last:%Y-%m-%d} as one slice;"
                " backfill these days in one run of notes__* with a schedule that covers them, and no note is lost"
            )
    return [name for name, _, _ in found]


def replaced_slices(connection: Connection, settings: InstitutionSettings, run_id: str) -> list[str]:
    """Return the former names of the run's whole days that were replaced."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select slice_key from {results}.published_slice as s
                where replaced_at is not null and exists (
                    select 1 from {results}.run_day as d
                    where d.run_id = %s and s.slice_start < d.note_day + 1 and s.slice_end > d.note_day
                )
                """,
                settings,
            ),
            (run_id,),
        )
        return [name for (name,) in cursor.fetchall()]


def published_keys(connection: Connection, settings: InstitutionSettings, run_id: str) -> dict[str, set[str]]:
    """Return the keys of the published notes of the slices of the run's whole days, by slice."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select s.slice_key, array_agg(l.note_key) filter (where l.note_key is not null)
                from {results}.published_slice as s
                left join {results}.note_ledger as l on s.slice_key = l.slice_key
                where s.replaced_at is null and s.note_day in (
                    select note_day from {results}.run_day where run_id = %s
                )
                group by 1
                """,
                settings,
            ),
            (run_id,),
        )
        return {name: set(keys or ()) for name, keys in cursor.fetchall()}


def close_slices(
    connection: Connection,
    settings: InstitutionSettings,
    names: Collection[str],
    former: Collection[str],
    whole: Collection[str],
) -> None:
    """Record that the slices are published and replace the ``former`` ones; count their notes in the ledger.

    A slice that is not published yet is so only if it is one of ``whole``: a day whose first run was killed waits for
    its run, also where another run removes a note of it.
    """
    now = datetime.datetime.now(datetime.UTC)
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                update {results}.published_slice as s set published_at = %(now)s, notes = (
                    select count(*) from {results}.note_ledger as l
                    where l.slice_key = s.slice_key and l.outcome in ('published', 'unchanged')
                )
                where slice_key = any(%(names)s) and (published_at is not null or slice_key = any(%(whole)s))
                """,
                settings,
            ),
            {"now": now, "names": sorted(names), "whole": sorted(whole)},
        )
        cursor.execute(
            compose(
                """
                update {results}.published_slice set replaced_at = %s
                where slice_key = any(%s) and replaced_at is null
                """,
                settings,
            ),
            (now, sorted(former)),
        )


def keys_in_use(connection: Connection, settings: InstitutionSettings, current: str) -> list[KeyUse]:
    """Return the surrogate keys of the published slices, the most used first; ``current`` is the present key's id."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select key_id, count(*), coalesce(sum(notes), 0)::bigint from {results}.published_slice
                where published_at is not null and replaced_at is null group by 1 order by 2 desc, 1
                """,
                settings,
            )
        )
        return [KeyUse(key, slices, notes, key == current) for key, slices, notes in cursor.fetchall()]
