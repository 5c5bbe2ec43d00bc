"""The external notes: invented notes in many styles, written by authors who had seen no text of this project."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.learning.train.handwritten_notes import read_written

FOLDER = Path(__file__).parents[1] / "external_notes"
SETS = (
    *("read", "read_2", "read_3", "read_4", "read_5", "read_6", "read_7", "read_8", "read_9"),
    "read_10",
    *("blind", "blind_2", "blind_3", "blind_4"),
)
"""Of the first ten errors were read, and rules written after them; on ``read`` and ``read_2`` the confidence model
was fitted. Of the others only scores were looked at; by those of ``blind``, ``blind_2`` and ``blind_3`` also models and
thresholds were chosen."""


class ExternalNote(NamedTuple):
    """One note with its gold spans."""

    note_id: str
    text: str
    spans: tuple[Span, ...]


def external_notes(name: str) -> Iterator[ExternalNote]:
    """Yield the notes of one of ``SETS``."""
    return read_external(FOLDER / name)


def read_external(folder: Path) -> Iterator[ExternalNote]:
    """Yield the marked notes of a folder."""
    for note in read_written(folder):
        spans = (Span(mark.start, mark.end, Entity(mark.target), "gold") for mark in note.marks)
        yield ExternalNote(note.group, note.text, tuple(spans))
