"""Figures that a rule reads as a time or a date, and that are a part of a longer number or an address."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from deid_tasks.core.detectors import is_neural
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span

_FIGURES = re.compile(r"\d{4}|\d{1,2}/\d{1,2}", re.ASCII)
_CERTAIN = 0.95
_LONGER = frozenset({Entity.STREET, Entity.PHONE, Entity.FAX})
"""What else holds figures that look like times and days."""


def without_figures_inside(text: str, spans_by_detector: Mapping[str, Sequence[Span]]) -> Mapping[str, Sequence[Span]]:
    """Return the detectors' spans without the bare times and dates of rules that lie inside a number or an address.

    Four figures may be a time, and two with a slash between them a day: "0012" of a card "0012 345 678", "1419" of
    "1419 chicory hill road", the flat "3/2" of an address. A model that is sure of the longer one decides. What the
    model marks stays marked. O(n log n).

    Args:
        text: the note.
        spans_by_detector: spans by the detector's name.
    """
    longer = sorted(
        (span.start, span.end)
        for name, spans in spans_by_detector.items()
        if is_neural(name)
        for span in spans
        if span.score >= _CERTAIN and (span.category is Category.ID or span.entity in _LONGER)
    )
    if not longer:
        return spans_by_detector
    return {
        name: spans
        if is_neural(name)
        else [span for span in spans if not (_is_figures(text, span) and _is_inside(span, longer))]
        for name, spans in spans_by_detector.items()
    }


def _is_figures(text: str, span: Span) -> bool:
    is_moment = span.entity in {Entity.TIME, Entity.DATE}
    return is_moment and _FIGURES.fullmatch(text, span.start, span.end) is not None


def _is_inside(span: Span, longer: Sequence[tuple[int, int]]) -> bool:
    index = bisect_right(longer, (span.start, span.end)) - 1
    around = longer[max(0, index - 1) : index + 2]
    return any(start <= span.start and span.end <= end and end - start > len(span) + 1 for start, end in around)
