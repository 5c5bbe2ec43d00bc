"""Notes in and out as JSON lines, streamed; a bad line is reported by its number and the rest goes on.

A plain text file is one note, and so is each ``.txt`` file of a folder.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from deid_tasks.core.errors import InputError

_KNOWN = frozenset({"id", "text", "patient_id", "note_type", "note_datetime", "spans"})
_RECORDS = frozenset({".jsonl", ".ndjson", ".json"})
_LOOKED_AT = 4_096
"""Bytes of a file whose name says nothing."""


@dataclass(frozen=True, slots=True)
class Line:
    """One note of a file."""

    number: int
    note_id: str
    text: str = field(repr=False)
    patient_id: str | None = field(default=None, repr=False)
    note_type: str | None = None
    note_datetime: str | None = field(default=None, repr=False)
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    """Keys that are none of ours; they pass through."""


class Problems:
    """Counts bad lines and says on standard error where each is; never what it holds."""

    def __init__(self) -> None:
        self.count = 0

    def report(self, place: str, reason: str) -> None:
        """Tell of one bad line."""
        self.count += 1
        print(f"{place}: {reason}", file=sys.stderr)


def is_text_file(source: Path) -> bool:
    """Whether ``source`` is one note in plain text: by its name, and where that says nothing, by how it begins."""
    if str(source) == "-" or source.suffix in _RECORDS or not source.is_file():
        return False
    if source.suffix == ".txt":
        return True
    with _open_source(source) as stream:
        return not stream.read(_LOOKED_AT).lstrip().startswith(b"{")


def read_notes(source: Path, problems: Problems, max_characters: int | None = None) -> Iterator[Line]:
    """The notes of a JSONL file or of standard input (``-``), a text file, or a folder of ``.txt`` files (the path is the id).

    An empty note is a note; one that is no UTF-8, or longer than ``max_characters``, is reported and left out.

    Raises:
        InputError: the file or folder cannot be read at all.
    """
    for place, line in _read_any(source, problems):
        if max_characters is not None and len(line.text) > max_characters:
            problems.report(
                place, f"has {len(line.text):,} characters, more than the {max_characters:,} of the settings"
            )
            continue
        yield line


def _read_any(source: Path, problems: Problems) -> Iterator[tuple[str, Line]]:
    """Notes, each with the words that say where it stands."""
    if source.is_dir():
        yield from _read_folder(source, problems)
        return
    if is_text_file(source):
        if (text := _read_text(source, problems)) is not None:
            yield str(source), Line(1, source.name, text)
        return
    for number, record in read_records(source, problems):
        text, note_id = record.get("text"), record.get("id")
        if not isinstance(text, str) or not isinstance(note_id, str | int):
            problems.report(f"{source}:{number}", "needs a string 'text' and an 'id'")
            continue
        patient = record.get("patient_id")
        line = Line(
            number,
            str(note_id),
            text,
            None if patient is None else str(patient),
            record.get("note_type"),
            record.get("note_datetime"),
            {key: value for key, value in record.items() if key not in _KNOWN},
        )
        yield f"{source}:{number}", line


def read_records(source: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """``(line number, object)`` of every good line; blank lines are skipped."""
    with _open_source(source) as stream:
        for number, raw in enumerate(stream, start=1):
            if not raw.strip():
                continue
            try:
                record = json.loads(raw.decode("utf-8"))
            except UnicodeDecodeError:
                problems.report(f"{source}:{number}", "is no valid UTF-8")
                continue
            except (json.JSONDecodeError, RecursionError):
                problems.report(f"{source}:{number}", "is no valid JSON")
                continue
            if not isinstance(record, dict):
                problems.report(f"{source}:{number}", "is no JSON object")
                continue
            yield number, record


@contextmanager
def open_target(target: Path) -> Iterator[IO[str]]:
    """A file that appears when it is whole, or standard output (``-``)."""
    if str(target) == "-":
        yield sys.stdout
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with partial.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        partial.replace(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _open_source(source: Path) -> Iterator[IO[bytes]]:
    if str(source) == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = source.open("rb")
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}") from None
    with stream:
        yield stream


def _read_folder(folder: Path, problems: Problems) -> Iterator[tuple[str, Line]]:
    for number, path in enumerate(sorted(folder.rglob("*.txt")), start=1):
        if (text := _read_text(path, problems)) is not None:
            yield str(path), Line(number, str(path.relative_to(folder)), text)


def _read_text(path: Path, problems: Problems) -> str | None:
    """The whole file to the byte; line ends stay as they are, since offsets count them."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        problems.report(str(path), f"is no valid UTF-8 from byte {error.start} on")
    except OSError:
        problems.report(str(path), "cannot be read")
    return None
