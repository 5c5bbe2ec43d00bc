"""Which spans of a note are uncertain: found by models alone, and with scores in the judge's band."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from deid_tasks.core.detectors import is_neural
from deid_tasks.core.span import Span
from deid_tasks.engine.judge.decisions import UncertainNote
from deid_tasks.engine.text import Document


def uncertain_note(
    document: Document,
    spans: Sequence[Span],
    recovered: Sequence[Span],
    spans_by_detector: Mapping[str, Sequence[Span]],
    band: tuple[float, float],
) -> UncertainNote:
    """Return the uncertain spans of a note, and everything that was found in it. O(n log n).

    A span is uncertain if its score lies in the band and no other evidence supports it: no rule, dictionary or patient
    record found any of its words, and no model found one with a score above the band. A name that propagation marked
    is certain.

    Args:
        document: the note.
        spans: its spans after merging and recovery, sorted and disjoint.
        recovered: those that recovery removed.
        spans_by_detector: what each detector found.
        band: scores of uncertain spans: from the first on, and below the second.
    """
    low, high = band
    every = [span for found in spans_by_detector.values() for span in found]
    certain = _Overlaps(
        span
        for detector, found in spans_by_detector.items()
        for span in found
        if span.score >= high or not is_neural(detector)
    )
    uncertain = [
        span for span in spans if low <= span.score < high and is_neural(span.detector) and not certain.touch(span)
    ]
    if not uncertain:
        return UncertainNote(document.text, document.sentences)
    resolved = _Overlaps([*spans, *recovered])
    # What a vote dropped may be an identifier: it is masked too.
    dropped = [span for span in every if not resolved.touch(span)]
    return UncertainNote(document.text, document.sentences, uncertain, [*spans, *dropped])


class _Overlaps:
    """Spans in any order, which are asked for overlaps in O(log n)."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._furthest = list(accumulate((span.end for span in ordered), max))

    def touch(self, span: Span) -> bool:
        """Whether one of them shares a character with ``span``."""
        before = bisect_left(self._starts, span.end)
        return before > 0 and self._furthest[before - 1] > span.start
