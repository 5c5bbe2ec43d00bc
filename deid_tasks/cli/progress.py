"""Progress of a command on standard error, shown only where that is a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


class CountItems(Protocol):
    """Adds to the number of items that are done."""

    def __call__(self, items: int, /) -> None:
        """Count ``items`` more."""


@contextmanager
def counting(items: str) -> Iterator[CountItems]:
    """Show how many items are done, with the time elapsed.

    Args:
        items: What is counted, in the plural, for example ``notes``.
    """
    with _progress(TextColumn("{task.completed:,.0f} {task.description}")) as progress:
        task = progress.add_task(items, total=None)
        yield lambda done: progress.advance(task, done)


@contextmanager
def working(activity: str) -> Iterator[None]:
    """Show an activity that cannot be counted, with the time elapsed."""
    with _progress(TextColumn("{task.description}")) as progress:
        progress.add_task(activity, total=None)
        yield


def _progress(column: TextColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(
        SpinnerColumn(), column, TimeElapsedColumn(), console=console, transient=True, disable=not console.is_terminal
    )
