"""Answers of earlier runs, by system version, options and note. They hold offsets and labels, never text."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from deid_tasks.comparison.protocol import PROTOCOL_VERSION, ProtocolError, SystemAnswer, parse_answer
from deid_tasks.core.files import PRIVATE_FILE, make_folder, write_atomically

ANSWERS = "answers"
"""Their folder, in that of a comparison."""
_KEY = "key"


class StoredAnswers:
    """The stored answers of one version of one system.

    A note is known by a hash with a key that is drawn when the folder is made, so that the folder alone does not tell
    whether a guessed text was among the notes. Failures are not stored.
    """

    def __init__(self, folder: Path, system: str, version: str, options: Mapping[str, str], adapter: Path) -> None:
        """Read what is there.

        Args:
            folder: The folder of environments and answers.
            system: The system's name.
            version: What it says of itself.
            options: What it was started with.
            adapter: Its program: another adapter may give other answers.
        """
        self._key = _read_key(make_folder(folder))
        about = json.dumps([PROTOCOL_VERSION, version, sorted(options.items())])
        digest = hashlib.sha256(about.encode() + adapter.read_bytes()).hexdigest()[:16]
        self._path = make_folder(folder / ANSWERS) / f"{system}-{digest}.jsonl"
        self._answers = dict(_read(self._path))

    def find(self, text: str) -> SystemAnswer | None:
        """Return the answer to a note with this text."""
        return self._answers.get(self._hash(text))

    def store(self, text: str, answer: SystemAnswer) -> None:
        """Add an answer, unless it is a failure."""
        if answer.error is not None:
            return
        key = self._hash(text)
        self._answers[key] = answer
        if not self._path.exists():
            self._path.touch(mode=PRIVATE_FILE)
        with self._path.open("a", encoding="ascii") as stream:
            stream.write(json.dumps({**asdict(answer), "id": key}) + "\n")

    def _hash(self, text: str) -> str:
        return hmac.new(self._key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _read(path: Path) -> list[tuple[str, SystemAnswer]]:
    """Return the stored answers; a line that a killed run left unfinished is skipped."""
    found = []
    if path.exists():
        for line in path.read_text(encoding="ascii").splitlines():
            try:
                answer = parse_answer(line)
            except ProtocolError:
                continue
            found.append((answer.id, answer))
    return found


def _read_key(folder: Path) -> bytes:
    path = folder / _KEY
    if not path.exists():
        write_atomically(path, secrets.token_bytes(32), file_mode=PRIVATE_FILE)
    return path.read_bytes()
