"""Observations: the features of every merged span of gold notes, and whether it is an identifier."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.observer import PipelineObserver
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.recover.confidence import SpanEvidence, evidence_features
from deid_tasks.engine.recover.confidence.features import Features, group_of
from deid_tasks.engine.recover.document_terms import document_terms
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.learning.train.handwritten_notes import read_written

NOTES = Path(__file__).parent / "notes"
_BATCH = 50


class FittingNote(NamedTuple):
    """A note with its identifiers; ``weight`` is how much each of its spans counts."""

    document: Document
    spans: tuple[Span, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Observation:
    """One merged span of a gold note."""

    features: Features
    group: str
    share: float
    """Share of its words that are identifiers."""
    words: int
    weight: float
    evidence: SpanEvidence


def fitting_notes(folder: Path = NOTES) -> Iterator[FittingNote]:
    """Yield the notes of the files of ``folder``, with identifiers marked as ``[[PATIENT:Okafor]]``.

    Raises:
        InputError: a mark is of no entity, or not closed; the text names the file and the note.
    """
    for note in read_written(folder):
        spans = tuple(Span(mark.start, mark.end, Entity(mark.target), "gold") for mark in note.marks)
        yield FittingNote(Document(note.group, note.text), spans)


def observe(notes: Iterable[FittingNote], engine: EngineParts) -> list[Observation]:
    """Return the observations of all merged spans of ``notes``, as ``engine`` without confidence finds them."""
    plain = replace(engine, recover=engine.recover.without_confidence(), judge=None)
    known = list(notes)
    found: list[Observation] = []
    for first in range(0, len(known), _BATCH):
        found += _observe_batch(known[first : first + _BATCH], plain)
    return found


def _observe_batch(notes: Sequence[FittingNote], engine: EngineParts) -> Iterator[Observation]:
    documents = [note.document for note in notes]
    seen = _SpansOfDetectors()
    detections = find_identifiers(documents, BatchContext(engine), seen)
    names = [detector.name for detector in engine.detectors]
    with_spans = [i for i, one in enumerate(detections) if one.spans or one.recovered]
    terms = document_terms([documents[i] for i in with_spans], engine.lexicon)
    for index, one in zip(with_spans, terms, strict=True):
        note, detection = notes[index], detections[index]
        by_detector = {name: seen.spans_of[name][index] for name in names if name in seen.spans_of}
        words = split_words(note.document.text)
        gold = mark_words(words, note.spans)
        for evidence, features in evidence_features(one, detection.spans, detection.recovered, by_detector):
            marked = mark_words(words, [evidence.span])
            if marked:
                share = sum(word in gold for word in marked) / len(marked)
                group = group_of(evidence.span.entity)
                yield Observation(features, group, share, len(marked), note.weight, evidence)


class _SpansOfDetectors(PipelineObserver):
    """Keeps the spans of each stage of one batch."""

    def __init__(self) -> None:
        self.spans_of: Mapping[str, list[list[Span]]] = {}

    def spans(self, name: str, spans: Sequence[Sequence[Span]]) -> None:
        self.spans_of = {**self.spans_of, name: [list(one) for one in spans]}
