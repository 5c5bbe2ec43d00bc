"""The note that every format reads and writes, and the checks that all formats share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.labels import NO_OWN_LABELS, OwnLabels


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
    """What else the format stores of the note, by its name; ``folder`` is that of a file inside its source."""
    ignored: tuple[Span, ...] = ()
    """Text that counts on neither side."""


ReadNote = AnnotatedNote | InputError
"""A note, or why it cannot be read."""


class AnnotationFormat(ABC):
    """One way to store annotated notes in files."""

    suffix = ""
    """The suffix of a file of this format; empty if the notes are stored in a folder, one or two files each."""

    @abstractmethod
    def read_each(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[ReadNote]:
        """Yield each finished note of a file or folder, or the error of this one note: the others can be read.

        Errors name file and line, note or tag, and hold no text.

        Raises:
            InputError: The file or folder as a whole cannot be read.
        """

    def read(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[AnnotatedNote]:
        """Yield the finished notes of a file or folder; raises ``InputError`` at the first that cannot be read."""
        yield from _all_read(self.read_each(source, labels))

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield the notes of a task list that ``write`` wrote, with the spans that it shows.

        A task list has the form of finished notes unless the format says otherwise.
        """
        return self.read(source)

    @abstractmethod
    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """Write the notes and return their number.

        Args:
            notes: The notes, streamed.
            target: The file, or the folder if the format has no suffix.
            annotated: Whether the spans are the finished work of each note's annotator; if not, the file is a task list
                whose spans are shown as proposals.
        """


class ReadOnlyFormat(AnnotationFormat):
    """The base of a format that is read and never written."""

    name = ""

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:  # noqa: ARG002
        """Raise ``InputError``: the format has no task lists."""
        raise InputError(f"{self.name} is a read-only format and has no task lists; choose another annotation format")

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:  # noqa: ARG002
        """Raise ``InputError``: the format is never written."""
        raise InputError(f"{self.name} is a read-only format; choose another annotation format")


def note_or_error(make: Callable[..., AnnotatedNote], *args: Any) -> ReadNote:
    """Return the note that ``make`` returns, or the ``InputError`` that it raises."""
    try:
        return make(*args)
    except InputError as error:
        return error


def _all_read(notes: Iterable[ReadNote]) -> Iterator[AnnotatedNote]:
    for note in notes:
        if isinstance(note, InputError):
            raise note
        yield note


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
