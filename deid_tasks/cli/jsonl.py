"""Notes in and out as JSON lines, streamed; a bad line is reported by its number, and the others are read.

A plain text file is one note, and so are each ``.txt`` or ``.TXT`` file of a folder and each row of a table (``.csv``,
``.tsv``). A byte order mark is no part of a text.
"""

import csv
import datetime
import io
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
from deid_tasks.evidence.annotation.formats.files import has_byte_order_mark, note_id_of
from deid_tasks.evidence.annotation.formats.jsonl import parse_records

_KNOWN = frozenset({"id", "text", "patient_id", "note_type", "note_datetime", "spans"})
_RECORDS = frozenset({".jsonl", ".ndjson", ".json"})
TABLE_DELIMITERS = {".csv": ",", ".tsv": "\t"}
"""The delimiter of a table by the suffix of its file."""
_LONGEST_CELL = 2**31 - 1
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
        self.add(f"{where}: {reason}")

    def add(self, problem: object) -> None:
        """Report one problem that says itself where it is, such as an ``InputError``."""
        self.count += 1
        print(problem, file=sys.stderr)


def is_text_file(source: Path) -> bool:
    """Whether ``source`` is one note in plain text: by its name, or else by its first characters."""
    if str(source) == "-" or source.suffix in {*_RECORDS, *TABLE_DELIMITERS} or not source.is_file():
        return False
    if has_text_suffix(source):
        return True
    with _open_source(source) as stream:
        return not stream.read(_SNIFFED_BYTES).decode("utf-8-sig", "replace").lstrip().startswith("{")


def byte_order_mark(source: Path) -> str:
    """Return what stands in front of the text of a file: a byte order mark or nothing."""
    return "\ufeff" if has_byte_order_mark(source) else ""


def has_text_suffix(path: Path) -> bool:
    """Whether the name of a file says that it holds plain text: ``.txt``, in small or capital letters."""
    return path.suffix.lower() == ".txt"


def read_lines(source: Path, problems: Problems) -> Iterator[Line]:
    """Yield the notes of a JSONL file, of standard input (``-``), of a table, of a text file or of a folder of them.

    The id of a note in a file of its own is the file's name without its suffix, in a folder with the path in front: the
    id that the readers of annotation formats give it. An empty note is a note. A note that is not UTF-8 is reported and
    left out; a file of a folder with another ending is counted.

    Raises:
        InputError: the file or folder cannot be read at all, or a table has no columns ``id`` and ``text``.
    """
    if source.is_dir():
        yield from _read_folder(source, problems)
        return
    if is_text_file(source):
        if (text := _read_text(source, problems)) is not None:
            yield Line(1, note_id_of(source), text)
        return
    is_table = source.suffix in TABLE_DELIMITERS
    for number, record in _read_table(source, problems) if is_table else read_records(source, problems):
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
    for number, record in read_each_record(source):
        if isinstance(record, InputError):
            problems.add(record)
        else:
            yield number, record


def read_each_record(source: Path) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    """Yield line number and object of every line, or why it cannot be read; blank lines are skipped."""
    with _open_source(source) as stream:
        yield from parse_records(stream, source)


def _read_table(source: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and cells of every good row; empty cells but ``text`` are left out."""
    csv.field_size_limit(_LONGEST_CELL)
    with _open_source(source) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        rows = csv.DictReader(text, delimiter=TABLE_DELIMITERS[source.suffix], strict=True)
        try:
            missing = [name for name in ("id", "text") if name not in (rows.fieldnames or ())]
            if missing:
                # Without a heading the first line is a note.
                raise InputError(f"{source}: its first line names no column {' and no column '.join(missing)}")
            for row in rows:
                if None in row or None in row.values():
                    problems.report(f"{source}:{rows.line_num}", "has another number of cells than the first line")
                    continue
                yield rows.line_num, {name: cell for name, cell in row.items() if cell or name == "text"}
        except UnicodeDecodeError:
            raise InputError(f"{source}: is not valid UTF-8 after line {rows.line_num}") from None
        except csv.Error:
            raise InputError(f"{source}: is not a valid table after line {rows.line_num}") from None


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
            yield Line(number, "/".join([*path.relative_to(folder).parent.parts, note_id_of(path)]), text)


def _read_text(path: Path, problems: Problems) -> str | None:
    """Return the whole text, with its line ends as they are, since offsets count them."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problems.report(str(path), f"is not valid UTF-8 from byte {error.start} on")
    except OSError:
        problems.report(str(path), "cannot be read")
    return None
