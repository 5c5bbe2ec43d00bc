"""Notes in and out as JSON lines, streamed; a bad line is reported by its number and the rest goes on."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from deid_tasks.errors import InputError

_KNOWN = frozenset({"id", "text", "patient_id", "note_type", "note_datetime", "spans"})


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


def read_notes(source: Path, problems: Problems) -> Iterator[Line]:
    """The notes of a JSONL file, of standard input (``-``), or of a folder of ``.txt`` files (the path is the id).

    Raises:
        InputError: the file or folder cannot be read at all.
    """
    if source.is_dir():
        yield from _read_folder(source, problems)
        return
    for number, record in read_records(source, problems):
        text, note_id = record.get("text"), record.get("id")
        if not isinstance(text, str) or not isinstance(note_id, str | int):
            problems.report(f"{source}:{number}", "needs a string 'text' and an 'id'")
            continue
        patient = record.get("patient_id")
        yield Line(
            number,
            str(note_id),
            text,
            None if patient is None else str(patient),
            record.get("note_type"),
            record.get("note_datetime"),
            {key: value for key, value in record.items() if key not in _KNOWN},
        )


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
        with partial.open("w", encoding="utf-8") as stream:
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


def _read_folder(folder: Path, problems: Problems) -> Iterator[Line]:
    for number, path in enumerate(sorted(folder.rglob("*.txt")), start=1):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            problems.report(
                str(path), "is no valid UTF-8" if isinstance(error, UnicodeDecodeError) else "cannot be read"
            )
            continue
        yield Line(number, str(path.relative_to(folder)), text)
