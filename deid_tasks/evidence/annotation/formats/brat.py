"""brat standoff files: a ``.txt`` and an ``.ann`` for each note. The MEDDOCAN corpus has this form, with labels of its
own.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.files import make_folder
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats.files import (
    annotation_files,
    file_stem,
    note_id_of,
    read_text,
    write_text,
)
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, checked_span
from deid_tasks.evidence.annotation.labels import SCHEMES, entity_of

_SCHEMES = (SCHEMES["ours"], SCHEMES["meddocan"], SCHEMES["i2b2-2014"])


class Brat:
    """Folders of brat files; offsets are code points."""

    suffix = ""

    def read(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield each note that has an ``.ann`` file; each fragment of a discontinuous span becomes a span."""
        for path in annotation_files(source, ".ann"):
            text = read_text(path.with_suffix(".txt"))
            spans = {checked_span(span, text, str(path)) for span in _spans(path)}
            yield AnnotatedNote(note_id_of(path), text, tuple(sorted(spans)))

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield the notes of a task list, which has the form of finished notes."""
        return self.read(source)

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:  # noqa: ARG002
        """Write two files for each note, and brat's configuration beside them; proposals are annotations to correct."""
        folder = make_folder(target)
        labels = "\n".join(str(entity) for entity in Entity)
        write_text(folder / "annotation.conf", f"[entities]\n{labels}\n\n[relations]\n\n[events]\n\n[attributes]\n")
        count = 0
        for note in notes:
            stem = file_stem(note.note_id)
            write_text(folder / f"{stem}.txt", note.text)
            write_text(folder / f"{stem}.ann", "".join(_lines(note)))
            count += 1
        return count


def _lines(note: AnnotatedNote) -> Iterator[str]:
    for number, span in enumerate(note.spans, start=1):
        marked_text = " ".join(note.text[span.start : span.end].splitlines())
        yield f"T{number}\t{span.entity} {span.start} {span.end}\t{marked_text}\n"


def _spans(path: Path) -> Iterator[Span]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.startswith("T"):
            continue
        location = f"{path}:{number}"
        try:
            label, offsets = line.split("\t")[1].split(" ", 1)
            fragments = [tuple(int(part) for part in pair.split()) for pair in offsets.split(";")]
            bounds = [(start, end) for start, end in fragments]
        except (IndexError, ValueError):
            raise InputError(f"{location}: is not a text-bound annotation (T…, label, start, end)") from None
        if entity := entity_of(label, location, *_SCHEMES):
            for start, end in bounds:
                yield Span(start, end, entity)
