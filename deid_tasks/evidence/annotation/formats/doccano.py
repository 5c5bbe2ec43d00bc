"""doccano's JSON lines, with ``label`` (sequence labelling) or ``entities`` (sequence labelling with relations).

The project option "count grapheme clusters as one character" must be off, so that offsets are code points.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats.files import write_lines
from deid_tasks.evidence.annotation.formats.jsonl import json_lines
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, checked_span
from deid_tasks.evidence.annotation.labels import SCHEMES, entity_of


class Doccano:
    """Files of doccano's JSON lines."""

    suffix = ".jsonl"

    def read(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield each note of an export.

        Export confirmed documents only: an unfinished document looks like a finished one without spans.
        """
        for number, record in json_lines(source):
            location = f"{source}:{number}"
            text = record.get("text")
            meta = record.get("meta") if isinstance(record.get("meta"), dict) else {}
            note_id = record.get("note_id") or (meta or {}).get("note_id")
            if not isinstance(text, str) or not note_id:
                raise InputError(f"{location}: needs a string 'text' and a 'note_id'")
            spans = tuple(sorted(checked_span(span, text, location) for span in _spans(record, location)))
            yield AnnotatedNote(
                str(note_id),
                text,
                spans,
                note_type=str(record.get("note_type") or ""),
                annotator=str(record.get("annotator") or ""),
            )

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield the notes of a task list, which has the form of finished notes."""
        return self.read(source)

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """Write one line for each note."""
        return write_lines((_line(note, annotated=annotated) for note in notes), target)


def _spans(record: dict[str, Any], location: str) -> Iterator[Span]:
    try:
        rows = [(item["start_offset"], item["end_offset"], item["label"]) for item in record.get("entities") or ()]
        rows += [tuple(item) for item in record.get("label") or ()]
        marks = [(int(start), int(end), str(label)) for start, end, label in rows]
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"{location}: has a span without start, end and label") from None
    for start, end, label in marks:
        if entity := entity_of(label, location, SCHEMES["ours"]):
            yield Span(start, end, entity)


def _line(note: AnnotatedNote, *, annotated: bool) -> str:
    record: dict[str, Any] = {"text": note.text, "note_id": note.note_id}
    about = {"note_type": note.note_type, "annotator": note.annotator if annotated else ""}
    record.update({key: value for key, value in about.items() if value})
    record["label"] = [[span.start, span.end, str(span.entity)] for span in note.spans]
    return json.dumps(record, ensure_ascii=False) + "\n"
