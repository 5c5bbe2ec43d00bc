"""Entries of the vault: what each surrogate of a note replaced, and where; and the way back to the original."""

import hashlib
from collections.abc import Iterator
from typing import TypedDict

import pyarrow as pa

from deid_tasks.core.errors import VaultError


class EntryReplacement(TypedDict):
    """One surrogate and its original.

    Offsets are code points, and ends are exclusive: ``start`` and ``end`` in the published text, ``original_start``
    and ``original_end`` in the original.
    """

    start: int
    end: int
    original_start: int
    original_end: int
    surrogate: str
    original: str


class VaultEntry(TypedDict):
    """What restores one published note; a note in which nothing was replaced has an entry too."""

    note_key: str
    note_id: str
    patient_id: str | None
    published_sha256: str
    original_sha256: str
    replacements: list[EntryReplacement]


def text_hash(text: str) -> str:
    """Return the SHA-256 of the text's UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def entries_of(notes: pa.RecordBatch, results: pa.RecordBatch) -> Iterator[VaultEntry]:
    """Yield the entries of a batch, row by row; quarantined notes have none.

    Args:
        notes: the batch as it entered the engine.
        results: the batch as it left the engine.
    """
    originals = notes["text"].to_pylist()
    columns = ("note_id", "note_key", "patient_id", "deid_text", "replacements")
    rows = results.select(list(columns)).to_pylist()
    for original, row in zip(originals, rows, strict=True):
        published = row["deid_text"]
        if published is None:
            continue
        yield {
            "note_key": row["note_key"],
            "note_id": row["note_id"],
            "patient_id": row["patient_id"],
            "published_sha256": text_hash(published),
            "original_sha256": text_hash(original),
            "replacements": [
                replacement
                | {
                    "surrogate": published[replacement["start"] : replacement["end"]],
                    "original": original[replacement["original_start"] : replacement["original_end"]],
                }
                for replacement in row["replacements"]
            ],
        }


def restore_text(published: str, entry: VaultEntry) -> str:
    """Return the original text, exactly.

    Args:
        published: the published text.
        entry: the vault's entry of its note.

    Raises:
        VaultError: the entry was written for another published text, or does not give the original.
    """
    if text_hash(published) != entry["published_sha256"]:
        raise VaultError(
            "its published text is not the one the vault was written with: it was changed or published again"
        )
    pieces: list[str] = []
    position = 0
    for replacement in entry["replacements"]:
        pieces += (published[position : replacement["start"]], replacement["original"])
        position = replacement["end"]
    original = "".join((*pieces, published[position:]))
    if text_hash(original) != entry["original_sha256"]:
        raise VaultError("its entry does not restore the original text")
    return original
