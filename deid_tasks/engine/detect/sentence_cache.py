"""What the neural pass found in a sentence, kept across batches, workers and runs without the sentence.

One SQLite file in write-ahead mode: readers never wait, writers take turns, a killed worker leaves it whole. It belongs on a disk
of the worker's own host; write-ahead mode does not work over a network file system.
"""

import os
import sqlite3
import struct
import threading
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.reader import TextSpan

_ENTITIES = tuple(Entity)
_NUMBERS = {entity: number for number, entity in enumerate(_ENTITIES)}
_SPAN = struct.Struct("<IIBd")
_KEY_BYTES, _CHECK_BYTES = 16, 8
_ASKED = 500
"""Keys of one question; SQLite takes up to 999 parameters everywhere."""
_FRESH_DAYS = 7
"""An entry that was used within these days is not marked as used again."""
_EVICTED_SHARE = 10
"""One entry of so many goes, the longest unused first, when the file is full."""
_WAIT_SECONDS = 30.0


class SentenceCache:
    """Answers of one version of the neural pass by keyed hash of the sentence.

    An entry is a keyed hash, and offsets, entities and scores under a check value of the same key: without the key nothing can be looked up,
    and an entry that was changed or damaged is none. Other versions' entries lie beside them and are the first to go.
    A cache that cannot be used is none: it never fails a note, and ``errors`` counts.
    """

    def __init__(self, path: Path, key: bytes, version: str, max_bytes: int) -> None:
        self._path, self._max_bytes = path, max_bytes
        self._key = blake2b(version.encode(), digest_size=64, key=key[:64], person=b"palimpsest-cache").digest()
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0
        self._used: set[bytes] = set()
        self.errors = 0
        """How often the file could not be used."""

    def __repr__(self) -> str:
        return f"SentenceCache({self._path})"

    def get(self, texts: Sequence[str]) -> list[tuple[TextSpan, ...] | None]:
        """What is known of each text, ``None`` where nothing is."""
        keys = [self._digest(text) for text in texts]
        known: dict[bytes, tuple[TextSpan, ...]] = {}
        today = _today()
        with self._lock:
            try:
                connection = self._open()
                for first in range(0, len(keys), _ASKED):
                    asked = keys[first : first + _ASKED]
                    marks = ",".join("?" * len(asked))
                    for key, value, day in connection.execute(
                        f"select key, value, day from sentence where key in ({marks})", asked
                    ):
                        found = self._unpack(key, value)
                        if found is not None:
                            known[key] = found
                            if day < today - _FRESH_DAYS:
                                self._used.add(key)
            except sqlite3.Error:
                self._fail()
        return [known.get(key) for key in keys]

    def put(self, texts: Sequence[str], found: Sequence[Sequence[TextSpan]]) -> None:
        """Keep what was found in each text."""
        today = _today()
        rows = [
            (key := self._digest(text), self._pack(key, spans), today) for text, spans in zip(texts, found, strict=True)
        ]
        with self._lock:
            used, self._used = self._used, set()
            if not rows and not used:
                return
            try:
                connection = self._open()
                with connection:
                    connection.execute("begin immediate")
                    connection.executemany("insert or replace into sentence values (?, ?, ?)", rows)
                    connection.executemany("update sentence set day = ? where key = ?", [(today, key) for key in used])
                    self._evict(connection)
            except sqlite3.Error:
                self._fail()

    def close(self) -> None:
        """Give the file back; the next call opens it again."""
        with self._lock:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        # A connection must not be carried over a fork.
        if self._connection is None or self._owner != os.getpid():
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self._path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("pragma journal_mode = wal")
                # After a loss of power the last entries may be gone; the file is sound.
                connection.execute("pragma synchronous = normal")
                connection.execute(
                    "create table if not exists sentence (key blob primary key, value blob not null, day integer not null)"
                    " without rowid"
                )
                self._path.chmod(0o600)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection, self._owner = connection, os.getpid()
        return self._connection

    def _evict(self, connection: sqlite3.Connection) -> None:
        def number(pragma: str) -> int:
            return int(connection.execute(f"pragma {pragma}").fetchone()[0])

        held = (number("page_count") - number("freelist_count")) * number("page_size")
        if held <= self._max_bytes:
            return
        (entries,) = connection.execute("select count(*) from sentence").fetchone()
        connection.execute(
            "delete from sentence where key in (select key from sentence order by day limit ?)",
            (1 + entries // _EVICTED_SHARE,),
        )

    def _fail(self) -> None:
        self.errors += 1
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _digest(self, text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES, key=self._key).digest()

    def _check(self, key: bytes, spans: bytes) -> bytes:
        return blake2b(key + spans, digest_size=_CHECK_BYTES, key=self._key).digest()

    def _pack(self, key: bytes, found: Sequence[TextSpan]) -> bytes:
        spans = b"".join(_SPAN.pack(one.start, one.end, _NUMBERS[one.entity], one.score) for one in found)
        return self._check(key, spans) + spans

    def _unpack(self, key: bytes, value: bytes) -> tuple[TextSpan, ...] | None:
        check, spans = value[:_CHECK_BYTES], value[_CHECK_BYTES:]
        if check != self._check(key, spans):
            return None
        return tuple(
            TextSpan(start, end, _ENTITIES[entity], score) for start, end, entity, score in _SPAN.iter_unpack(spans)
        )


def _today() -> int:
    return int(time.time() // 86_400)
