"""Gold and predicted spans compared as wholes: same bounds, partly the same, mostly covered, or touched at all."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from deid_tasks.core.span import Span
from deid_tasks.evidence.evaluate.tokens import core_of

STRICT, PARTIAL, OVERLAP, ANY = "entity:strict", "entity:partial", "entity:overlap60", "entity:any"
RELAXED, BOUNDS = "entity:strict+relaxed", "entity:bounds+relaxed"
SPAN_VIEWS = (STRICT, RELAXED, BOUNDS, PARTIAL, OVERLAP, ANY)
"""How a span counts as found.

``strict``: the same bounds and entity. ``strict+relaxed``: the same but for punctuation at the ends; ``bounds+relaxed``: that, whatever
the entity (the relaxed binary entity score of Lin 2020). ``partial``: the same bounds counts one, any overlap one half, whatever the
entity (SemEval 2013, task 9). ``overlap60``: 60 % of its characters are covered (Kocaman et al. 2023). ``any``: one character is.
"""
_COVERED = 0.6
_NOTHING = (0.0,) * len(SPAN_VIEWS)


def credit_spans(text: str, spans: Sequence[Span], others: Sequence[Span]) -> Iterator[tuple[Span, tuple[float, ...]]]:
    """Each of ``spans`` with its credit in every one of ``SPAN_VIEWS``, as measured against ``others``.

    Called with gold first it gives what was found, the other way round what was right. Neither side need be disjoint. A span of
    nothing but punctuation keeps its bounds.
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
            yield span, _NOTHING
            continue
        same_bounds = [other for other in touching if (other.start, other.end) == (span.start, span.end)]
        strict = float(any(other.entity == span.entity for other in same_bounds))
        covered = float(_covered(span, touching) >= _COVERED * len(span))
        core = core_of(text, span.start, span.end)
        same = (strict, float((*core, span.entity) in cores), float(core in bounds))
        yield span, (*same, 1.0 if same_bounds else 0.5, covered, 1.0)


def _covered(span: Span, touching: Sequence[Span]) -> int:
    """Characters of ``span`` that ``touching``, sorted by start, cover together."""
    covered, reached = 0, span.start
    for other in touching:
        start, end = max(other.start, reached), min(other.end, span.end)
        if end > start:
            covered += end - start
            reached = end
    return covered


def _highest_ends(ordered: Sequence[Span]) -> list[int]:
    """The highest end up to each span: sorted, so that everything that ends too early can be skipped."""
    highest, ends = 0, []
    for span in ordered:
        highest = max(highest, span.end)
        ends.append(highest)
    return ends
