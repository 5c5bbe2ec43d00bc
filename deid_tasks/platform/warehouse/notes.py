"""Notes of one data interval, cut into shards by patient and streamed in batches."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.notes import NOTE_SCHEMA
from deid_tasks.engine.text import Document
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class Shard:
    """The ``index``-th of ``count`` slices of one run's notes. A patient's notes all lie in one shard."""

    index: int
    count: int


def count_notes(
    connection: Connection, settings: InstitutionSettings, start: datetime.datetime, end: datetime.datetime
) -> int:
    """Notes whose time lies in ``[start, end)``."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select count(*) from {settings.schema_name('staging')}.stg_note"
            " where note_datetime >= %s and note_datetime < %s",
            (_naive(start), _naive(end)),
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
    """The shard's notes in order of patient and note, in batches of ``NOTE_SCHEMA``.

    A batch ends at ``batch_notes`` notes or ``batch_characters`` characters, whichever comes first, so memory stays flat. A note
    that is no valid UTF-8 comes with a null text, for the engine to quarantine.
    """
    with connection.cursor(name=f"shard_{shard.index}") as cursor:
        cursor.itersize = 100
        cursor.execute(
            "select note_id, patient_id, note_type, note_datetime, author_id, convert_to(coalesce(note_text, ''), 'UTF8')"
            f" from {settings.schema_name('staging')}.stg_note"
            " where note_datetime >= %s and note_datetime < %s"
            " and ('x' || left(md5(coalesce(patient_id, '')), 8))::bit(32)::bigint %% %s = %s"
            " order by patient_id, note_id",
            (_naive(start), _naive(end), shard.count, shard.index),
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
    """``notes`` notes of any time, those whose ids hash lowest: the same ones for as long as no others come."""
    with connection.cursor(name="some") as cursor:
        cursor.itersize = 500
        cursor.execute(
            "select note_id, coalesce(note_text, ''), patient_id, note_type"
            f" from {settings.schema_name('staging')}.stg_note order by md5(note_id), note_id limit %s",
            (notes,),
        )
        for note_id, text, patient_id, note_type in cursor:
            yield Document(note_id, text, patient_id, note_type)


def read_texts(connection: Connection, settings: InstitutionSettings, notes: int) -> Iterator[tuple[str | None, str]]:
    """``(patient, text)`` of about ``notes`` notes of any time, those whose ids hash lowest, in no order and without a sort.

    Notes that are no valid UTF-8, and those too long to be processed, are left out.
    """
    table = f"{settings.schema_name('staging')}.stg_note"
    with connection.cursor() as counting:
        counting.execute(f"select count(*) from {table}")
        row = counting.fetchone()
    held = int(row[0]) if row else 0
    highest = (1 << 32) * min(1.0, notes / max(1, held))
    with connection.cursor(name="texts") as cursor:
        cursor.itersize = 500
        cursor.execute(
            f"select patient_id, convert_to(note_text, 'UTF8') from {table}"
            " where note_text is not null and length(note_text) <= %s"
            " and ('x' || left(md5(note_id), 8))::bit(32)::bigint <= %s",
            (settings.notes.max_characters, int(highest)),
        )
        for patient, raw in cursor:
            text = _decode(raw)
            if text is not None:
                yield patient, text


def _decode(raw: memoryview) -> str | None:
    try:
        return bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return None


def _batch(rows: list[tuple[object, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, NOTE_SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=NOTE_SCHEMA)


def _naive(moment: datetime.datetime) -> datetime.datetime:
    """Warehouse times carry no zone; intervals come in UTC."""
    return moment.astimezone(datetime.UTC).replace(tzinfo=None) if moment.tzinfo else moment
