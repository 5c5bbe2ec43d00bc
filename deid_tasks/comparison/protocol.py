"""The protocol between a comparison and a system under comparison, version 1.

A system is a process. It reads JSON lines on standard input and writes JSON lines on standard output:

1. It reads ``{"protocol": 1, "options": {…}}``.
2. Once loaded it writes ``{"protocol": 1, "system": …, "version": …, "window": 1}``. The window is the number of notes
   that it may hold at once. A system that cannot load writes ``{"protocol": 1, "error": …, "message": …}`` and exits.
3. It reads a line a note, ``{"id": …, "text": …}``, and writes a line a note: the fields of ``SystemAnswer``. Within
   the window, answers come in any order.
4. It exits with status 0 when standard input ends.

Offsets are code points, half-open. Standard error is the system's log.

This file needs nothing but the standard library. It is also the launcher of adapters that run in a foreign environment:
``python protocol.py adapter.py`` makes it importable there under its own name.
"""

import json
import os
import runpy
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from threading import Lock, Semaphore
from typing import Any, Protocol, TextIO, TypeGuard, cast

PROTOCOL_VERSION = 1
_MODULE = "deid_tasks.comparison.protocol"


class ProtocolError(ValueError):
    """A line breaks the protocol; the message holds no text of a note."""


@dataclass(frozen=True)
class SystemNote:
    """A note as a system receives it."""

    id: str
    text: str


@dataclass(frozen=True)
class SystemSpan:
    """A span with the system's own label, in code points of the note, half-open."""

    start: int
    end: int
    label: str
    score: float | None = None


@dataclass(frozen=True)
class SystemAnswer:
    """What a system says about one note."""

    id: str
    spans: tuple[SystemSpan, ...] = ()
    seconds: float = 0.0
    """Wall-clock time of this note inside the system."""
    cpu_seconds: float | None = None
    """Processor time of this note; ``None`` if it cannot be told, for example of a remote service."""
    error: str | None = None
    """Class name of the exception that the note ended with; its spans then do not count."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    dollars: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    """Counts only, never text."""


class System(Protocol):
    """What an adapter implements."""

    name: str
    version: str
    window: int
    """Notes that may be held at once. Above 1, ``find`` is called from as many threads."""

    def find(self, note: SystemNote) -> "SystemAnswer | Sequence[SystemSpan]":
        """Return the spans of one note, or a whole answer with tokens, dollars and details.

        A whole answer may leave ``seconds`` and ``cpu_seconds`` at their defaults: they are then measured.
        """


SystemFactory = Callable[[Mapping[str, Any]], System]
"""Loads a system with the options that the comparison was given."""


def serve(factory: SystemFactory, source: TextIO | None = None, target: TextIO | None = None) -> None:
    """Load a system and answer notes until the input ends: the main loop of an adapter.

    Whatever the system prints goes to standard error, so that it cannot break the protocol.

    Args:
        factory: Loads the system.
        source: Read instead of standard input.
        target: Written instead of standard output.

    Raises:
        SystemExit: The first line is not this protocol's, or the system could not be loaded.
    """
    lines = iter((source or _utf8(0, "r")).readline, "")
    out = _Output(target or _private_stdout())
    try:
        options = parse_options(next(lines, ""))
        system = factory(options)
    except Exception as error:
        # No note has been read: the message cannot hold text of one.
        out.write({"protocol": PROTOCOL_VERSION, "error": type(error).__name__, "message": str(error)[:500]})
        raise SystemExit(1) from error
    window = max(1, system.window)
    out.write({"protocol": PROTOCOL_VERSION, "system": system.name, "version": system.version, "window": window})
    if window == 1:
        for note in _notes(lines):
            out.write(asdict(_answer(system, note, _processor_seconds)))
        return
    _serve_at_once(system, _notes(lines), out, window)


def parse_options(line: str) -> Mapping[str, Any]:
    """Return the options of the first line.

    Raises:
        ProtocolError: The line is not that of this protocol's version.
    """
    record = _record(line)
    if record.get("protocol") != PROTOCOL_VERSION:
        raise ProtocolError(f"expected protocol {PROTOCOL_VERSION}")
    options = record.get("options", {})
    if not isinstance(options, dict):
        raise ProtocolError("options are not an object")
    return options


def parse_answer(line: str) -> SystemAnswer:
    """Return a line of a system as an answer.

    Raises:
        ProtocolError: The line is not an answer.
    """
    record = _record(line)
    if not isinstance(record.get("id"), str):
        raise ProtocolError("an answer has no id")
    error = record.get("error")
    spans = record.get("spans") or []
    details = record.get("details") or {}
    if not isinstance(spans, list) or not isinstance(details, dict):
        raise ProtocolError("spans are not a list, or details not an object")
    return SystemAnswer(
        record["id"],
        tuple(_span(span) for span in spans),
        _number(record, "seconds") or 0.0,
        _number(record, "cpu_seconds"),
        None if error is None else str(error),
        _whole_number(record, "tokens_in"),
        _whole_number(record, "tokens_out"),
        _number(record, "dollars"),
        {str(name): float(value) for name, value in details.items() if _is_number(value)},
    )


def _serve_at_once(system: System, notes: Iterator[SystemNote], out: "_Output", window: int) -> None:
    """Answer as many notes at once as the window allows."""
    free = Semaphore(window)

    def answer(note: SystemNote) -> None:
        try:
            out.write(asdict(_answer(system, note, time.thread_time)))
        finally:
            free.release()

    with ThreadPoolExecutor(window) as pool:
        for note in notes:
            free.acquire()
            pool.submit(answer, note)


def _answer(system: System, note: SystemNote, processor_clock: Callable[[], float]) -> SystemAnswer:
    began, processor_began = time.perf_counter(), processor_clock()
    try:
        found = system.find(note)
    except Exception as error:
        # The message may quote the note: only the class goes out.
        found = SystemAnswer(note.id, error=type(error).__name__)
    seconds, cpu_seconds = time.perf_counter() - began, processor_clock() - processor_began
    if not isinstance(found, SystemAnswer):
        return SystemAnswer(note.id, tuple(found), seconds, cpu_seconds)
    measured = {**vars(found), "id": note.id, "seconds": found.seconds or seconds}
    if found.cpu_seconds is None:
        measured["cpu_seconds"] = cpu_seconds
    return SystemAnswer(**measured)


def _processor_seconds() -> float:
    """Return the processor time of this process and of its ended children."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def _notes(lines: Iterator[str]) -> Iterator[SystemNote]:
    for line in lines:
        if line.strip():
            record = _record(line)
            yield SystemNote(str(record["id"]), str(record["text"]))


class _Output:
    """Writes whole lines, from any thread."""

    def __init__(self, target: TextIO) -> None:
        self._target, self._lock = target, Lock()

    def write(self, record: Mapping[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=True)
        with self._lock:
            self._target.write(line + "\n")
            self._target.flush()


def _private_stdout() -> TextIO:
    """Return a stream to standard output, and send everything else that is printed to standard error."""
    descriptor = os.dup(1)
    os.dup2(2, 1)
    return _utf8(descriptor, "w")


def _utf8(descriptor: int, mode: str) -> TextIO:
    # Line ends inside JSON are escaped; "\n" alone ends a line on every platform.
    return cast("TextIO", os.fdopen(descriptor, mode, encoding="utf-8", newline="\n"))


def _record(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        # The parser's message and its chain may quote the line.
        record = None
    if not isinstance(record, dict):
        raise ProtocolError("a line is not a JSON object")
    return record


def _span(record: Any) -> SystemSpan:
    if not isinstance(record, dict):
        raise ProtocolError("a span is not an object")
    start, end, label, score = (record.get(name) for name in ("start", "end", "label", "score"))
    if not isinstance(start, int) or not isinstance(end, int) or not isinstance(label, str) or not 0 <= start < end:
        raise ProtocolError("a span needs start < end, code points from 0, and a label")
    return SystemSpan(start, end, label, float(score) if _is_number(score) else None)


def _number(record: Mapping[str, Any], name: str) -> float | None:
    value = record.get(name)
    if value is not None and not _is_number(value):
        raise ProtocolError(f"{name} is not a number")
    return None if value is None else float(value)


def _whole_number(record: Mapping[str, Any], name: str) -> int | None:
    value = _number(record, name)
    return None if value is None else int(value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _launch(adapter: str) -> None:
    """Run an adapter's file as a program, with this module importable under its own name."""
    sys.modules[_MODULE] = sys.modules["__main__"]
    # The folder of this file holds modules whose names a foreign package may have.
    sys.path[0] = os.path.dirname(os.path.abspath(adapter))  # noqa: PTH100, PTH120 (the path may be a zipped one)
    runpy.run_path(adapter, run_name="__main__")


if __name__ == "__main__":
    _launch(sys.argv[1])
