"""doccano's JSON lines, with ``label`` (sequence labelling) or ``entities`` (sequence labelling with relations).

The project option "count grapheme clusters as one character" must be off, so that offsets are code points.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.formats.files import write_lines
from deid_tasks.evidence.annotation.formats.jsonl import json_records
from deid_tasks.evidence.annotation.formats.marks import FileMark, spans_of
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, AnnotationFormat, ReadNote, note_or_error
from deid_tasks.evidence.annotation.labels import NO_OWN_LABELS, SCHEMES, OwnLabels


class Doccano(AnnotationFormat):
    """Files of doccano's JSON lines."""

    suffix = ".jsonl"

    def read_each(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[ReadNote]:
        """Yield each note of an export.

        Export confirmed documents only: an unfinished document looks like a finished one without spans.
        """
        for number, record in json_records(source):
            yield note_or_error(_note, record, f"{source}:{number}", labels)

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """Write one line for each note."""
        return write_lines((_line(note, annotated=annotated) for note in notes), target)


def _note(record: dict[str, Any] | InputError, location: str, labels: OwnLabels) -> AnnotatedNote:
    if isinstance(record, InputError):
        raise record
    text = record.get("text")
    meta = record.get("meta") if isinstance(record.get("meta"), dict) else {}
    note_id = record.get("note_id") or (meta or {}).get("note_id")
    if not isinstance(text, str) or not note_id:
        raise InputError(f"{location}: needs a string 'text' and a 'note_id'")
    found = spans_of(_marks(record, location), text, labels, SCHEMES["ours"])
    return AnnotatedNote(
        str(note_id),
        text,
        found.spans,
        note_type=str(record.get("note_type") or ""),
        annotator=str(record.get("annotator") or ""),
        ignored=found.ignored,
    )


def _marks(record: dict[str, Any], location: str) -> list[FileMark]:
    if "label" not in record and "entities" not in record:
        raise InputError(f"{location}: has no list 'label' or 'entities'; a note without identifiers has an empty one")
    try:
        rows = [(item["start_offset"], item["end_offset"], item["label"]) for item in record.get("entities") or ()]
        rows += [tuple(item) for item in record.get("label") or ()]
        return [FileMark(((int(start), int(end)),), str(label), location) for start, end, label in rows]
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"{location}: has a span without start, end and label") from None


def _line(note: AnnotatedNote, *, annotated: bool) -> str:
    record: dict[str, Any] = {"text": note.text, "note_id": note.note_id}
    about = {"note_type": note.note_type, "annotator": note.annotator if annotated else ""}
    record.update({key: value for key, value in about.items() if value})
    record["label"] = [[span.start, span.end, str(span.entity)] for span in note.spans]
    return json.dumps(record, ensure_ascii=False) + "\n"
