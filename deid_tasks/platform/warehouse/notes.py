"""Notes of one day and shard, streamed in batches."""

import datetime
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.notes import NOTE_SCHEMA
from deid_tasks.engine.text import Document
from deid_tasks.platform.warehouse.shards import Shard
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.platform.warehouse.work_list import open_day_table
from deid_tasks.settings import InstitutionSettings

_HASH_RANGE = 1 << 32
"""Number of values of the 32-bit hash by which notes are chosen."""


class ReadNotes(NamedTuple):
    """A batch of notes, and which version of each was read."""

    batch: pa.RecordBatch
    """Columns of ``NOTE_SCHEMA``."""
    modified_at: list[datetime.datetime | None]
    """When each note was last written in the warehouse."""


def read_shard(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    day: datetime.date,
    shard: Shard,
    batch_notes: int = 500,
    batch_characters: int = 8_000_000,
) -> Iterator[ReadNotes]:
    """Yield the notes of one day and shard of the run's work list, in batches, in order of patient and note.

    Memory stays flat whatever the shard's size. A note without a text, or with one that is not valid UTF-8, has a null
    text, for the engine to quarantine. A note that left the day since the list was made is not read.

    Args:
        connection: A connection to the warehouse; a server-side cursor streams the rows.
        settings: The institution's settings.
        run_id: The run.
        day: The day.
        shard: The shard to read.
        batch_notes: Maximum number of notes in a batch.
        batch_characters: A batch ends with the note that reaches this number of characters.
    """
    with connection.cursor(name=f"shard_{shard.index}_{day:%Y%m%d}") as cursor:
        cursor.itersize = 100
        cursor.execute(
            compose(
                """
                select n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.modified_at,
                    convert_to(n.note_text, 'UTF8')
                from {staging}.stg_note as n
                where n.note_datetime >= %(day)s and n.note_datetime < %(next)s and not n.is_deleted
                    and exists (
                        select 1 from {results}.run_note as w
                        where w.run_id = %(run_id)s and w.note_day = %(day)s and w.note_id = n.note_id
                            and w.shard = %(shard)s
                    )
                order by n.patient_id, n.note_id
                """,
                settings,
            ),
            {
                "run_id": run_id,
                "day": day,
                "next": day + datetime.timedelta(days=1),
                "shard": shard.index,
            },
        )
        rows: list[tuple[object, ...]] = []
        modified: list[datetime.datetime | None] = []
        characters = 0
        for *columns, modified_at, raw in cursor:
            text = _decode(raw)
            rows.append((*columns, text))
            modified.append(modified_at)
            characters += len(text or "")
            if len(rows) >= batch_notes or characters >= batch_characters:
                yield ReadNotes(_batch(rows), modified)
                rows, modified, characters = [], [], 0
        if rows:
            yield ReadNotes(_batch(rows), modified)


def read_unversioned(
    connection: Connection, settings: InstitutionSettings
) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Yield the notes of published days that have no modification time and had none, with the hash of the content read.

    A note that had one when it was read differs in it. Where every note of the ledger had one, no note is looked at.
    """
    names = NOTE_SCHEMA.names
    with connection.cursor(name="unversioned") as cursor:
        cursor.itersize = 200
        cursor.execute(
            compose(
                """
                with {open}
                select l.content_hash, n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id,
                    convert_to(n.note_text, 'UTF8')
                from {staging}.stg_note as n
                inner join {results}.note_ledger as l on n.note_id = l.note_id
                inner join open_day as o on l.note_day = o.note_day
                where l.modified_at is null and n.modified_at is null and not n.is_deleted and l.exclusion is null
                """,
                settings,
                open=open_day_table(settings),
            )
        )
        for known, *columns, raw in cursor:
            yield dict(zip(names, (*columns, _decode(raw)), strict=True)), known


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
