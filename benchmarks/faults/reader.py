"""What the readers under test have in common: their form, and what they write and count."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks.faults.bad_notes import CANARY

KEY = bytes(range(32))
ROOT = Path(__file__).parents[2]
TEXT = f"Seen by Dr. {CANARY} on 3/14/2024.\nZoë, José 👩‍⚕️ \x0b ]]> <TEXT> & called 617-555-0123."


class Reader(NamedTuple):
    """One kind of file."""

    write: Callable[[Path], None]
    """Write the files into an empty folder."""
    read: Callable[[Path], object]
    """Read them from a folder."""
    damaged: str = "*"
    """Which of the files are damaged, as ``Path.rglob`` takes it."""


def put_text(path: Path, content: str) -> None:
    """Write a file in UTF-8, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())


def count_rows(rows: Iterable[object]) -> int:
    """Read all rows and return how many there are."""
    return sum(1 for _ in rows)
