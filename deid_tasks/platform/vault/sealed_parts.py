"""One shard's originals, sealed as they are written: a worker's disk never holds one in clear.

A shard's file is the wrapped data key, then parts of at most some thousand notes, each a Parquet file under
AES-256-GCM. A part's header counts its notes and identifies them by a hash of their published texts. So whoever stores
the part can check, without opening it, that it belongs to exactly what was published.
"""

import hashlib
import io
import json
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from deid_tasks.core.errors import VaultError
from deid_tasks.platform.vault.entries import ENTRY_SCHEMA, text_hash
from deid_tasks.platform.vault.keys import Recipient, Wrapped
from deid_tasks.platform.vault.sealing import header_of, new_data_key, seal, unseal

_MAX_PART_NOTES = 5_000
_MAX_PART_CHARACTERS = 16_000_000
"""Characters of originals and surrogates that a worker holds before it seals a part."""
_LENGTH = struct.Struct(">Q")


class SealedPart(NamedTuple):
    """One sealed part, and the wrapped key that opens it."""

    sealed: bytes
    wrapped: Wrapped

    @property
    def header(self) -> dict[str, Any]:
        """Institution, slice, fingerprint, notes and digest."""
        return header_of(self.sealed)


class PartWriter:
    """Writes the file of one shard; the caller closes it when all notes of the shard are added.

    Args:
        file: where to write.
        recipient: for whom the originals are sealed.
        header: institution, slice and fingerprint; readable by anyone.
    """

    def __init__(self, file: IO[bytes], recipient: Recipient, header: dict[str, str]) -> None:
        self._file, self._header = file, header
        self._data_key = new_data_key()
        self._entries: list[dict[str, Any]] = []
        self._characters = 0
        self._write_frame(json.dumps(recipient.wrap(self._data_key)).encode())

    def add(self, entries: Iterable[dict[str, Any]]) -> None:
        """Add entries, in the order of the shard's file."""
        for entry in entries:
            self._entries.append(entry)
            self._characters += sum(len(row["original"]) + len(row["surrogate"]) for row in entry["replacements"])
            if len(self._entries) >= _MAX_PART_NOTES or self._characters >= _MAX_PART_CHARACTERS:
                self._flush()

    def close(self) -> None:
        """Seal the remaining entries; a shard without notes has one empty part."""
        self._flush()

    def _flush(self) -> None:
        content = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(self._entries, schema=ENTRY_SCHEMA), content, compression="zstd")
        digest = published_digest((entry["note_key"], entry["published_sha256"]) for entry in self._entries)
        header = self._header | {"notes": len(self._entries), "digest": digest}
        self._write_frame(seal(self._data_key, content.getvalue(), header))
        self._entries, self._characters = [], 0

    def _write_frame(self, content: bytes) -> None:
        self._file.write(_LENGTH.pack(len(content)) + content)


def published_digest(notes: Iterable[tuple[str, bytes]]) -> str:
    """Return a hash over ``(note_key, SHA-256 of the published text)``, in order."""
    digest = hashlib.sha256()
    for key, published in notes:
        digest.update(key.encode() + b"\0" + published)
    return digest.hexdigest()


def read_parts(path: Path) -> Iterator[SealedPart]:
    """Yield the parts of one shard's file.

    Raises:
        VaultError: the file is missing or cut short.
    """
    try:
        file = path.open("rb")
    except OSError:
        raise VaultError(
            f"{path.name} is missing: the shard was made before the vault was switched on; clear the shards"
        ) from None
    with file:
        wrapped = json.loads(_read_frame(file, path) or b"null")
        if not isinstance(wrapped, dict):
            raise VaultError(f"{path.name} was cut short; clear its shard")
        while (sealed := _read_frame(file, path)) is not None:
            yield SealedPart(sealed, wrapped)


def check_part(part: SealedPart, published: Iterable[tuple[str, str]]) -> None:
    """Raise ``VaultError`` unless the part holds exactly these ``(note_key, published text)``, in order."""
    if part.header.get("digest") != published_digest((key, text_hash(text)) for key, text in published):
        raise VaultError("the vault's part of a shard does not hold the notes of the shard's file; clear the shard")


def open_part(sealed: bytes, data_key: bytes, expected: dict[str, Any]) -> pa.Table:
    """Return the entries of a part; raises ``VaultError`` where a byte was changed or the part belongs elsewhere."""
    return pq.read_table(io.BytesIO(unseal(data_key, sealed, expected)))


def _read_frame(file: IO[bytes], path: Path) -> bytes | None:
    length = file.read(_LENGTH.size)
    if not length:
        return None
    content = file.read(_LENGTH.unpack(length)[0]) if len(length) == _LENGTH.size else b""
    if len(length) != _LENGTH.size or len(content) != _LENGTH.unpack(length)[0]:
        raise VaultError(f"{path.name} was cut short; clear its shard")
    return content
