"""The format of the command line: JSON lines of ``{"id", "text", "spans": [{"start", "end", "entity"}]}``."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats.files import write_lines
from deid_tasks.evidence.annotation.formats.marks import FileMark, MarkedSpans, spans_of
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, AnnotationFormat, ReadNote, note_or_error
from deid_tasks.evidence.annotation.labels import NO_OWN_LABELS, SCHEMES, OwnLabels, Scheme

_CATEGORIES = Scheme(
    "categories",
    {
        Category.NAME: Entity.PATIENT,
        Category.LOCATION: Entity.LOCATION_OTHER,
        Category.ORGANIZATION: Entity.ORGANIZATION,
        Category.CONTACT: Entity.PHONE,
        Category.ID: Entity.OTHER_ID,
        "OTHER": Entity.OTHER_ID,
    },
    {},
)
_SCHEMES = (SCHEMES["ours"], _CATEGORIES, SCHEMES["i2b2-2014"])


class Jsonl(AnnotationFormat):
    """Files of JSON lines."""

    suffix = ".jsonl"

    def read_each(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[ReadNote]:
        """Yield the notes of a file."""
        for number, record in json_records(source):
            yield note_or_error(note_of, record, f"{source}:{number}", labels)

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """Write one line for each note; finished notes name their annotator."""
        return write_lines((_line(note, annotated=annotated) for note in notes), target)


def note_of(record: dict[str, Any] | InputError, location: str, labels: OwnLabels = NO_OWN_LABELS) -> AnnotatedNote:
    """Return the note of one line; raises ``InputError`` with ``location``, its file and line."""
    if isinstance(record, InputError):
        raise record
    text, note_id = record.get("text"), record.get("id")
    if not isinstance(text, str) or not isinstance(note_id, str | int):
        raise InputError(f"{location}: needs a string 'text' and an 'id'")
    found = read_spans(record, location, text, labels)
    patient, note_type, annotator = (str(record.get(key) or "") for key in ("patient_id", "note_type", "annotator"))
    meta = {key: str(value) for key, value in record.items() if key != "text" and isinstance(value, str | int)}
    return AnnotatedNote(str(note_id), text, found.spans, patient, note_type, annotator, meta, found.ignored)


def read_spans(
    record: dict[str, Any], location: str, text: str | None = None, labels: OwnLabels = NO_OWN_LABELS
) -> MarkedSpans:
    """Return the ``spans`` of a record.

    Args:
        record: One JSON object; a span has ``start``, ``end`` and ``entity``, or a ``label`` that may be a category.
        location: Its file and line, for messages.
        text: The note; ``None`` if it is not known.
        labels: What the corpus says of its labels.

    Raises:
        InputError: There is no list of spans, or a span lacks offsets, lies outside the text, or has an unknown label.
    """
    if not isinstance(record.get("spans"), list | tuple):
        raise InputError(f"{location}: has no list 'spans'; a note without identifiers has an empty one")
    return spans_of((_mark(item, location) for item in record["spans"]), text, labels, *_SCHEMES)


def _mark(item: Any, location: str) -> FileMark:
    try:
        start, end, score = _offset(item["start"]), _offset(item["end"]), float(item.get("score", 1.0))
        label = str(item.get("entity") or item["label"])
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"{location}: has a span without start, end and entity") from None
    return FileMark(((start, end),), label, location, None, str(item.get("detector", "")), score)


def _offset(value: Any) -> int:
    """Return an offset; raises ``ValueError`` for a fraction, which would mark other text than was meant."""
    number = int(value)
    if isinstance(value, bool) or (isinstance(value, float) and value != number):
        raise ValueError
    return number


def json_lines(source: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of each line that is not blank; raises ``InputError`` with the line number."""
    for number, record in json_records(source):
        if isinstance(record, InputError):
            raise record
        yield number, record


def json_records(source: Path) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    """Yield line number and object of each line that is not blank, or why the line cannot be read.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        with source.open("rb") as stream:
            yield from parse_records(stream, source)
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}") from None


def parse_records(stream: IO[bytes], source: Path) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    """Yield what ``json_records`` yields, of an open file. A byte order mark is no part of its first line."""
    for number, raw in enumerate(stream, start=1):
        if not raw.strip():
            continue
        try:
            record = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError) as error:
            encoding = "UTF-8" if isinstance(error, UnicodeDecodeError) else "JSON"
            yield number, InputError(f"{source}:{number}: is not valid {encoding}")
            continue
        yield number, record if isinstance(record, dict) else InputError(f"{source}:{number}: is not a JSON object")


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
