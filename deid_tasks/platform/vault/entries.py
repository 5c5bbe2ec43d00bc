"""What the vault knows of a note: what each surrogate stands for, and where; and the way back to the original."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from deid_tasks.core.errors import VaultError

_REPLACEMENT = pa.struct(
    [
        pa.field("start", pa.int32(), nullable=False),
        pa.field("end", pa.int32(), nullable=False),
        pa.field("original_start", pa.int32(), nullable=False),
        pa.field("original_end", pa.int32(), nullable=False),
        pa.field("surrogate", pa.string(), nullable=False),
        pa.field("original", pa.string(), nullable=False),
    ]
)

ENTRY_SCHEMA = pa.schema(
    [
        pa.field("note_key", pa.string(), nullable=False),
        pa.field("note_id", pa.string(), nullable=False),
        pa.field("patient_id", pa.string()),
        pa.field("published_sha256", pa.binary(32), nullable=False),
        pa.field("original_sha256", pa.binary(32), nullable=False),
        pa.field("replacements", pa.list_(_REPLACEMENT), nullable=False),
    ]
)
"""One row a published note, also where nothing in it was replaced. Offsets are code points, ends exclusive: ``start`` and ``end`` of
the published text, ``original_start`` and ``original_end`` of the original."""


def text_hash(text: str) -> bytes:
    """SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def entries_of(notes: pa.RecordBatch, results: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """The entries of a batch as it entered the engine and as it left it, row by row; quarantined notes have none."""
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
                one
                | {
                    "surrogate": published[one["start"] : one["end"]],
                    "original": original[one["original_start"] : one["original_end"]],
                }
                for one in row["replacements"]
            ],
        }


def restore(published: str, entry: Mapping[str, Any]) -> str:
    """The original text, exactly.

    Raises:
        VaultError: the published text is not the one that the entry was written with, or the entry does not give the original.
    """
    if text_hash(published) != entry["published_sha256"]:
        raise VaultError(
            "its published text is not the one the vault was written with: it was changed or published again"
        )
    pieces: list[str] = []
    position = 0
    for one in entry["replacements"]:
        pieces += (published[position : one["start"]], one["original"])
        position = one["end"]
    original = "".join((*pieces, published[position:]))
    if text_hash(original) != entry["original_sha256"]:
        raise VaultError("its entry does not give the original back")
    return original
