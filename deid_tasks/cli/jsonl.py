"""Notes in and out as JSON lines, streamed; a bad line is reported by its number, and the others are read.

A plain text file is one note, and so is each ``.txt`` or ``.TXT`` file of a folder.
"""

import datetime
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import atomic_open
from deid_tasks.core.notes import is_unicode

_KNOWN = frozenset({"id", "text", "patient_id", "note_type", "note_datetime", "spans"})
_RECORDS = frozenset({".jsonl", ".ndjson", ".json"})
_SNIFFED_BYTES = 4_096
"""Bytes that are read of a file whose name does not tell its format."""


@dataclass(frozen=True, slots=True)
class Line:
    """One note of a file."""

    number: int
    note_id: str
    text: str = field(repr=False)
    patient_id: str | None = field(default=None, repr=False)
    note_type: str | None = None
    note_datetime: datetime.datetime | None = field(default=None, repr=False)
    """Without a time zone: dates move by whole days."""
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    """Unknown keys; they pass through."""


class Problems:
    """Counts bad lines, and prints on standard error where each one is; never its content."""

    def __init__(self) -> None:
        self.count = 0
        self.files_skipped = 0
        """Files of a folder that are no notes by their name; hidden ones are not counted. They are no problem."""

    def report(self, where: str, reason: str) -> None:
        """Report one bad line."""
        self.count += 1
        print(f"{where}: {reason}", file=sys.stderr)


def is_text_file(source: Path) -> bool:
    """Whether ``source`` is one note in plain text: by its name, or else by its first characters."""
    if str(source) == "-" or source.suffix in _RECORDS or not source.is_file():
        return False
    if has_text_suffix(source):
        return True
    with _open_source(source) as stream:
        return not stream.read(_SNIFFED_BYTES).lstrip().startswith(b"{")


def has_text_suffix(path: Path) -> bool:
    """Whether the name of a file says that it holds plain text: ``.txt``, in small or capital letters."""
    return path.suffix.lower() == ".txt"


def read_lines(source: Path, problems: Problems) -> Iterator[Line]:
    """Yield the notes of a JSONL file, of standard input (``-``), of a text file, or of a folder of ``.txt`` files.

    In a folder the path is the id. An empty note is a note. A note that is not UTF-8 is reported and left out; a file
    with another ending is counted.

    Raises:
        InputError: the file or folder cannot be read at all.
    """
    if source.is_dir():
        yield from _read_folder(source, problems)
        return
    if is_text_file(source):
        if (text := _read_text(source, problems)) is not None:
            yield Line(1, source.name, text)
        return
    for number, record in read_records(source, problems):
        if (line := _line_of(record, number, f"{source}:{number}", problems)) is not None:
            yield line


def _line_of(record: dict[str, Any], number: int, where: str, problems: Problems) -> Line | None:
    text, note_id = record.get("text"), record.get("id")
    if not isinstance(text, str) or not isinstance(note_id, str | int):
        problems.report(where, "needs a string 'text' and an 'id'")
        return None
    patient, note_type = record.get("patient_id"), record.get("note_type")
    strings = {
        "id": str(note_id),
        "patient_id": None if patient is None else str(patient),
        "note_type": None if note_type is None else str(note_type),
    }
    if invalid := [name for name, value in strings.items() if not is_unicode(value)]:
        problems.report(where, f"{', '.join(invalid)} is not valid Unicode")
        return None
    moment = _moment(record.get("note_datetime"), where, problems)
    extra = {key: value for key, value in record.items() if key not in _KNOWN}
    return Line(number, str(note_id), text, strings["patient_id"], strings["note_type"], moment, extra)


def _moment(value: object, where: str, problems: Problems) -> datetime.datetime | None:
    if value is None:
        return None
    try:
        return datetime.datetime.fromisoformat(str(value)).replace(tzinfo=None)
    except ValueError:
        problems.report(where, "note_datetime is not an ISO 8601 time; dates without a year are read without it")
        return None


def json_line(record: dict[str, Any]) -> str:
    """Return ``record`` as one line of JSON. Text that UTF-8 cannot encode is written as escapes."""
    line = json.dumps(record, ensure_ascii=False)
    return (line if is_unicode(line) else json.dumps(record)) + "\n"


def read_records(source: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield ``(line number, object)`` of every good line; blank lines are skipped."""
    with _open_source(source) as stream:
        for number, raw in enumerate(stream, start=1):
            if not raw.strip():
                continue
            try:
                record = json.loads(raw.decode("utf-8"))
            except UnicodeDecodeError:
                problems.report(f"{source}:{number}", "is not valid UTF-8")
                continue
            except (ValueError, RecursionError):
                problems.report(f"{source}:{number}", "is not valid JSON")
                continue
            if not isinstance(record, dict):
                problems.report(f"{source}:{number}", "is not a JSON object")
                continue
            yield number, record


@contextmanager
def open_target(target: Path, *, file_mode: int | None = None) -> Iterator[IO[str]]:
    """Yield a file that appears when it is complete, or standard output (``-``).

    Args:
        target: The file.
        file_mode: Its permissions; the process's umask decides if ``None``.

    Raises:
        InputError: the file cannot be written.
    """
    if str(target) == "-":
        yield sys.stdout
        return
    with atomic_open(target, file_mode=file_mode) as stream:
        yield stream


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


def _read_folder(folder: Path, problems: Problems) -> Iterator[Line]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = [path for path in files if has_text_suffix(path)]
    problems.files_skipped += sum(not has_text_suffix(path) and path.name[0] != "." for path in files)
    for number, path in enumerate(texts, start=1):
        if (text := _read_text(path, problems)) is not None:
            yield Line(number, str(path.relative_to(folder)), text)


def _read_text(path: Path, problems: Problems) -> str | None:
    """Return the whole file, with its line ends as they are, since offsets count them."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        problems.report(str(path), f"is not valid UTF-8 from byte {error.start} on")
    except OSError:
        problems.report(str(path), "cannot be read")
    return None
