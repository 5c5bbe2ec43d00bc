"""Reads gold notes from files, and pairs them with predicted spans from a file or from the engine."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from deid_tasks.cli.jsonl import Problems, read_records
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.evidence.annotation.formats.jsonl import parse_spans

if TYPE_CHECKING:
    from deid_tasks.settings import EngineSettings

Pair = tuple[AnnotatedNote, Sequence[Span]]
ENGINE_BATCH_NOTES = 64
"""Notes that the engine reads at once."""


def read_gold_file(source: Path, name: str, problems: Problems) -> Iterator[AnnotatedNote]:
    """Read the gold notes of a file or folder.

    A bad line of JSONL is reported and left out; a bad file of another format raises ``InputError``.
    """
    if name != "jsonl":
        yield from FORMATS[name].read(source)
        return
    for number, record in read_records(source, problems):
        line = f"{source}:{number}"
        if "id" not in record or not isinstance(record.get("text"), str):
            problems.report(line, "has no id or no text")
            continue
        try:
            spans = parse_spans(record, len(record["text"]))
        except ValueError as error:
            problems.report(line, str(error))
            continue
        patient, note_type = (str(record.get(key) or "") for key in ("patient_id", "note_type"))
        yield AnnotatedNote(str(record["id"]), record["text"], tuple(spans), patient, note_type)


def pair_with_file(gold: Iterable[AnnotatedNote], predicted: Path, name: str, problems: Problems) -> Iterator[Pair]:
    """Join gold notes with the spans of a file, by id.

    Files in the same order are read side by side in constant memory; a line out of order is held until its partner is
    read. A gold note without a prediction, or with invalid predicted spans, is reported and scored as if nothing had
    been found in it.
    """
    waiting: dict[str, Sequence[Span] | str] = {}
    predictions = _predictions(predicted, name, problems)
    for note in gold:
        while note.note_id not in waiting:
            following = next(predictions, None)
            if following is None:
                break
            waiting[following[0]] = following[1]
        found = waiting.pop(note.note_id, f"has no line in {predicted}")
        if not isinstance(found, str) and any(span.end > len(note.text) for span in found):
            found = "has a predicted span outside its text"
        if isinstance(found, str):
            problems.report(f"note {note.note_id!r}", f"{found}; counted as nothing found")
            found = ()
        yield note, found


def pair_with_engine(gold: Iterable[AnnotatedNote], settings: "EngineSettings | None" = None) -> Iterator[Pair]:
    """Pair gold notes with the spans that an engine finds in their texts; the public one if not given."""
    from deid_tasks.engine.build import build_engine
    from deid_tasks.engine.parts import BatchContext
    from deid_tasks.engine.pipeline import find_identifiers
    from deid_tasks.engine.text import Document
    from deid_tasks.settings import EngineSettings

    context = BatchContext(build_engine(settings or EngineSettings.public()))
    stream = iter(gold)
    while batch := list(islice(stream, ENGINE_BATCH_NOTES)):
        documents = [
            Document(note.note_id, note.text, note.patient_id or None, note.note_type or None) for note in batch
        ]
        for note, found in zip(batch, find_identifiers(documents, context), strict=True):
            yield note, found.spans


def _predictions(predicted: Path, name: str, problems: Problems) -> Iterator[tuple[str, Sequence[Span] | str]]:
    """Read ids with their spans, or with the reason why these are invalid.

    A file that ends in ``.jsonl`` is read as the JSONL of ``deid detect``, whatever the format of the gold notes.
    """
    if name != "jsonl" and predicted.suffix != ".jsonl":
        yield from ((note.note_id, note.spans) for note in FORMATS[name].read(predicted))
        return
    for _, record in read_records(predicted, problems):
        try:
            yield str(record.get("id")), parse_spans(record)
        except ValueError as error:
            yield str(record.get("id")), str(error)
