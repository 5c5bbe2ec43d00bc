"""Resolution: from the spans of every detector to the spans of a note, by merging and then recovering medical terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from deid_tasks.core.detectors import DetectorName
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import Lexicon
from deid_tasks.engine.merge import count_agreed, merge_spans
from deid_tasks.engine.observer import MERGE, NO_OBSERVER, RECOVER, RECOVERED, PipelineObserver
from deid_tasks.engine.recover import recover_all
from deid_tasks.engine.text import Document
from deid_tasks.settings import MergeSettings, RecoverSettings

SpansByDetector = Mapping[str, Sequence[Span]]
"""The spans of one note, by the name of the detector that found them."""


class MergeContext(Protocol):
    """What resolution depends on; an engine has it."""

    @property
    def merge(self) -> MergeSettings:
        """Priorities and votes."""
        ...

    @property
    def recover(self) -> RecoverSettings:
        """Whether medical terms are recovered."""
        ...

    @property
    def lexicon(self) -> Lexicon:
        """The terms that recovery looks up."""
        ...


@dataclass(frozen=True, slots=True)
class Detection:
    """The identifiers of one note."""

    spans: tuple[Span, ...]
    """Sorted and disjoint."""
    recovered: tuple[Span, ...] = field(default=())
    """Spans that were merged and then recovered as medical terms."""
    agreed: int = 0
    """How many of ``spans`` two or more detectors found."""


def resolve_spans(document: Document, spans: SpansByDetector, context: MergeContext) -> Detection:
    """Merge the spans of one note, and recover its medical terms."""
    return resolve_batch([document], [spans], context)[0]


def resolve_batch(
    documents: Sequence[Document],
    spans_by_detector: Sequence[SpansByDetector],
    context: MergeContext,
    observer: PipelineObserver = NO_OBSERVER,
) -> list[Detection]:
    """Merge the spans of each note, and recover its medical terms.

    Args:
        documents: the notes.
        spans_by_detector: the spans of each note, in the same order.
        context: priorities, votes and medical terms.
        observer: told of the stages ``merge`` and ``recover``.

    Returns:
        The identifiers of each note, in the order given.
    """
    pairs = list(zip(documents, spans_by_detector, strict=True))
    with observer.stage(MERGE):
        merged = [merge_spans(document, spans, context.merge) for document, spans in pairs]
    observer.spans(MERGE, merged)
    if not context.recover.enabled:
        return [
            Detection(tuple(one), agreed=count_agreed(one, spans))
            for one, spans in zip(merged, spans_by_detector, strict=True)
        ]
    with observer.stage(RECOVER):
        protected = [spans.get(DetectorName.PATIENT, ()) for spans in spans_by_detector]
        detections = [
            Detection(result.kept, result.recovered, count_agreed(result.kept, spans))
            for result, spans in zip(
                recover_all(documents, merged, context.lexicon, protected), spans_by_detector, strict=True
            )
        ]
    observer.spans(RECOVER, [detection.spans for detection in detections])
    observer.spans(RECOVERED, [detection.recovered for detection in detections])
    return detections
