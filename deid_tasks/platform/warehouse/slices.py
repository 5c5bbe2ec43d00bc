"""The names of published slices, by interval of notes.

A slice is named by a keyed hash of its interval, so the same day has another name under another surrogate key. The
table ``published_slice`` holds every name, so that a day published again replaces its former slice.
"""

import datetime
from dataclasses import dataclass

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.notes import as_naive_utc
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class KeyUse:
    """The part of the published table that was made under one surrogate key."""

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
    """Record that ``interval`` is about to be published as ``slice_key``, and return its former names.

    The caller commits before it writes the table. A run that ends in between then leaves no slice without a record.
    """
    start, end = map(as_naive_utc, interval)
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                insert into {results}.published_slice (slice_key, slice_start, slice_end, key_id, run_id)
                values (%s, %s, %s, %s, %s)
                on conflict (slice_key) do update set run_id = excluded.run_id, replaced_at = null
                """,
                settings,
            ),
            (slice_key, start, end, key_id, run_id),
        )
    return former_slices(connection, settings, interval, slice_key)


def former_slices(
    connection: Connection,
    settings: InstitutionSettings,
    interval: tuple[datetime.datetime, datetime.datetime],
    slice_key: str,
) -> list[str]:
    """Return the other names of ``interval``: those under earlier surrogate keys."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select slice_key from {results}.published_slice
                where slice_start = %s and slice_end = %s and slice_key <> %s order by 1
                """,
                settings,
            ),
            (*map(as_naive_utc, interval), slice_key),
        )
        return [name for (name,) in cursor.fetchall()]


def close_slice(
    connection: Connection, settings: InstitutionSettings, slice_key: str, notes: int, former: list[str]
) -> None:
    """Record that the slice is published and replaces its ``former`` ones."""
    now = datetime.datetime.now(datetime.UTC)
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "update {results}.published_slice set notes = %s, published_at = %s where slice_key = %s", settings
            ),
            (notes, now, slice_key),
        )
        cursor.execute(
            compose(
                """
                update {results}.published_slice set replaced_at = %s
                where slice_key = any(%s) and replaced_at is null
                """,
                settings,
            ),
            (now, former),
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
