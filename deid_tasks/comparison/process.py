"""One system as a process: start, notes in, answers out, and whatever can go wrong on the way."""

import json
import os
import queue
import shutil
import stat
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from deid_tasks.comparison.environments import SystemUnavailableError
from deid_tasks.comparison.protocol import (
    PROTOCOL_VERSION,
    ProtocolError,
    SystemAnswer,
    SystemNote,
    parse_answer,
)

DIED, TIMEOUT, MALFORMED, OUTSIDE, NOT_STARTED, GAVE_UP = (
    "ProcessDied",
    "Timeout",
    "MalformedAnswer",
    "SpanOutsideText",
    "NotStarted",
    "TooManyFailures",
)
"""Errors of a note that the comparison itself sees; a system's own errors are names of exceptions."""
_MAX_FAILURES_IN_A_ROW = 5
_LOG_CHARACTERS = 300
_ENDED = None
_FOLDER_PREFIX = "palimpsest-system-"


def delete_abandoned_folders(oldest: float) -> int:
    """Delete this user's temporary folders of systems whose own process was killed; return how many there were.

    Args:
        oldest: Folders that changed later than this time are taken for those of running systems.
    """
    deleted = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            if status.st_uid == os.geteuid() and stat.S_ISDIR(status.st_mode) and status.st_mtime < oldest:
                shutil.rmtree(folder)
                deleted += 1
    return deleted


@dataclass(frozen=True)
class Announcement:
    """What a system says of itself when it has loaded."""

    system: str
    version: str
    window: int
    seconds: float
    """Time from the start of the process."""


class SystemProcess:
    """A system's process, restarted if it dies.

    What it prints on standard error goes to a file that is deleted with it: it may quote notes. So may what it writes
    into its temporary folder, which is its own and is deleted with it too.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        options: Mapping[str, str],
        start_seconds: float = 600.0,
        note_seconds: float = 120.0,
    ) -> None:
        """Start nothing yet.

        Args:
            command: Program and arguments.
            environment: All environment variables.
            options: Sent with the first line.
            start_seconds: How long the system may load.
            note_seconds: How long it may read one note.
        """
        self._command, self._environment, self._options = list(command), dict(environment), dict(options)
        self._start_seconds, self._note_seconds = start_seconds, note_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._outbox: queue.Queue[bytes | None] = queue.Queue()
        self._log: IO[bytes] | None = None
        self._own_folder: tempfile.TemporaryDirectory[str] | None = None
        self._failures_in_a_row = 0
        self._has_read_notes = False
        self.announcement: Announcement | None = None

    def start(self) -> Announcement:
        """Start the process, unless it runs, and return what it says of itself.

        Raises:
            SystemUnavailableError: It cannot be started, ends, or does not speak the protocol.
        """
        if self._process is not None and self.announcement is not None:
            return self.announcement
        began = time.perf_counter()
        self._lines, self._outbox = queue.Queue(), queue.Queue()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        # A system that is killed cleans nothing up.
        self._own_folder = tempfile.TemporaryDirectory(prefix=_FOLDER_PREFIX, ignore_cleanup_errors=True)
        try:
            process = subprocess.Popen(  # noqa: S603 (an adapter)
                self._command,
                env={**self._environment, "TMPDIR": self._own_folder.name},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
            )
        except OSError as error:
            self._own_folder.cleanup()
            raise SystemUnavailableError(
                "StartFailed", f"{self._command[0]} cannot be run: {type(error).__name__}", "check the path"
            ) from error
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        threading.Thread(target=_read_lines, args=(process.stdout, self._lines), daemon=True).start()
        threading.Thread(target=_write_lines, args=(process.stdin, self._outbox), daemon=True).start()
        self._send({"protocol": PROTOCOL_VERSION, "options": self._options})
        announcement = self._announcement(began)
        # A restart is not start-up time of the system.
        self.announcement = self.announcement or announcement
        return self.announcement

    def read(self, notes: Sequence[SystemNote]) -> list[SystemAnswer]:
        """Return one answer for each note, in their order; a note without an answer has an error.

        Note ids must differ.
        """
        reading = _Reading(notes)
        while reading.is_open:
            if self._failures_in_a_row >= _MAX_FAILURES_IN_A_ROW:
                reading.fail_all(GAVE_UP)
                break
            try:
                announcement = self.start()
            except SystemUnavailableError:
                self.stop()
                reading.fail_all(NOT_STARTED)
                break
            for note in reading.sendable(announcement.window, time.monotonic() + self._note_seconds):
                self._has_read_notes = True
                self._send(asdict(note))
            self._take(reading)
        return reading.in_order()

    def stop(self) -> None:
        """End the process: by the end of its input, or else by force."""
        process, self._process = self._process, None
        if process is None:
            return
        self._outbox.put(_ENDED)
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
        if self._log:
            self._log.close()
        if self._own_folder:
            self._own_folder.cleanup()

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
        self.stop()

    def _take(self, reading: "_Reading") -> None:
        """Wait for one line, and store what it says."""
        try:
            line = self._lines.get(timeout=max(0.0, reading.first_deadline - time.monotonic()))
        except queue.Empty:
            self._failed(reading, TIMEOUT)
            return
        if line is _ENDED:
            self._failed(reading, DIED)
            return
        try:
            reading.store(parse_answer(line))
            self._failures_in_a_row = 0
        except ProtocolError:
            # The lines that follow may belong to any note.
            self._failed(reading, MALFORMED)

    def _failed(self, reading: "_Reading", error: str) -> None:
        self._kill()
        self._failures_in_a_row += reading.fail_held(error, time.monotonic())

    def _send(self, record: Mapping[str, Any]) -> None:
        self._outbox.put(json.dumps(record, ensure_ascii=True).encode("ascii") + b"\n")

    def _announcement(self, began: float) -> Announcement:
        try:
            line = self._lines.get(timeout=self._start_seconds)
        except queue.Empty:
            self._kill()
            raise SystemUnavailableError(
                "StartTimeout", f"it did not load within {self._start_seconds:,.0f} s", "try again on an idle machine"
            ) from None
        record = _announced(line)
        if record is None or "error" in record or record.get("protocol") != PROTOCOL_VERSION:
            log = self._last_log_line()
            self._kill()
            said = f"{record['error']}: {record.get('message', '')}" if record and "error" in record else log
            raise SystemUnavailableError(
                "StartFailed", said or "it ended without a word", "see that its packages and its model are there"
            )
        window = record.get("window", 1)
        return Announcement(
            str(record.get("system", "")),
            str(record.get("version", "")),
            window if isinstance(window, int) and window > 0 else 1,
            time.perf_counter() - began,
        )

    def _last_log_line(self) -> str:
        """Return the last line of the log, but not after a note was read: it may quote one."""
        if self._log is None or self._has_read_notes:
            return ""
        if self._process is not None:
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                return ""
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:_LOG_CHARACTERS] if lines else ""


class _Reading:
    """Notes that wait, notes that the system holds, and answers."""

    def __init__(self, notes: Sequence[SystemNote]) -> None:
        self._notes = notes
        self._lengths = {note.id: len(note.text) for note in notes}
        self._waiting = deque(notes)
        self._suspects: deque[SystemNote] = deque()
        """Held together when the process ended: one of them is to blame, so each is sent alone."""
        self._held: dict[str, tuple[SystemNote, float]] = {}
        self._answers: dict[str, SystemAnswer] = {}

    @property
    def is_open(self) -> bool:
        return bool(self._waiting or self._suspects or self._held)

    @property
    def first_deadline(self) -> float:
        return min(deadline for _, deadline in self._held.values())

    def sendable(self, window: int, deadline: float) -> list[SystemNote]:
        """Return the notes to send now, and hold them."""
        source, room = (self._suspects, 1) if self._suspects else (self._waiting, window)
        notes = []
        while source and len(self._held) < room:
            note = source.popleft()
            self._held[note.id] = (note, deadline)
            notes.append(note)
        return notes

    def store(self, answer: SystemAnswer) -> None:
        """Store an answer; raises ``ProtocolError`` if its note is not held."""
        if self._held.pop(answer.id, None) is None:
            raise ProtocolError("an answer to a note that the system does not hold")
        if answer.error is None and any(span.end > self._lengths[answer.id] for span in answer.spans):
            answer = SystemAnswer(answer.id, error=OUTSIDE)
        elif answer.error is not None:
            # The class of an exception, whatever a system writes there.
            answer = SystemAnswer(**{**vars(answer), "spans": (), "error": _class_name(answer.error)})
        self._answers[answer.id] = answer

    def fail_held(self, error: str, now: float) -> int:
        """Fail the note that is to blame, or send all that were held again, each alone; return how many failed."""
        held, self._held = list(self._held.values()), {}
        if error == TIMEOUT:
            first = min(deadline for _, deadline in held)
            blamed = [note for note, deadline in held if deadline <= max(first, now)]
        else:
            blamed = [note for note, _ in held] if len(held) == 1 else []
        for note in blamed:
            self._answers[note.id] = SystemAnswer(note.id, error=error)
        self._suspects.extend(note for note, _ in held if note not in blamed)
        return len(blamed)

    def fail_all(self, error: str) -> None:
        """Fail every note that has no answer."""
        for note in self._notes:
            self._answers.setdefault(note.id, SystemAnswer(note.id, error=error))
        self._waiting.clear()
        self._suspects.clear()
        self._held.clear()

    def in_order(self) -> list[SystemAnswer]:
        return [self._answers[note.id] for note in self._notes]


def _announced(line: str | None) -> dict[str, Any] | None:
    try:
        record = json.loads(line or "")
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _class_name(error: str) -> str:
    name = error.strip()
    return name if name.isidentifier() and len(name) <= 80 else "Error"


def _read_lines(stream: IO[bytes], lines: "queue.Queue[str | None]") -> None:
    try:
        for line in stream:
            lines.put(line.decode("utf-8", "replace"))
    except (OSError, ValueError):
        pass
    lines.put(_ENDED)


def _write_lines(stream: IO[bytes], outbox: "queue.Queue[bytes | None]") -> None:
    """Write until told to end. A process that has died is noticed by the reader."""
    try:
        while (line := outbox.get()) is not _ENDED:
            stream.write(line)
            stream.flush()
        stream.close()
    except OSError:
        pass
