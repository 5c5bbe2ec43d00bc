"""brat standoff files: a ``.txt`` and an ``.ann`` for each note. The MEDDOCAN corpus has this form, with labels of its
own.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.files import make_folder
from deid_tasks.evidence.annotation.formats.files import (
    annotation_files,
    file_stem,
    folder_of,
    has_byte_order_mark,
    note_id_of,
    read_text,
    write_text,
)
from deid_tasks.evidence.annotation.formats.marks import FileMark, spans_of
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, AnnotationFormat, ReadNote, note_or_error
from deid_tasks.evidence.annotation.labels import NO_OWN_LABELS, SCHEMES, OwnLabels

_SCHEMES = (SCHEMES["ours"], SCHEMES["meddocan"], SCHEMES["i2b2-2014"])


class Brat(AnnotationFormat):
    """Folders of brat files; offsets are code points."""

    def read_each(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[ReadNote]:
        """Yield each note that has an ``.ann`` file; each fragment of a discontinuous span becomes a span."""
        for path in annotation_files(source, ".ann"):
            yield note_or_error(_note, path, labels, folder_of(path, source))

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


def _note(path: Path, labels: OwnLabels, folder: str) -> AnnotatedNote:
    beside = path.with_suffix(".txt")
    text = read_text(beside)
    found = spans_of(_marks(path), text, labels, *_SCHEMES, has_byte_order_mark=has_byte_order_mark(beside))
    return AnnotatedNote(note_id_of(path), text, found.spans, meta={"folder": folder}, ignored=found.ignored)


def _lines(note: AnnotatedNote) -> Iterator[str]:
    for number, span in enumerate(note.spans, start=1):
        marked_text = " ".join(note.text[span.start : span.end].splitlines())
        yield f"T{number}\t{span.entity} {span.start} {span.end}\t{marked_text}\n"


def _marks(path: Path) -> Iterator[FileMark]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.startswith("T"):
            continue
        location = f"{path}:{number}"
        try:
            tag, about, *marked = line.split("\t", 2)
            label, offsets = about.split(" ", 1)
            fragments = [(int(start), int(end)) for start, end in (pair.split() for pair in offsets.split(";"))]
        except ValueError:
            raise InputError(f"{location}: is not a text-bound annotation (T…, label, start, end)") from None
        yield FileMark(tuple(fragments), label, f"{location}: {tag}", "".join(marked))
