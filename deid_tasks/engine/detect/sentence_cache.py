"""Cached answers of the neural pass, shared by batches, workers and runs. The cache stores offsets and no text.

An entry holds for one version of the models. Where the rules of a cascade chose the answer, the entry also has the
rules' version and what they chose from, so that an edit of a pattern costs a choice and seldom a model's reading.

The cache is one SQLite file in write-ahead mode: readers never wait, writers take turns, and a killed worker leaves it
intact. It must be on a disk of the worker's own host, since write-ahead mode does not work over a network file system.
"""

import logging
import os
import sqlite3
import struct
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.reader import Answer, StageAnswers, TextSpan

_LOG = logging.getLogger(__name__)
_ENTITIES = tuple(Entity)
_NUMBERS = {entity: number for number, entity in enumerate(_ENTITIES)}
_SPAN = struct.Struct("<IIBd")
_COUNT = struct.Struct("<I")
_KEY_BYTES, _CHECK_BYTES, _RULES_BYTES = 16, 8, 8
_KEYS_PER_QUERY = 500
"""Every SQLite build accepts 999 parameters."""
_FRESH_DAYS = 7
"""The day of last use is updated at most this often, so that most reads write nothing."""
_EVICTED_PART = 10
"""When the file is full, one entry of this many is deleted, those longest unused first."""
_WAIT_SECONDS = 30.0
_CREATE = (
    "create table if not exists sentence"
    " (key blob primary key, value blob not null, day integer not null) without rowid"
)


_UNUSABLE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite and its binding raise over a damaged file."""


def prune_cache(path: Path, days: int, *, once_a_day: bool = False) -> int:
    """Delete the entries that nobody used for ``days`` days; return their number, 0 where there is no file.

    With ``once_a_day`` nothing is done where the file was pruned today: the file itself says so.

    Models and rules that no engine has any more leave such entries. Their pages are used again. A damaged file is
    deleted: no worker could use it, and it holds nothing that models cannot answer again.
    """
    if not path.is_file():
        return 0
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT_SECONDS)) as connection, connection:
            connection.execute(_CREATE)
            today = _today()
            (pruned,) = connection.execute("pragma user_version").fetchone()
            if once_a_day and pruned == today:
                return 0
            # First, so that other processes which begin meanwhile leave it to this one.
            connection.execute(f"pragma user_version = {today}")
            connection.commit()
            return connection.execute("delete from sentence where day < ?", (today - days,)).rowcount
    except sqlite3.OperationalError as error:
        # Another process holds it, or the disk is full: the next call tries again.
        _LOG.warning("the sentence cache %s was not pruned (%s)", path, error)
    except _UNUSABLE as error:
        _LOG.warning("the sentence cache %s is damaged (%s): it is deleted, and begins anew", path, error)
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(name).unlink(missing_ok=True)
    return 0


class CachedAnswer(NamedTuple):
    """An answer from the cache."""

    answer: Answer
    is_current: bool
    """Whether today's rules chose it, or no rule had a part in it."""


class SentenceCache:
    """The answers of one version of the neural pass, by keyed hash of the sentence.

    An entry holds a keyed hash, and offsets, entities and scores with a check value under the same key. Without the key
    no sentence can be looked up, and an entry that was altered or damaged is ignored. Entries of other versions stay in
    the file until they are evicted.

    A file that cannot be used never fails a note: it is logged and counted in ``errors``, and sentences are read by the
    model.
    """

    def __init__(self, path: Path, key: bytes, version: str, max_bytes: int, rules: str = "") -> None:
        """Open the cache on first use.

        Args:
            path: the SQLite file; it is created where it is missing.
            key: the institution's secret.
            version: hash of everything that decides the models' answers.
            max_bytes: size above which entries are evicted.
            rules: hash of everything that decides which stage of a cascade answers.
        """
        self._path, self._max_bytes = path, max_bytes
        self._key = blake2b(version.encode(), digest_size=64, key=key[:64], person=b"palimpsest-cache").digest()
        self._rules = blake2b(rules.encode(), digest_size=_RULES_BYTES, key=self._key).digest()
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._owner = 0
        self._used: set[bytes] = set()
        self.errors = 0
        """How often the file could not be used."""

    def __repr__(self) -> str:
        return f"SentenceCache({self._path})"

    def get(self, texts: Sequence[str]) -> list[CachedAnswer | None]:
        """Return the cached answer for each text, ``None`` where there is no entry."""
        keys = [self._digest(text) for text in texts]
        known: dict[bytes, CachedAnswer] = {}
        with self._lock:
            try:
                connection = self._open()
                for first in range(0, len(keys), _KEYS_PER_QUERY):
                    self._read(connection, keys[first : first + _KEYS_PER_QUERY], known)
            except _UNUSABLE as error:
                self._fail(error)
        return [known.get(key) for key in keys]

    def _read(self, connection: sqlite3.Connection, keys: Sequence[bytes], known: dict[bytes, CachedAnswer]) -> None:
        """Add the valid entries of ``keys`` to ``known``."""
        today = _today()
        marks = ",".join("?" * len(keys))
        statement = f"select key, value, day from sentence where key in ({marks})"  # noqa: S608 - only question marks
        rows = connection.execute(statement, keys)
        for key, value, day in rows:
            answer = self._unpack(key, value)
            if answer is not None:
                known[key] = answer
                if day < today - _FRESH_DAYS:
                    self._used.add(key)

    def put(self, texts: Sequence[str], answers: Sequence[Answer]) -> None:
        """Store the answer for each text."""
        today = _today()
        rows = [
            (key := self._digest(text), self._pack(key, answer), today)
            for text, answer in zip(texts, answers, strict=True)
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
            except _UNUSABLE as error:
                self._fail(error)

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        # A connection must not be used in a forked process.
        if self._connection is None or self._owner != os.getpid():
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self._path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("pragma journal_mode = wal")
                # After a loss of power the last entries may be missing; the file stays valid.
                connection.execute("pragma synchronous = normal")
                connection.execute(_CREATE)
                self._path.chmod(0o600)
            except _UNUSABLE:
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
            (1 + entries // _EVICTED_PART,),
        )

    def _fail(self, error: Exception) -> None:
        self.errors += 1
        _LOG.warning("the sentence cache %s cannot be used (%s): models read every sentence", self._path, error)
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _digest(self, text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES, key=self._key).digest()

    def _check(self, key: bytes, content: bytes) -> bytes:
        return blake2b(key + content, digest_size=_CHECK_BYTES, key=self._key).digest()

    def _pack(self, key: bytes, answer: Answer) -> bytes:
        content = _pack_spans(answer.spans)
        if answer.stages is not None:
            first, all_marked, none_marked, second = answer.stages
            content += self._rules + b"".join(map(_pack_spans, (first, all_marked, none_marked)))
            content += b"" if second is None else _pack_spans(second)
        return self._check(key, content) + content

    def _unpack(self, key: bytes, value: bytes) -> CachedAnswer | None:
        content = value[_CHECK_BYTES:]
        if value[:_CHECK_BYTES] != self._check(key, content):
            return None
        spans, position = _unpack_spans(content, 0)
        if position == len(content):
            return CachedAnswer(Answer(spans), is_current=True)
        rules, position = content[position : position + _RULES_BYTES], position + _RULES_BYTES
        lists = []
        while position < len(content):
            one, position = _unpack_spans(content, position)
            lists.append(one)
        first, all_marked, none_marked, *second = lists
        stages = StageAnswers(first, all_marked, none_marked, second[0] if second else None)
        return CachedAnswer(Answer(spans, stages), is_current=rules == self._rules)


def _pack_spans(spans: Sequence[TextSpan]) -> bytes:
    packed = (_SPAN.pack(one.start, one.end, _NUMBERS[one.entity], one.score) for one in spans)
    return _COUNT.pack(len(spans)) + b"".join(packed)


def _unpack_spans(content: bytes, position: int) -> tuple[tuple[TextSpan, ...], int]:
    """Return the spans that begin at ``position``, and the position after them."""
    first = position + _COUNT.size
    last = first + _COUNT.unpack_from(content, position)[0] * _SPAN.size
    spans = tuple(
        TextSpan(start, end, _ENTITIES[entity], score)
        for start, end, entity, score in _SPAN.iter_unpack(content[first:last])
    )
    return spans, last


def _today() -> int:
    """Return the day as a number since 1970."""
    return int(time.time() // 86_400)
