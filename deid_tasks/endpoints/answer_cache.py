"""Answers under keyed hashes of what was asked, in a SQLite file that holds no text of notes."""

import hmac
import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import StorageError

_BUSY_SECONDS = 60
"""How long a process waits for others that write to the same file."""
_TABLE = "CREATE TABLE IF NOT EXISTS answers (question BLOB PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"


class KeyedAnswerCache:
    """Remembers answers that are JSON values without text, such as offsets, labels and counts.

    Without the key, the file tells nothing about what was asked: sentences could otherwise be guessed and checked.
    """

    def __init__(self, path: Path, key: bytes, version: str) -> None:
        """Open the file, and create it where it is missing.

        Args:
            path: The file.
            key: Of at least 32 bytes.
            version: Hash of everything that decides an answer; another version finds no answers of this one.

        Raises:
            StorageError: The file cannot be used.
        """
        self._path, self._lock = path, threading.Lock()
        self._key = hmac.digest(key, f"palimpsest/llm/{version}".encode(), "sha256")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            # Used from several threads, one at a time.
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection.execute(_TABLE)
        except (sqlite3.Error, OSError) as error:
            raise StorageError(f"{path}: cannot be used as a cache: {type(error).__name__}") from None

    def __repr__(self) -> str:
        return f"KeyedAnswerCache({self._path})"

    def get(self, question: str) -> Any | None:
        """Return the answer to a question; ``None`` if there is none. Raises ``StorageError`` if it cannot be read."""
        row = self._run("SELECT answer FROM answers WHERE question = ?", self._digest(question))
        try:
            return json.loads(row[0]) if row else None
        except (TypeError, ValueError):
            raise StorageError(f"{self._path}: holds an answer that is not JSON; delete the file") from None

    def put(self, question: str, answer: Any) -> None:
        """Store the answer to a question, which must hold no text; raises ``StorageError`` if it cannot be stored."""
        self._run("INSERT OR REPLACE INTO answers VALUES (?, ?)", self._digest(question), json.dumps(answer))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _run(self, statement: str, *values: bytes | str) -> tuple[Any, ...] | None:
        try:
            with self._lock:
                row: tuple[Any, ...] | None = self._connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise StorageError(f"{self._path}: cannot be used as a cache: {type(error).__name__}") from None
        return row

    def _digest(self, question: str) -> bytes:
        return hmac.digest(self._key, question.encode("utf-8", "surrogatepass"), "sha256")
