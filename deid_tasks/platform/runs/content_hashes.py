"""Keyed hashes of notes as they were read, and of the rows that were published of them."""

import datetime
import hashlib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.runs.pseudonyms import ledger_key
from deid_tasks.platform.warehouse.notes import read_unversioned
from deid_tasks.settings import InstitutionSettings, Secrets

_READ = ("patient_id", "note_type", "note_datetime", "author_id", "text")
_WRITTEN = ("note_key", "patient_key", "author_key", "note_type", "deid_datetime", "deid_text")


def content_hash(key: bytes, note: Mapping[str, Any]) -> str:
    """Return the hash of a note's columns and text; ``key`` is the ledger's."""
    return _hash(key, note, _READ)


def output_hash(key: bytes, result: Mapping[str, Any]) -> str | None:
    """Return the hash of the row that is published of a note; ``None`` for a note that is not published."""
    return None if result["deid_text"] is None else _hash(key, result, _WRITTEN)


def amended_without_time(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, limit: int
) -> Iterator[tuple[str, datetime.date]]:
    """Yield id and day of published notes that have no modification time and another content than was read."""
    key = ledger_key(settings, secrets)
    changed = (
        (note["note_id"], note["note_datetime"].date())
        for note, known in read_unversioned(connection, settings)
        if content_hash(key, note) != known
    )
    yield from islice(changed, max(0, limit))


def _hash(key: bytes, row: Mapping[str, Any], columns: tuple[str, ...]) -> str:
    digest = hashlib.blake2b(key=key[:64], digest_size=16)
    for name in columns:
        value = row[name]
        # A missing value differs from an empty one, and lengths keep the columns apart.
        text = b"" if value is None else str(value).encode("utf-8", "surrogatepass")
        digest.update(f"{-1 if value is None else len(text)}:".encode() + text)
    return digest.hexdigest()
