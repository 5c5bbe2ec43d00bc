"""Reads gold notes from files, and pairs them with predicted spans from a file or from the engine."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from deid_tasks.cli.jsonl import TABLE_DELIMITERS, Problems, read_each_record, read_records
from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.notes import Outcome, note_batch
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.evidence.annotation.formats.jsonl import note_of, read_spans
from deid_tasks.evidence.annotation.formats.note import ReadNote, note_or_error
from deid_tasks.evidence.annotation.labels import NO_OWN_LABELS, OwnLabels, UnknownLabelError

if TYPE_CHECKING:
    from deid_tasks.settings import EngineSettings

Pair = tuple[AnnotatedNote, Sequence[Span]]
ENGINE_BATCH_NOTES = 64
"""Notes that the engine reads at once."""


class GoldNotes:
    """The gold notes of a file or folder, each of which is read once.

    A note that cannot be read, or whose spans have an unknown label, is reported and left out, whatever its format.
    """

    def __init__(self, source: Path, name: str, problems: Problems, labels: OwnLabels = NO_OWN_LABELS) -> None:
        """Begin in front of the first note.

        Args:
            source: The file or folder.
            name: The name of its format.
            problems: Takes what is left out.
            labels: What the corpus says of its labels.
        """
        self._source, self._name, self._problems, self._labels = source, name, problems, labels
        self.left_out = 0
        """Notes that were left out so far."""
        self.has_unknown_labels = False
        """Whether one of them has an unknown label."""

    def __iter__(self) -> Iterator[AnnotatedNote]:
        """Yield the notes.

        Raises:
            InputError: The file or folder cannot be read, or holds no notes of its format.
        """
        read = 0
        for note in self._each():
            if isinstance(note, InputError):
                self.has_unknown_labels |= isinstance(note, UnknownLabelError)
                self.left_out += 1
                self._problems.add(note)
            else:
                read += 1
                yield note
        if not read and not self.left_out:
            raise InputError(f"{self._source}: no notes of this format ({self._name})")

    def _each(self) -> Iterator[ReadNote]:
        if self._name != "jsonl":
            yield from _read_each(self._source, self._name, self._labels)
            return
        if self._source.suffix in TABLE_DELIMITERS:
            raise InputError(f"{self._source}: a table holds no spans; gold notes are JSONL or in a format of --format")
        for number, record in read_each_record(self._source):
            yield note_or_error(note_of, record, f"{self._source}:{number}", self._labels)


def _read_each(source: Path, name: str, labels: OwnLabels) -> Iterator[ReadNote]:
    """Read the notes of a format, whose ids have the folder in front as those of ``deid detect`` have it."""
    for note in FORMATS[name].read_each(source, labels):
        if isinstance(note, AnnotatedNote):
            note = replace(note, note_id=f"{note.meta.get('folder', '')}{note.note_id}")
        yield note


def pair_with_file(
    gold: Iterable[AnnotatedNote], predicted: Path, name: str, problems: Problems, labels: OwnLabels = NO_OWN_LABELS
) -> Iterator[Pair]:
    """Join gold notes with the spans of a file, by id.

    Files in the same order are read side by side in constant memory; a line out of order is held until its partner is
    read. Notes with one id are joined in the order of both files. A gold note without a prediction, or with invalid
    predicted spans, is reported and scored as if nothing had been found in it; so are predictions without a gold note,
    which count nowhere.

    Raises:
        InputError: The file of predictions cannot be read, or is a table.
    """
    waiting: defaultdict[str, deque[Sequence[Span] | str]] = defaultdict(deque)
    predictions = _predictions(predicted, name, problems, labels)
    for note in gold:
        while note.note_id not in waiting:
            following = next(predictions, None)
            if following is None:
                break
            waiting[following[0]].append(following[1])
        held = waiting.get(note.note_id)
        found = held.popleft() if held else f"has no line in {predicted}"
        if not held:
            waiting.pop(note.note_id, None)
        if not isinstance(found, str) and any(span.end > len(note.text) for span in found):
            found = "has a predicted span outside its text"
        if isinstance(found, str):
            problems.report(f"note {note.note_id!r}", f"{found}; counted as nothing found")
            found = ()
        yield note, found
    alone = [note_id for note_id, held in waiting.items() for _ in held]
    alone += [note_id for note_id, _ in predictions]
    if alone:
        problems.report(
            str(predicted), f"{len(alone)} predictions match no gold note that was read, among them {alone[0]!r}"
        )


def pair_with_engine(
    gold: Iterable[AnnotatedNote], problems: Problems, settings: "EngineSettings | None" = None
) -> Iterator[Pair]:
    """Pair gold notes with the spans that an engine finds in their texts; the public one if not given.

    A note that the engine would quarantine is reported and scored as if nothing had been found in it.
    """
    from deid_tasks.engine.build import build_engine
    from deid_tasks.engine.parts import BatchContext
    from deid_tasks.engine.pipeline import deidentify
    from deid_tasks.settings import EngineSettings

    context = BatchContext(build_engine(settings or EngineSettings.public()))
    stream = iter(gold)
    while batch := list(islice(stream, ENGINE_BATCH_NOTES)):
        rows = deidentify(note_batch(map(_columns, batch)), context, detect_only=True).to_pylist()
        for note, row in zip(batch, rows, strict=True):
            if row["outcome"] == Outcome.QUARANTINED:
                problems.report(f"note {note.note_id!r}", f"was {row['outcome']}; counted as nothing found")
            yield (
                note,
                [Span(s["start"], s["end"], Entity(s["entity"]), s["detector"], s["score"]) for s in row["spans"]],
            )


def _columns(note: AnnotatedNote) -> dict[str, str | None]:
    """Return a gold note as the columns of a note that the engine reads."""
    return {
        "note_id": note.note_id,
        "text": note.text,
        "patient_id": note.patient_id or None,
        "note_type": note.note_type or None,
    }


def _predictions(
    predicted: Path, name: str, problems: Problems, labels: OwnLabels
) -> Iterator[tuple[str, Sequence[Span] | str]]:
    """Read ids with their spans, or with the reason why these are invalid.

    A file that ends in ``.jsonl`` is read as the JSONL of ``deid detect``, whatever the format of the gold notes.
    """
    if name != "jsonl" and predicted.suffix != ".jsonl":
        for note in _read_each(predicted, name, labels):
            if isinstance(note, InputError):
                problems.add(note)
            else:
                yield note.note_id, note.spans
        return
    if predicted.suffix in TABLE_DELIMITERS:
        raise InputError(
            f"{predicted}: a table holds no spans; predictions are JSONL or in the format of the gold notes"
        )
    for number, record in read_records(predicted, problems):
        if not isinstance(record.get("id"), str | int):
            problems.report(f"{predicted}:{number}", "needs an 'id'")
            continue
        note_id = str(record["id"])
        if "spans" not in record and "outcome" in record:
            yield note_id, f"was {record['outcome']}"
            continue
        try:
            yield note_id, read_spans(record, f"its line {number}", labels=labels).spans
        except InputError as error:
            yield note_id, str(error)
