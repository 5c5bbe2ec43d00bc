"""Notes of one data interval, divided into shards by patient and streamed in batches."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.notes import NOTE_SCHEMA
from deid_tasks.engine.text import Document
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings

_HASH_RANGE = 1 << 32
"""Number of values of the 32-bit hash by which notes are chosen."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``count`` parts of a run's notes, counted from 0. All notes of a patient are in one shard."""

    index: int
    count: int


def count_notes(
    connection: Connection, settings: InstitutionSettings, start: datetime.datetime, end: datetime.datetime
) -> int:
    """Return the number of notes whose time lies in ``[start, end)``."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select count(*) from {staging}.stg_note where note_datetime >= %s and note_datetime < %s", settings
            ),
            (as_naive_utc(start), as_naive_utc(end)),
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def read_shard(
    connection: Connection,
    settings: InstitutionSettings,
    start: datetime.datetime,
    end: datetime.datetime,
    shard: Shard,
    batch_notes: int = 500,
    batch_characters: int = 8_000_000,
) -> Iterator[pa.RecordBatch]:
    """Yield the notes of a shard in batches of ``NOTE_SCHEMA``, in order of patient and note.

    Memory stays flat whatever the shard's size. A note without a text, or with one that is not valid UTF-8, has a null
    text, for the engine to quarantine.

    Args:
        connection: A connection to the warehouse; a server-side cursor streams the rows.
        settings: The institution's settings.
        start: First moment of the interval.
        end: First moment after the interval.
        shard: The shard to read.
        batch_notes: Maximum number of notes in a batch.
        batch_characters: A batch ends with the note that reaches this number of characters.
    """
    with connection.cursor(name=f"shard_{shard.index}") as cursor:
        cursor.itersize = 100
        cursor.execute(
            compose(
                """
                select note_id, patient_id, note_type, note_datetime, author_id,
                    convert_to(note_text, 'UTF8')
                from {staging}.stg_note
                where note_datetime >= %s and note_datetime < %s
                    and ('x' || left(md5(coalesce(patient_id, '')), 8))::bit(32)::bigint %% %s = %s
                order by patient_id, note_id
                """,
                settings,
            ),
            (as_naive_utc(start), as_naive_utc(end), shard.count, shard.index),
        )
        rows: list[tuple[object, ...]] = []
        characters = 0
        for *columns, raw in cursor:
            text = _decode(raw)
            rows.append((*columns, text))
            characters += len(text or "")
            if len(rows) >= batch_notes or characters >= batch_characters:
                yield _batch(rows)
                rows, characters = [], 0
        if rows:
            yield _batch(rows)


def read_some(connection: Connection, settings: InstitutionSettings, notes: int) -> Iterator[Document]:
    """Yield at most ``notes`` notes of any time, those whose ids hash lowest.

    The choice stays the same as long as no notes are added.
    """
    with connection.cursor(name="some") as cursor:
        cursor.itersize = 500
        cursor.execute(
            compose(
                """
                select note_id, coalesce(note_text, ''), patient_id, note_type
                from {staging}.stg_note order by md5(note_id), note_id limit %s
                """,
                settings,
            ),
            (notes,),
        )
        for note_id, text, patient_id, note_type in cursor:
            yield Document(note_id, text, patient_id, note_type)


def read_texts(connection: Connection, settings: InstitutionSettings, notes: int) -> Iterator[tuple[str | None, str]]:
    """Yield ``(patient_id, text)`` of about ``notes`` notes of any time, those whose ids hash lowest.

    The rows come in no particular order, so that the database need not sort them. Notes that are not valid UTF-8, and
    those longer than ``notes.max_characters``, are left out.
    """
    with connection.cursor() as counting:
        counting.execute(compose("select count(*) from {staging}.stg_note", settings))
        row = counting.fetchone()
    stored = int(row[0]) if row else 0
    highest_hash = _HASH_RANGE * min(1.0, notes / max(1, stored))
    with connection.cursor(name="texts") as cursor:
        cursor.itersize = 500
        cursor.execute(
            compose(
                """
                select patient_id, convert_to(note_text, 'UTF8') from {staging}.stg_note
                where note_text is not null and length(note_text) <= %s
                    and ('x' || left(md5(note_id), 8))::bit(32)::bigint <= %s
                """,
                settings,
            ),
            (settings.notes.max_characters, int(highest_hash)),
        )
        for patient, raw in cursor:
            text = _decode(raw)
            if text is not None:
                yield patient, text


def as_naive_utc(moment: datetime.datetime) -> datetime.datetime:
    """Return the moment in UTC without a time zone, as the warehouse's timestamps are."""
    return moment.astimezone(datetime.UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _decode(raw: memoryview | None) -> str | None:
    if raw is None:
        return None
    try:
        return bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return None


def _batch(rows: list[tuple[object, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, NOTE_SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=NOTE_SCHEMA)
