"""The format of the command line: JSON lines of ``{"id", "text", "spans": [{"start", "end", "entity"}]}``."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats.files import write_lines
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote


class Jsonl:
    """Files of JSON lines."""

    suffix = ".jsonl"

    def read(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield the notes of a file."""
        for number, record in json_lines(source):
            location = f"{source}:{number}"
            text, note_id = record.get("text"), record.get("id")
            if not isinstance(text, str) or not isinstance(note_id, str | int):
                raise InputError(f"{location}: needs a string 'text' and an 'id'")
            try:
                spans = parse_spans(record, len(text))
            except ValueError as error:
                raise InputError(f"{location}: {error}") from None
            patient, note_type, annotator = (
                str(record.get(key) or "") for key in ("patient_id", "note_type", "annotator")
            )
            yield AnnotatedNote(str(note_id), text, tuple(spans), patient, note_type, annotator)

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield the notes of a task list, which has the form of finished notes."""
        return self.read(source)

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """Write one line for each note; finished notes name their annotator."""
        return write_lines((_line(note, annotated=annotated) for note in notes), target)


def json_lines(source: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of each line that is not blank; raises ``InputError`` with the line number."""
    try:
        with source.open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                if not raw.strip():
                    continue
                try:
                    record = json.loads(raw.decode("utf-8"))
                except (ValueError, RecursionError) as error:
                    encoding = "UTF-8" if isinstance(error, UnicodeDecodeError) else "JSON"
                    raise InputError(f"{source}:{number}: is not valid {encoding}") from None
                if not isinstance(record, dict):
                    raise InputError(f"{source}:{number}: is not a JSON object")
                yield number, record
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}") from None


def parse_spans(record: dict[str, Any], length: int | None = None) -> list[Span]:
    """Return the ``spans`` of a record, sorted.

    Args:
        record: One JSON object; a span has ``start``, ``end`` and ``entity``, or a ``label`` that is a category.
        length: The length of the text in code points; ``None`` if it is not known.

    Raises:
        ValueError: A span lacks offsets, lies outside the text, or has an unknown entity.
    """
    items = record.get("spans", ())
    if not isinstance(items, list | tuple):
        raise ValueError("has spans that are not a list")
    spans = []
    for item in items:
        try:
            start, end = int(item["start"]), int(item["end"])
            entity = _entity(str(item.get("entity") or item["label"]))
            score = float(item.get("score", 1.0))
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            raise ValueError("has a span without start, end and a known entity") from None
        if not 0 <= start < end or (length is not None and end > length):
            raise ValueError("has a span outside its text")
        spans.append(Span(start, end, entity, str(item.get("detector", "")), score))
    return sorted(spans)


def span_record(span: Span) -> dict[str, Any]:
    """Return one span as the command line writes it."""
    return {
        "start": span.start,
        "end": span.end,
        "entity": str(span.entity),
        "category": str(span.category),
        "detector": span.detector,
        "score": round(span.score, 4),
    }


_ENTITY_OF_CATEGORY = {
    Category.NAME: Entity.PATIENT,
    Category.LOCATION: Entity.LOCATION_OTHER,
    Category.ORGANIZATION: Entity.ORGANIZATION,
    Category.CONTACT: Entity.PHONE,
    Category.ID: Entity.OTHER_ID,
}


def _entity(name: str) -> Entity:
    if name in Entity.__members__:
        return Entity(name)
    if name == "OTHER":
        return Entity.OTHER_ID
    return _ENTITY_OF_CATEGORY[Category(name)]


def _line(note: AnnotatedNote, *, annotated: bool) -> str:
    record: dict[str, Any] = {"id": note.note_id, "text": note.text}
    about = {
        "patient_id": note.patient_id,
        "note_type": note.note_type,
        "annotator": note.annotator if annotated else "",
    }
    record.update({key: value for key, value in about.items() if value})
    record["spans"] = [{"start": s.start, "end": s.end, "entity": str(s.entity)} for s in note.spans]
    return json.dumps(record, ensure_ascii=False) + "\n"
