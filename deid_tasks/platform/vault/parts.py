"""One shard's originals, sealed as they are written: a worker's disk never holds one in clear.

A shard's file is the wrapped data key, then parts of at most some thousand notes, each a Parquet file under AES-256-GCM. A part's
header counts its notes and names them by a hash of their published texts, so that whoever stores the part can check, without
opening it, that it belongs to exactly what was published.
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
from deid_tasks.platform.vault.sealed import header_of, new_data_key, seal, unseal

_PART_NOTES = 5_000
_PART_CHARACTERS = 16_000_000
"""Of originals and surrogates; what a worker holds before it seals a part."""
_LENGTH = struct.Struct(">Q")


class Part(NamedTuple):
    """One sealed part, and the wrapped key that opens it."""

    sealed: bytes
    wrapped: Wrapped

    @property
    def header(self) -> dict[str, Any]:
        """Institution, slice, fingerprint, notes and digest."""
        return header_of(self.sealed)


class PartWriter:
    """Writes the file of one shard; to be closed when all its notes are in."""

    def __init__(self, file: IO[bytes], recipient: Recipient, header: dict[str, str]) -> None:
        self._file, self._header = file, header
        self._data_key = new_data_key()
        self._entries: list[dict[str, Any]] = []
        self._characters = 0
        wrapped = json.dumps(recipient.wrap(self._data_key)).encode()
        file.write(_LENGTH.pack(len(wrapped)) + wrapped)

    def add(self, entries: Iterable[dict[str, Any]]) -> None:
        """Take entries in, in the order of the shard's file."""
        for entry in entries:
            self._entries.append(entry)
            self._characters += sum(len(one["original"]) + len(one["surrogate"]) for one in entry["replacements"])
            if len(self._entries) >= _PART_NOTES or self._characters >= _PART_CHARACTERS:
                self._flush()

    def close(self) -> None:
        """Seal what is left; a shard without notes has one empty part."""
        self._flush()

    def _flush(self) -> None:
        content = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(self._entries, schema=ENTRY_SCHEMA), content, compression="zstd")
        digest = published_digest((entry["note_key"], entry["published_sha256"]) for entry in self._entries)
        header = self._header | {"notes": len(self._entries), "digest": digest}
        sealed = seal(self._data_key, content.getvalue(), header)
        self._file.write(_LENGTH.pack(len(sealed)) + sealed)
        self._entries, self._characters = [], 0


def published_digest(notes: Iterable[tuple[str, bytes]]) -> str:
    """A hash over ``(note_key, SHA-256 of the published text)``, in order."""
    digest = hashlib.sha256()
    for key, published in notes:
        digest.update(key.encode() + b"\0" + published)
    return digest.hexdigest()


def read_parts(path: Path) -> Iterator[Part]:
    """The parts of one shard's file, one at a time; raises ``VaultError`` where it is missing or cut short."""
    try:
        file = path.open("rb")
    except OSError:
        raise VaultError(
            f"{path.name} is missing: the shard was made before the vault was switched on; clear the shards"
        ) from None
    with file:
        wrapped = json.loads(_frame(file, path) or b"null")
        if not isinstance(wrapped, dict):
            raise VaultError(f"{path.name} was cut short; clear its shard")
        while (sealed := _frame(file, path)) is not None:
            yield Part(sealed, wrapped)


def check_part(part: Part, published: Iterable[tuple[str, str]]) -> None:
    """Raise ``VaultError`` unless the part is of exactly these ``(note_key, published text)``, in order."""
    if part.header.get("digest") != published_digest((key, text_hash(text)) for key, text in published):
        raise VaultError("the vault's part of a shard is not of the notes in the shard's file; clear the shard")


def open_part(sealed: bytes, data_key: bytes, expected: dict[str, Any]) -> pa.Table:
    """The entries of a part; raises ``VaultError`` where a byte was changed or it belongs elsewhere."""
    return pq.read_table(io.BytesIO(unseal(data_key, sealed, expected)))


def _frame(file: IO[bytes], path: Path) -> bytes | None:
    length = file.read(_LENGTH.size)
    if not length:
        return None
    content = file.read(_LENGTH.unpack(length)[0]) if len(length) == _LENGTH.size else b""
    if len(length) != _LENGTH.size or len(content) != _LENGTH.unpack(length)[0]:
        raise VaultError(f"{path.name} was cut short; clear its shard")
    return content
