"""The external notes: invented notes in many styles, written by authors who had seen no text of this project."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.learning.train.handwritten_notes import read_written

FOLDER = Path(__file__).parents[1] / "external_notes"
SETS = ("read", "blind", "blind_2")
"""``read``: rules were written after reading the errors on these notes; of the others only scores were looked at, of
``blind`` also to choose between models."""


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
