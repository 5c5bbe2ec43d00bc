"""The note that every format reads and writes, and the checks that all formats share."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span


@dataclass(frozen=True, slots=True)
class AnnotatedNote:
    """One note with its spans, whose offsets are code points of ``text``."""

    note_id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = ()
    patient_id: str = field(default="", repr=False)
    note_type: str = ""
    annotator: str = ""
    """The person who marked the note, if the format stores it."""
    meta: Mapping[str, str] = field(default_factory=dict, repr=False)


class AnnotationFormat(Protocol):
    """One way to store annotated notes in files."""

    suffix: str
    """The suffix of a file of this format; empty if the notes are stored in a folder, one or two files each."""

    def read(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield the finished notes of a file or folder. Raises ``InputError`` with file and line or note, never with
        text.
        """

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield the notes of a task list that ``write`` wrote, with the spans that it shows."""

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """Write the notes and return their number.

        Args:
            notes: The notes, streamed.
            target: The file, or the folder if the format has no suffix.
            annotated: Whether the spans are the finished work of each note's annotator; if not, the file is a task list
                whose spans are shown as proposals.
        """


class ReadOnlyFormat:
    """The base of a format that is read and never written."""

    name = ""
    suffix = ""

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:  # noqa: ARG002
        """Raise ``InputError``: the format has no task lists."""
        raise InputError(f"{self.name} is a read-only format and has no task lists; choose another annotation format")

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:  # noqa: ARG002
        """Raise ``InputError``: the format is never written."""
        raise InputError(f"{self.name} is a read-only format; choose another annotation format")


def verify_text(note: AnnotatedNote, original_text: str, source: str = "") -> None:
    """Raise ``InputError`` if a note's text is not the original.

    Args:
        note: The note as it came back from annotation.
        original_text: The text that was exported.
        source: The file, person or sample that the note comes from, for the message.
    """
    if note.text == original_text:
        return
    pairs = zip(note.text, original_text, strict=False)
    shorter = min(len(note.text), len(original_text))
    first = next((offset for offset, (a, b) in enumerate(pairs) if a != b), shorter)
    raise InputError(
        f"{source}{': ' if source else ''}note {note.note_id}: its text was changed at offset {first}"
        f" ({len(note.text)} characters instead of {len(original_text)}); annotate the exported text again"
    )


def checked_span(span: Span, text: str, location: str) -> Span:
    """Return the span, or raise ``InputError`` if it is empty or outside its text; ``location`` is its file and line or
    note.
    """
    if not 0 <= span.start < span.end <= len(text):
        raise InputError(
            f"{location}: span {span.start}-{span.end} is empty or outside its text of {len(text)} characters"
        )
    return span
