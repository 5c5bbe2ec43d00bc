"""Shows the demo's progress: bars on a terminal, lines in a log."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars


class StageDisplay(Protocol):
    """One stage in the display; its parts are known by their position in the given list."""

    def update(self, part: int, done: int, total: int) -> None:
        """``done`` of ``total`` tasks of the part have ended."""

    def finish(self, part: int, total: int) -> None:
        """The part has succeeded."""


class Progress:
    """Shows steps and stages on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def say(self, text: str) -> None:
        """Print a step that begins."""
        self._console.print(f"[cyan]•[/] {text}", highlight=False)

    @contextmanager
    def stage(self, title: str, parts: Sequence[str]) -> Iterator[StageDisplay]:
        """Show a stage whose parts run in parallel."""
        self.say(title)
        if not self._console.is_terminal:
            yield _Lines(self._console, parts)
            return
        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        with Bars(*columns, TimeElapsedColumn(), console=self._console) as bars:
            yield _Bars(bars, parts)


class _Bars:
    def __init__(self, bars: Bars, parts: Sequence[str]) -> None:
        self._bars = bars
        self._tasks = [bars.add_task(part, total=None) for part in parts]

    def update(self, part: int, done: int, total: int) -> None:
        self._bars.update(self._tasks[part], completed=done, total=total or None)

    def finish(self, part: int, total: int) -> None:
        self._bars.update(self._tasks[part], completed=total, total=total)


class _Lines:
    def __init__(self, console: Console, parts: Sequence[str]) -> None:
        self._console, self._parts = console, parts
        self._quarters: dict[int, int] = {}
        self._began = time.monotonic()

    def update(self, part: int, done: int, total: int) -> None:
        quarter = 4 * done // total if total else 0
        if quarter > self._quarters.get(part, 0) and quarter < 4:
            self._quarters[part] = quarter
            self._console.print(f"    {self._parts[part]}: {done} of {total} tasks", highlight=False)

    def finish(self, part: int, total: int) -> None:
        seconds = time.monotonic() - self._began
        self._console.print(f"    {self._parts[part]}: done, {total} tasks, {seconds:,.0f} s", highlight=False)
