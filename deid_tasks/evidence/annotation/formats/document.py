"""What every format reads and writes: a note with its spans, and the checks that all of them share."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, unquote

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span


@dataclass(frozen=True, slots=True)
class AnnotatedNote:
    """One note of a file; offsets of spans are code points of ``text``."""

    note_id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = ()
    patient_id: str = field(default="", repr=False)
    note_type: str = ""
    annotator: str = ""
    """Who marked it, where the format knows."""
    meta: Mapping[str, str] = field(default_factory=dict, repr=False)


class Format(Protocol):
    """One way of keeping annotated notes in files."""

    suffix: str
    """Of a file of this format; empty where notes lie in a folder, a file or two each."""

    def read(self, source: Path) -> Iterator[AnnotatedNote]:
        """The finished notes of a file or folder. Raises ``InputError`` naming file and line or note, never text."""

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:
        """The notes of a task list that ``write`` wrote, with the spans that it shows."""

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """Write the notes and return how many.

        ``annotated`` is the finished work of each note's annotator; else it is a task list, whose spans are shown as proposals.
        """


class ReadOnly:
    """A format that is read and not written."""

    name = ""
    suffix = ""

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:  # noqa: ARG002
        """Not of this format."""
        raise InputError(f"{self.name} is read only: it knows no task lists")

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:  # noqa: ARG002
        """Not of this format."""
        raise InputError(f"{self.name} is read only")


def verify_text(read: AnnotatedNote, original_text: str) -> None:
    """Raise ``InputError`` where a note's text is not the original; it names the note and the first offset that differs."""
    if read.text == original_text:
        return
    pairs = zip(read.text, original_text, strict=False)
    shorter = min(len(read.text), len(original_text))
    first = next((place for place, (a, b) in enumerate(pairs) if a != b), shorter)
    raise InputError(
        f"note {read.note_id}: its text was changed at offset {first}"
        f" ({len(read.text)} characters in place of {len(original_text)})"
    )


def checked_span(span: Span, text: str, place: str) -> Span:
    """The span; raises ``InputError`` where it lies outside its text."""
    if not 0 <= span.start < span.end <= len(text):
        raise InputError(
            f"{place}: span {span.start}-{span.end} is empty or outside its text of {len(text)} characters"
        )
    return span


def read_text(path: Path) -> str:
    """A file as text, its line ends as they are; raises ``InputError`` where it cannot be read or is no UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no valid UTF-8 at byte {error.start}") from None


def write_text(path: Path, text: str) -> None:
    """Write a file as UTF-8, line ends as they are, readable by its owner alone; raises ``InputError`` where that fails."""
    try:
        path.touch(mode=0o600)
        path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    except UnicodeEncodeError as error:
        raise InputError(f"{path}: character {error.start} is no Unicode scalar value") from None


def write_lines(lines: Iterable[str], target: Path) -> int:
    """Write lines as UTF-8, one at a time, readable by their owner alone; return how many."""
    count = 0
    try:
        target.touch(mode=0o600)
        with target.open("w", encoding="utf-8", newline="") as stream:
            for line in lines:
                stream.write(line)
                count += 1
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    except UnicodeEncodeError:
        raise InputError(f"{target}: a note holds a character that is no Unicode scalar value") from None
    return count


def files_of(source: Path, suffix: str) -> list[Path]:
    """The files of a folder, or the one file given; raises ``InputError`` where there are none."""
    if source.is_file():
        return [source]
    found = sorted(path for path in source.rglob(f"*{suffix}") if not path.name.startswith("."))
    if not source.is_dir():
        raise InputError(f"{source}: is neither a file nor a folder")
    return found


def make_folder(target: Path) -> Path:
    """The folder, made where it is new."""
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{target}: cannot be made: {error.strerror}") from None
    return target


def file_stem(note_id: str) -> str:
    """A file name for a note, from which ``note_id_of`` gives the id back, whatever characters it holds."""
    stem = quote(note_id, safe=" ")
    if stem.startswith("."):
        stem = f"%2E{stem[1:]}"
    if not 0 < len(stem) <= 200:
        raise InputError(f"a note id of {len(note_id)} characters makes no file name")
    return stem


def note_id_of(path: Path) -> str:
    """The id of the note that lies in a file."""
    return unquote(path.stem)
