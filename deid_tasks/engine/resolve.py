"""Resolution: from the spans of every detector to the spans of a note.

Spans are merged, medical terms are recovered, and a judge, where the settings have one, decides about uncertain spans.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from deid_tasks.core.span import Span
from deid_tasks.engine.judge import Judge, JudgeDecision, JudgedSpan, uncertain_note
from deid_tasks.engine.lexicon import Lexicon
from deid_tasks.engine.merge import count_agreed, merge_spans
from deid_tasks.engine.observer import JUDGE, MERGE, NO_OBSERVER, RECOVER, RECOVERED, PipelineObserver
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

    @property
    def judge(self) -> Judge | None:
        """Who decides about uncertain spans; without a judge they are identifiers."""
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
    judged: tuple[JudgedSpan, ...] = field(default=())
    """The decisions about uncertain spans; those that the judge keeps in the text are not among ``spans``."""


def resolve_spans(document: Document, spans: SpansByDetector, context: MergeContext) -> Detection:
    """Merge the spans of one note, recover its medical terms, and let the judge decide."""
    return resolve_batch([document], [spans], context)[0]


def resolve_batch(
    documents: Sequence[Document],
    spans_by_detector: Sequence[SpansByDetector],
    context: MergeContext,
    observer: PipelineObserver = NO_OBSERVER,
    known: Sequence[SpansByDetector] | None = None,
) -> list[Detection]:
    """Merge the spans of each note, recover its medical terms, and let the judge decide.

    Args:
        documents: the notes.
        spans_by_detector: the spans of each note, in the same order.
        context: priorities, votes, medical terms and the judge.
        observer: told of the stages ``merge``, ``recover`` and ``judge``.
        known: the spans by which a judge's questions are chosen and masked, if these are more than are resolved, as in
            an engine without its dictionaries: what they know must not leave with a question.

    Returns:
        The identifiers of each note, in the order given.

    Raises:
        EndpointError: the judge has no usable answers.
    """
    resolved = _recovered(documents, spans_by_detector, context, observer)
    if context.judge is None:
        return resolved
    with observer.stage(JUDGE):
        resolved = _judged(documents, spans_by_detector, resolved, context.judge, known or spans_by_detector)
    observer.spans(JUDGE, [detection.spans for detection in resolved])
    observer.judged([detection.judged for detection in resolved])
    return resolved


def _recovered(
    documents: Sequence[Document],
    spans_by_detector: Sequence[SpansByDetector],
    context: MergeContext,
    observer: PipelineObserver,
) -> list[Detection]:
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
        results = recover_all(documents, merged, context.lexicon, spans_by_detector, context.recover.min_confidence)
        detections = [
            Detection(result.kept, result.recovered, count_agreed(result.kept, spans))
            for result, spans in zip(results, spans_by_detector, strict=True)
        ]
    observer.spans(RECOVER, [detection.spans for detection in detections])
    observer.spans(RECOVERED, [detection.recovered for detection in detections])
    return detections


def _judged(
    documents: Sequence[Document],
    spans_by_detector: Sequence[SpansByDetector],
    resolved: Sequence[Detection],
    judge: Judge,
    known: Sequence[SpansByDetector],
) -> list[Detection]:
    """Return the detections without the spans that the judge keeps in the text."""
    notes = [
        uncertain_note(document, one.spans, one.recovered, spans, judge.band)
        for document, spans, one in zip(documents, known, resolved, strict=True)
    ]
    return [
        _without_kept(one, judged, spans) if judged else one
        for one, judged, spans in zip(resolved, judge.decide(notes), spans_by_detector, strict=True)
    ]


def _without_kept(detection: Detection, judged: tuple[JudgedSpan, ...], spans: SpansByDetector) -> Detection:
    kept = {one.span for one in judged if one.decision is JudgeDecision.KEPT}
    redacted = tuple(span for span in detection.spans if span not in kept)
    return replace(detection, spans=redacted, agreed=count_agreed(redacted, spans), judged=judged)
