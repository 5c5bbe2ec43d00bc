"""Runs systems on the same notes, in turns, and stores what each says about each note."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from deid_tasks.comparison.answers import StoredAnswers
from deid_tasks.comparison.environments import SystemUnavailableError, environment_of, python_of
from deid_tasks.comparison.labels import read_label_map
from deid_tasks.comparison.process import Announcement, SystemProcess
from deid_tasks.comparison.protocol import SystemAnswer, SystemNote
from deid_tasks.comparison.registry import SystemChoice
from deid_tasks.core.errors import DeidError

BLOCK = 10
"""Notes that a system reads before it is the next one's turn."""
_LAUNCHER = Path(__file__).parent / "protocol.py"


@dataclass
class SystemRun:
    """What one system did."""

    choice: SystemChoice
    announcement: Announcement | None = None
    """``None`` if it did not start."""
    answers: list[SystemAnswer] = field(default_factory=list)
    """One for each note, in their order; empty if the system did not start, fewer if it did not finish."""
    cached: int = 0
    """How many answers an earlier run gave."""
    failure: SystemUnavailableError | None = None
    """Why it did not start, or did not finish."""


class ComparisonProgress(Protocol):
    """Where a comparison says what it does."""

    def announce(self, text: str) -> None:
        """Say what begins."""

    def count(self, notes: int) -> None:
        """Say how many notes a system has answered."""


class SystemLauncher(Protocol):
    """Makes the process of a system; a test may start another program."""

    def __call__(self, choice: SystemChoice) -> SystemProcess:
        """Return a process that is not started.

        Raises:
            SystemUnavailableError: The system cannot be installed.
        """


def system_launcher(cache: Path, announce: Callable[[str], None], note_seconds: float = 120.0) -> SystemLauncher:
    """Return what makes the processes of known systems.

    Args:
        cache: The folder of environments and answers.
        announce: Shown what is being done.
        note_seconds: How long a system may read one note.
    """

    def launch(choice: SystemChoice) -> SystemProcess:
        python = python_of(choice.definition, cache, announce)
        environment = environment_of(choice.definition, choice.variables, is_ours=str(python) == sys.executable)
        adapter = choice.definition.folder / "adapter.py"
        command = (str(python), str(_LAUNCHER), str(adapter))
        return SystemProcess(command, environment, choice.options, note_seconds=note_seconds)

    return launch


def run_systems(
    choices: Sequence[SystemChoice],
    notes: Sequence[SystemNote],
    cache: Path,
    launch: SystemLauncher,
    progress: ComparisonProgress,
    *,
    is_fresh: bool = False,
    system_seconds: float | None = None,
) -> list[SystemRun]:
    """Return what each system says about each note.

    All systems are started first. Then each reads a block of notes in its turn, while the others wait, so that what
    else the machine does slows all of them alike. A system that cannot go on fails alone.

    Args:
        choices: The systems.
        notes: The notes with their own ids, which may repeat in another set.
        cache: The folder of environments and answers.
        launch: Makes a system's process.
        progress: Where to say what is done.
        is_fresh: Whether answers of earlier runs are left aside.
        system_seconds: How long one system may read in all, apart from its start; looked at after each block.
    """
    runs = [SystemRun(choice) for choice in choices]
    with ExitStack() as stack:
        turns = []
        for run in runs:
            progress.announce(f"starting {run.choice.title}")
            try:
                process = launch(run.choice)
                stack.callback(process.stop)
                run.announcement = process.start()
                turns.append(_Turns(run, process, _answer_cache(cache, run), is_fresh=is_fresh))
            except (DeidError, OSError) as error:
                run.failure = _as_failure(error)
                progress.count(len(notes))
        for first in range(0, len(notes), BLOCK):
            block = notes[first : first + BLOCK]
            for turn in turns:
                if turn.run.failure is None:
                    progress.announce(f"{turn.run.choice.title} reads")
                    turn.try_to_read(block, len(notes), system_seconds)
                progress.count(len(block))
    return runs


class _Turns:
    """One system's turns."""

    def __init__(self, run: SystemRun, process: SystemProcess, cache: StoredAnswers, *, is_fresh: bool) -> None:
        self.run = run
        self._process, self._cache, self._is_fresh = process, cache, is_fresh
        # What another tool wrote to its files depends on the note's id, and may change without a new version.
        self._is_stored = not run.choice.definition.sees_note_ids
        self._labels = read_label_map(run.choice.definition.folder / "labels.json")
        self._seconds = 0.0

    def try_to_read(self, notes: Sequence[SystemNote], total: int, system_seconds: float | None) -> None:
        """Add an answer for each note, or end the system and say why."""
        began = time.monotonic()
        try:
            self.read(notes)
        except (DeidError, OSError) as error:
            self.run.failure = _as_failure(error)
        self._seconds += time.monotonic() - began
        is_late = system_seconds is not None and self._seconds > system_seconds
        if is_late and self.run.failure is None and len(self.run.answers) < total:
            self.run.failure = SystemUnavailableError(
                "TimeLimit",
                f"it had read {len(self.run.answers)} of {total} notes after {self._seconds:.0f} s",
                "compare fewer notes, or give it more time; it continues from its stored answers",
            )
        if self.run.failure is not None:
            self._process.stop()

    def read(self, notes: Sequence[SystemNote]) -> None:
        """Add an answer for each note."""
        is_asked = self._is_fresh or not self._is_stored
        found = [None if is_asked else self._cache.find(note.text) for note in notes]
        new = [note for note, answer in zip(notes, found, strict=True) if answer is None]
        answers = iter(self._ask(new))
        for note, known in zip(notes, found, strict=True):
            answer = known
            if answer is None:
                answer = self._labels.without_text(next(answers), note.text)
                if self._is_stored:
                    self._cache.store(note.text, answer)
            else:
                self.run.cached += 1
            self.run.answers.append(answer)

    def _ask(self, notes: Sequence[SystemNote]) -> list[SystemAnswer]:
        if self.run.choice.definition.sees_note_ids:
            # One at a time: ids of different sets may be equal.
            return [answer for note in notes for answer in self._process.read([note])]
        numbered = [SystemNote(f"n{number}", note.text) for number, note in enumerate(notes)]
        return self._process.read(numbered)


def _as_failure(error: DeidError | OSError) -> SystemUnavailableError:
    """Return why a system did not start or finish."""
    if isinstance(error, SystemUnavailableError):
        return error
    if isinstance(error, DeidError):
        return SystemUnavailableError("StartFailed", str(error), "see that its folder is whole")
    reason = error.strerror or type(error).__name__
    return SystemUnavailableError(
        "StorageFailed", f"a file cannot be read or written: {reason}", "see that the disk is not full"
    )


def _answer_cache(cache: Path, run: SystemRun) -> StoredAnswers:
    assert run.announcement is not None
    definition = run.choice.definition
    adapter = definition.folder / "adapter.py"
    return StoredAnswers(cache, definition.name, run.announcement.version, run.choice.options, adapter)
