"""The compiled lexicon: written once, mapped read-only by every worker."""

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from pathlib import Path

import numpy as np

from deid_tasks.core.errors import LexiconError
from deid_tasks.core.files import atomic_path, make_folder
from deid_tasks.core.versions import make_newest, newest_version
from deid_tasks.engine.lexicon.build import build_table
from deid_tasks.engine.lexicon.public import public_terms
from deid_tasks.engine.lexicon.scan import U64, Hasher, Scan
from deid_tasks.engine.lexicon.table import TermMatches, TermTable
from deid_tasks.engine.lexicon.terms import KINDS, LexiconTerm

FORMAT = 2
_METADATA = "metadata.json"
_ARRAYS = {"hashes": "<u8", "payload": "<u8", "buckets": "<u4"}
"""The files of an artefact beside its metadata: flat arrays without a header, and their types."""
_BLOCK_BYTES = 1 << 15


class Lexicon:
    """Finds dictionary terms in batches of texts.

    The artefact holds 64-bit hashes and no term, so that a copied file is not a list of patients. Without a key,
    anybody can still test whether a guessed name is in it: use a secret ``key`` where the file leaves the institution's
    own disks.
    """

    def __init__(self, table: TermTable, hasher: Hasher, version: str, counts: dict[str, int]) -> None:
        self._table = table
        self._hasher = hasher
        self.version = version
        """SHA-256 of the format, the key's check value and the sorted content; equal dictionaries have equal
        versions."""
        self.counts = counts
        """Dictionary rows that it was compiled from, by ``table/kind``."""

    def __repr__(self) -> str:
        return f"Lexicon(version={self.version[:12]}, entries={len(self._table.hashes)})"

    @classmethod
    def build(cls, rows: Iterable[LexiconTerm], *, key: bytes = b"") -> "Lexicon":
        """Return the lexicon of the public lists and ``rows``, in memory only."""
        hasher = Hasher(key)
        counts: Counter[str] = Counter()
        table = build_table(chain(public_terms(), rows), hasher, counts)
        digest = sha256(json.dumps([FORMAT, KINDS, hasher.check]).encode())
        digest.update(table.hashes.data)
        digest.update(table.payload.data)
        return cls(table, hasher, digest.hexdigest(), dict(sorted(counts.items())))

    @classmethod
    def open(cls, folder: Path, *, key: bytes = b"") -> "Lexicon":
        """Return the lexicon in ``folder``, mapped to memory.

        Args:
            folder: the folder of one version, or of all versions, of which the newest is opened.
            key: the key that it was compiled with.

        Raises:
            LexiconError: it is missing, damaged, of another format version, or was compiled with another key.
        """
        try:
            if not (folder / _METADATA).is_file():
                folder = folder / newest_version(folder)
            metadata = json.loads((folder / _METADATA).read_text(encoding="utf-8"))
            if metadata.get("format") != FORMAT or metadata.get("kinds") != {k: list(v) for k, v in KINDS.items()}:
                raise LexiconError(f"the lexicon in {folder} is of another format version: compile it again")
            arrays = {name: np.memmap(folder / name, dtype, mode="r") for name, dtype in _ARRAYS.items()}
        except (OSError, ValueError, RecursionError) as error:
            raise LexiconError(f"the lexicon in {folder} is missing or damaged: {type(error).__name__}") from None
        hasher = Hasher(key)
        if metadata["key_check"] != hasher.check:
            raise LexiconError(f"the lexicon in {folder} was compiled with another key: compile it again")
        for name in _ARRAYS:
            if _checksum(arrays[name]) != metadata["checksums"].get(name):
                raise LexiconError(f"the lexicon in {folder} is damaged: {name} is not as it was written")
        table = TermTable(arrays["hashes"], arrays["payload"], arrays["buckets"])
        return cls(table, hasher, metadata["version"], metadata["counts"])

    def save(self, folder: Path) -> Path:
        """Write the lexicon to ``folder/<version>``, make it the newest, and return its path.

        Readers see all of it or nothing.
        """
        target = make_folder(folder, mode=0o755) / self.version
        if not (target / _METADATA).is_file():
            with atomic_path(target, file_mode=None, folder_mode=0o750, replace=False) as staging:
                staging.mkdir()
                arrays = {name: getattr(self._table, name) for name in _ARRAYS}
                for name, array in arrays.items():
                    array.astype(_ARRAYS[name], copy=False).tofile(staging / name)
                metadata = {
                    "format": FORMAT,
                    "version": self.version,
                    "key_check": self._hasher.check,
                    "kinds": KINDS,
                    "counts": self.counts,
                    "entries": len(self._table.hashes),
                    "checksums": {name: _checksum(array) for name, array in arrays.items()},
                }
                (staging / _METADATA).write_text(json.dumps(metadata, indent=1), encoding="utf-8")
            if not (target / _METADATA).is_file():
                raise LexiconError(f"{target}: holds no complete lexicon; delete the folder and compile again")
        make_newest(folder, self.version)
        return target

    def scan(self, texts: Sequence[str]) -> Scan:
        """Return the tokens of ``texts``, hashed for this lexicon."""
        return self._hasher.scan(texts)

    @property
    def hasher(self) -> Hasher:
        """Computes this lexicon's hashes; other tables that use it can be matched with the same scan."""
        return self._hasher

    @property
    def table(self) -> TermTable:
        """Its entries: hashes and payloads, never a term."""
        return self._table

    def match(self, scan: Scan) -> tuple[TermMatches, U64]:
        """Return all terms in ``scan``, overlapping ones too, and the payload of each single token."""
        return self._table.match(scan, self._hasher)


def _checksum(array: np.ndarray) -> int:
    """Return a sum of 64-bit words, with a weight for each block's position.

    It finds torn, empty and exchanged pages as fast as memory can be read; every worker waits for it.
    """
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = len(content) // _BLOCK_BYTES * _BLOCK_BYTES
    blocks = content[:whole].view(np.uint64).reshape(-1, _BLOCK_BYTES // 8).sum(axis=1, dtype=np.uint64)
    weights = np.arange(len(blocks), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return (int((blocks * weights).sum(dtype=np.uint64)) + zlib.crc32(content[whole:].data)) % (1 << 64)


def compile_lexicon(rows: Iterable[LexiconTerm], folder: Path, *, key: bytes = b"") -> Lexicon:
    """Compile dictionary rows and the public lists to ``folder/<version>``, and return the lexicon.

    Args:
        rows: dictionary rows, read once.
        folder: the folder of versions.
        key: mixed into all hashes.

    Raises:
        LexiconError: a row has an unknown table or kind.
        StorageError: the folder cannot be written.
    """
    lexicon = Lexicon.build(rows, key=key)
    path = lexicon.save(folder)
    # The built lexicon is freed before the file is mapped, since both at once would be the peak of memory.
    del lexicon
    return Lexicon.open(path, key=key)


@lru_cache(maxsize=1)
def default_lexicon() -> Lexicon:
    """Return the lexicon of the public lists alone, built on first use."""
    return Lexicon.build(())
