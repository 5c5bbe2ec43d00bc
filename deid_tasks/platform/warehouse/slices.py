"""Which slice of the published table each interval of notes became.

A slice is named by a keyed hash of its interval, so under another surrogate key the same day has another name. What is remembered
here lets a day published again take the place of the former one.
"""

import datetime
from dataclasses import dataclass

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class KeyUse:
    """How much of the published table was made under one surrogate key."""

    key_id: str
    slices: int
    notes: int
    is_current: bool


def announce_slice(
    connection: Connection,
    settings: InstitutionSettings,
    interval: tuple[datetime.datetime, datetime.datetime],
    slice_key: str,
    key_id: str,
    run_id: str,
) -> list[str]:
    """Remember that ``interval`` is about to be published as ``slice_key``; return the names it ever had beside this one.

    Committed before the table is written, so that a run that dies in between leaves no slice that nobody knows.
    """
    table = f"{settings.schema_name('results')}.published_slice"
    start, end = map(_naive, interval)
    with connection.cursor() as cursor:
        cursor.execute(
            f"insert into {table} (slice_key, slice_start, slice_end, key_id, run_id) values (%s, %s, %s, %s, %s)"
            " on conflict (slice_key) do update set run_id = excluded.run_id, replaced_at = null",
            (slice_key, start, end, key_id, run_id),
        )
    return former_slices(connection, settings, interval, slice_key)


def former_slices(
    connection: Connection,
    settings: InstitutionSettings,
    interval: tuple[datetime.datetime, datetime.datetime],
    slice_key: str,
) -> list[str]:
    """The other names of ``interval``, those of earlier surrogate keys."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select slice_key from {settings.schema_name('results')}.published_slice"
            " where slice_start = %s and slice_end = %s and slice_key <> %s order by 1",
            (*map(_naive, interval), slice_key),
        )
        return [name for (name,) in cursor.fetchall()]


def close_slice(
    connection: Connection, settings: InstitutionSettings, slice_key: str, notes: int, former: list[str]
) -> None:
    """Remember that the slice is published, in place of its ``former`` ones."""
    table = f"{settings.schema_name('results')}.published_slice"
    now = datetime.datetime.now(datetime.UTC)
    with connection.cursor() as cursor:
        cursor.execute(
            f"update {table} set notes = %s, published_at = %s where slice_key = %s", (notes, now, slice_key)
        )
        cursor.execute(
            f"update {table} set replaced_at = %s where slice_key = any(%s) and replaced_at is null", (now, former)
        )


def keys_in_use(connection: Connection, settings: InstitutionSettings, current: str) -> list[KeyUse]:
    """The surrogate keys that published slices were made under, the one of most slices first; ``current`` is today's."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select key_id, count(*), coalesce(sum(notes), 0)::bigint from {settings.schema_name('results')}.published_slice"
            " where published_at is not null and replaced_at is null group by 1 order by 2 desc, 1"
        )
        return [KeyUse(key, slices, notes, key == current) for key, slices, notes in cursor.fetchall()]


def _naive(moment: datetime.datetime) -> datetime.datetime:
    """Intervals come in UTC."""
    return moment.astimezone(datetime.UTC).replace(tzinfo=None) if moment.tzinfo else moment
