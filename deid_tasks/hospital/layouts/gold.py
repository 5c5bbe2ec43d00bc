"""Writes notes and their planted identifiers as a gold set, in the shape the annotation tools leave one in."""

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from deid_tasks.errors import InputError
from deid_tasks.hospital.layouts.copy import Table, copy_rows
from deid_tasks.hospital.records import GoldNote

_DDL = """
CREATE TABLE gold_note (
    note_id text PRIMARY KEY,
    patient_id text,
    note_type text,
    note_datetime timestamp,
    author_id text,
    text text NOT NULL,
    sample text NOT NULL,
    gold_version text NOT NULL
);
CREATE TABLE gold_span (
    note_id text NOT NULL REFERENCES gold_note,
    start_offset integer NOT NULL CHECK (start_offset >= 0),
    end_offset integer NOT NULL,
    entity text NOT NULL,
    CHECK (end_offset > start_offset)
);
CREATE INDEX ON gold_span (note_id);
"""


def load_gold(connection: Any, notes: Iterable[GoldNote], schema: str, sample: str = "simulated") -> str:
    """Write a gold set into ``schema`` (``<institution>_gold``) in one transaction, in place of what was there.

    Returns the gold version: a hash of every note and span, the same for the same gold set whatever its order.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,62}", schema):
        raise InputError(f"{schema!r} is no plain schema name")
    gold = sorted(notes, key=lambda note: note.note_id)
    version = _version(gold)
    note_rows = (
        (n.note_id, n.patient_id, n.note_type, n.note_datetime.isoformat(), n.author_id, n.text, sample, version)
        for n in gold
    )
    note_columns = (
        "note_id",
        "patient_id",
        "note_type",
        "note_datetime",
        "author_id",
        "text",
        "sample",
        "gold_version",
    )
    span_rows = ((note.note_id, span.start, span.end, span.entity) for note in gold for span in note.spans)
    with connection, connection.cursor() as cursor:
        cursor.execute(
            f"DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}; SET LOCAL search_path TO {schema}"
        )
        cursor.execute(_DDL)
        copy_rows(cursor, Table("gold_note", note_columns, note_rows, frozenset({"text"})))
        copy_rows(cursor, Table("gold_span", ("note_id", "start_offset", "end_offset", "entity"), span_rows))
    return version


def _version(notes: list[GoldNote]) -> str:
    digest = hashlib.sha256()
    for note in notes:
        spans = sorted((span.start, span.end, span.entity.value) for span in note.spans)
        digest.update(repr((note.note_id, note.patient_id, note.text, spans)).encode())
    return digest.hexdigest()[:16]
