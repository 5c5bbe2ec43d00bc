"""Scores of whole spans: exact bounds, partial overlap, mostly covered, or touched."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from deid_tasks.core.span import Span
from deid_tasks.evidence.evaluate.tokenization import core_of

STRICT, PARTIAL, OVERLAP, ANY = "entity:strict", "entity:partial", "entity:overlap60", "entity:any"
RELAXED, BOUNDS = "entity:strict+relaxed", "entity:bounds+relaxed"
SPAN_VIEWS = (STRICT, RELAXED, BOUNDS, PARTIAL, OVERLAP, ANY)
"""The condition under which a span counts as found.

``strict``: the bounds and the entity are the same. ``strict+relaxed``: the same except for punctuation at the ends.
``bounds+relaxed``: the same bounds except for punctuation, whatever the entity (the relaxed binary entity score of Lin
2020). ``partial``: the same bounds count one, any other overlap counts one half, whatever the entity (SemEval 2013,
task 9). ``overlap60``: 60 % of the characters are covered (Kocaman et al. 2023). ``any``: at least one character is
covered.
"""
_MIN_COVERED = 0.6
_NO_CREDIT = (0.0,) * len(SPAN_VIEWS)


def credit_spans(text: str, spans: Sequence[Span], others: Sequence[Span]) -> Iterator[tuple[Span, tuple[float, ...]]]:
    """Yield each of ``spans`` with its credit in every one of ``SPAN_VIEWS``, measured against ``others``.

    With gold spans first the credits count found spans; with predicted spans first they count correct spans. A span of
    nothing but punctuation keeps its bounds.

    Args:
        text: The note.
        spans: The spans that get credit; they may overlap.
        others: The spans of the other side; they may overlap.
    """
    ordered = sorted(others)
    ends = _highest_ends(ordered)
    cores = {(*core_of(text, other.start, other.end), other.entity) for other in others}
    bounds = {(start, end) for start, end, _ in cores}
    for span in spans:
        touching = []
        for other in ordered[bisect_right(ends, span.start) :]:
            if other.start >= span.end:
                break
            if other.end > span.start:
                touching.append(other)
        if not touching:
            yield span, _NO_CREDIT
            continue
        same_bounds = [other for other in touching if (other.start, other.end) == (span.start, span.end)]
        strict = float(any(other.entity == span.entity for other in same_bounds))
        covered = float(_covered(span, touching) >= _MIN_COVERED * len(span))
        core = core_of(text, span.start, span.end)
        same = (strict, float((*core, span.entity) in cores), float(core in bounds))
        yield span, (*same, 1.0 if same_bounds else 0.5, covered, 1.0)


def _covered(span: Span, touching: Sequence[Span]) -> int:
    """Return how many characters of ``span`` the spans of ``touching``, sorted by start, cover together."""
    covered, reached = 0, span.start
    for other in touching:
        start, end = max(other.start, reached), min(other.end, span.end)
        if end > start:
            covered += end - start
            reached = end
    return covered


def _highest_ends(ordered: Sequence[Span]) -> list[int]:
    """Return the highest end up to each span: a sorted list, so that bisection skips spans that end too early."""
    highest, ends = 0, []
    for span in ordered:
        highest = max(highest, span.end)
        ends.append(highest)
    return ends
