"""One note's originals in one frame, sealed as it is written: a worker's disk never holds one in clear.

A frame is its length (8 bytes, big-endian) and one sealed entry. The header names institution, slice, engine, note and
the hash of the published text; the seal covers it. Whoever stores a frame can check, without opening it, that it
belongs to exactly what was published, and can drop the frames of one note. A shard's file is the wrapped data key, then
the frames of its notes, which may be of several slices.
"""

import json
import os
import struct
import zlib
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from deid_tasks.core.errors import VaultError
from deid_tasks.platform.vault.entries import VaultEntry, text_hash
from deid_tasks.platform.vault.keys import Recipient, Wrapped, decode_wrapped, encode_wrapped
from deid_tasks.platform.vault.sealing import header_of, new_data_key, seal, unseal

_MAX_PART_NOTES = 5_000
_MAX_PART_BYTES = 16_000_000
"""Sealed bytes that are held at a time while a part is stored."""
_LENGTH = struct.Struct(">Q")
_IN_HEADER = ("note_key", "published_sha256")
"""Fields of an entry that are readable: both are known to whoever reads the published table."""


class SealedPart(NamedTuple):
    """Sealed entries of one slice, and the wrapped key that opens them."""

    sealed: list[bytes]
    wrapped: Wrapped


class EntryWriter:
    """Writes the sealed entries of one shard.

    Args:
        file: where to write.
        recipient: for whom the originals are sealed.
        header: institution and fingerprint; readable by anyone.
    """

    def __init__(self, file: IO[bytes], recipient: Recipient, header: dict[str, str]) -> None:
        self._file, self._header = file, header
        self._data_key = new_data_key()
        self._file.write(_framed(encode_wrapped(recipient.wrap(self._data_key))))

    def add(self, slice_key: str, entry: VaultEntry) -> None:
        """Seal one entry, in the order of the shard's file."""
        fields = dict(entry)
        header = self._header | {"slice": slice_key} | {name: fields.pop(name) for name in _IN_HEADER}
        content = zlib.compress(json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode())
        self._file.write(_framed(seal(self._data_key, content, header)))


def open_entry(sealed: bytes, data_key: bytes, expected: dict[str, Any]) -> VaultEntry:
    """Return an entry; raises ``VaultError`` where a byte was changed or the entry belongs elsewhere."""
    fields = json.loads(zlib.decompress(unseal(data_key, sealed, expected)))
    header = header_of(sealed)
    return cast("VaultEntry", fields | {name: header[name] for name in _IN_HEADER})


def join_frames(sealed: Iterable[bytes]) -> bytes:
    """Return sealed entries as they are stored."""
    return b"".join(map(_framed, sealed))


def split_frames(content: bytes) -> Iterator[bytes]:
    """Yield the sealed entries of what ``join_frames`` returned; raises ``VaultError`` where it was cut short."""
    position = 0
    while position < len(content):
        start = position + _LENGTH.size
        position = start + int.from_bytes(content[position:start])
        if start > len(content) or position > len(content):
            raise VaultError("it was changed or cut short")
        yield content[start:position]


def check_shard(path: Path, published: Iterable[tuple[str, str]]) -> int:
    """Return the number of notes whose originals a shard's file holds, without opening them.

    Args:
        path: the file.
        published: ``(note_key, text)`` of the shard's notes, in order.

    Raises:
        VaultError: the file is missing or cut short, or does not hold exactly these notes.
    """
    notes = 0
    rows = iter(published)
    for _, sealed in _frames(path):
        header, row = _header(sealed, path), next(rows, None)
        if row is None or [header.get(name) for name in _IN_HEADER] != [row[0], text_hash(row[1])]:
            raise VaultError(f"{path.name} does not hold the notes of the shard's file; clear the shard")
        notes += 1
    if next(rows, None) is not None:
        raise VaultError(f"{path.name} lacks notes of its shard; clear the shard")
    return notes


def parts_by_slice(paths: Sequence[Path], without: Collection[str] = ()) -> dict[str, Iterator[SealedPart]]:
    """Return the parts of each slice that shards have notes of; the parts are read as they are taken.

    Args:
        paths: the shards' files.
        without: keys of notes that were sealed and not published.

    Raises:
        VaultError: a file is missing or cut short.
    """
    found: dict[str, list[tuple[Path, array[int]]]] = defaultdict(list)
    for path in paths:
        positions: dict[str, array[int]] = defaultdict(lambda: array("Q"))
        for position, sealed in _frames(path):
            header = _header(sealed, path)
            if str(header.get("note_key")) not in without:
                positions[str(header.get("slice"))].append(position)
        for slice_key, own in positions.items():
            found[slice_key].append((path, own))
    return {slice_key: _parts(places) for slice_key, places in found.items()}


def _parts(places: Sequence[tuple[Path, "array[int]"]]) -> Iterator[SealedPart]:
    for path, positions in places:
        with _opened(path) as file:
            wrapped = _read_key(file, path)
            part: list[bytes] = []
            size = 0
            for position in positions:
                file.seek(position)
                sealed = _read_frame(file, path) or b""
                if part and (len(part) >= _MAX_PART_NOTES or size + len(sealed) > _MAX_PART_BYTES):
                    yield SealedPart(part, wrapped)
                    part, size = [], 0
                part.append(sealed)
                size += len(sealed)
            yield SealedPart(part, wrapped)


def _frames(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the position and the sealed entry of each frame."""
    with _opened(path) as file:
        _read_key(file, path)
        position = file.tell()
        while (sealed := _read_frame(file, path)) is not None:
            yield position, sealed
            position = file.tell()


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError:
        raise VaultError(
            f"{path.name} is missing: the shard was made before the vault was switched on; clear the shards"
        ) from None


def _read_key(file: IO[bytes], path: Path) -> Wrapped:
    try:
        return decode_wrapped(_read_frame(file, path) or b"")
    except VaultError:
        raise VaultError(f"{path.name} was changed or cut short; clear its shard") from None


def _header(sealed: bytes, path: Path) -> dict[str, Any]:
    try:
        return header_of(sealed)
    except VaultError as error:
        raise VaultError(f"{path.name}: {error}; clear its shard") from None


def _read_frame(file: IO[bytes], path: Path) -> bytes | None:
    head = file.read(_LENGTH.size)
    if not head:
        return None
    length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else None
    # A length that was changed may be larger than memory.
    if length is None or length > os.fstat(file.fileno()).st_size - file.tell():
        raise VaultError(f"{path.name} was changed or cut short; clear its shard")
    return file.read(length)


def _framed(content: bytes) -> bytes:
    return _LENGTH.pack(len(content)) + content
