"""From what the detectors found to what is marked: merging, then recovery."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import Lexicon
from deid_tasks.engine.merge import count_agreed, merge_spans
from deid_tasks.engine.recover import recover_all
from deid_tasks.engine.text import Document
from deid_tasks.settings import MergeSettings, RecoverSettings

SpansByDetector = Mapping[str, Sequence[Span]]


class Rules(Protocol):
    """What decides over the spans of several detectors; an engine holds it."""

    @property
    def merge(self) -> MergeSettings:
        """Priorities and votes."""
        ...

    @property
    def recover(self) -> RecoverSettings:
        """Whether medical terms are given back."""
        ...

    @property
    def lexicon(self) -> Lexicon:
        """The terms that recovery knows."""
        ...


@dataclass(frozen=True, slots=True)
class Detection:
    """What was found in one note."""

    spans: tuple[Span, ...]
    """Identifiers: sorted, disjoint."""
    recovered: tuple[Span, ...] = field(default=())
    """Spans that were given back as medical terms."""
    agreed: int = 0
    """How many of ``spans`` two or more detectors found."""


def settle(document: Document, spans: SpansByDetector, rules: Rules) -> Detection:
    """Merge what the detectors found in one document, and give medical terms back."""
    return settle_all([document], [spans], rules)[0]


def settle_all(
    documents: Sequence[Document], spans_by_detector: Sequence[SpansByDetector], rules: Rules
) -> list[Detection]:
    """``settle`` for many documents at once, in the order given."""
    pairs = list(zip(documents, spans_by_detector, strict=True))
    merged = [merge_spans(document, spans, rules.merge) for document, spans in pairs]
    if not rules.recover.enabled:
        return [
            Detection(tuple(one), agreed=count_agreed(one, spans))
            for one, spans in zip(merged, spans_by_detector, strict=True)
        ]
    protected = [spans.get("patient", ()) for spans in spans_by_detector]
    return [
        Detection(result.kept, result.recovered, count_agreed(result.kept, spans))
        for result, spans in zip(
            recover_all(documents, merged, rules.lexicon, protected), spans_by_detector, strict=True
        )
    ]
