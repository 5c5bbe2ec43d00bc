"""The spans of all detectors become one sorted, disjoint list, and no character that a detector marked is lost."""

import heapq
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from deid_tasks.core.detectors import base_name
from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.merge.propagate import propagate
from deid_tasks.engine.merge.repair import NAMES, repair, strip
from deid_tasks.engine.merge.votes import NEURAL, elect
from deid_tasks.engine.text import Document
from deid_tasks.settings import MergeSettings

_ENTITY_ORDER = {entity: position for position, entity in enumerate(Entity)}
_BETWEEN_NAMES = re.compile(r"[ \t]|[ \t]?-[ \t]?|\.[ \t]?")
_Rank = tuple[int, int, int, int, int, float, str]


def merge_spans(
    document: Document, spans_by_detector: Mapping[str, Sequence[Span]], settings: MergeSettings
) -> list[Span]:
    """One list of spans from those of every detector.

    What models say is first put to their vote. The detectors rank as the settings list them, an entry for an entity or a category before
    one for the detector; of one detector's overlapping spans the longer ranks first, then the one further left; among models the category
    decides first. What sticks out of the winner stays covered as a span of its own where it holds a letter or a figure. Names that were
    found surely enough are then found wherever else they stand. The result does not depend on the order of the input. O(n log n).

    Args:
        document: the note that the spans lie in.
        spans_by_detector: spans by the detector's name, as in the settings; a name such as ``transformer:minilm`` ranks as
            ``transformer``, and one that the settings do not list ranks last.
        settings: who wins.

    Raises:
        ValueError: a span lies outside the note.
    """
    text = document.text
    order = {name: position for position, name in enumerate(settings.priority)}
    has_parts = any(":" in name for name in order)
    categories = {category: position for position, category in enumerate(settings.category_priority)}
    candidates: dict[tuple[int, int, Entity], tuple[_Rank, Span]] = {}
    for spans in spans_by_detector.values():
        for span in spans:
            if not 0 <= span.start < span.end <= len(text):
                raise ValueError(f"note {document.note_id}: span {span!r} lies outside 0..{len(text)}")
    for detector, spans in elect(spans_by_detector, settings).items():
        base = base_name(detector)
        for span in spans:
            start, end = repair(text, span.start, span.end, span.entity)
            if start < end:
                better = span
                if (start, end) != (span.start, span.end) or not span.detector:
                    better = Span(start, end, span.entity, span.detector or detector, span.score)
                category = categories.get(span.category, len(categories)) if base == NEURAL else 0
                rank = _rank(better, _place(order, base, span, has_parts=has_parts), category)
                key = (start, end, span.entity)
                if key not in candidates or rank < candidates[key][0]:
                    candidates[key] = (rank, better)
    joined = _join_names(text, _pieces(text, list(candidates.values())))
    return propagate(text, joined, settings.propagation) if settings.propagation.enabled else joined


def _place(order: Mapping[str, int], detector: str, span: Span, *, has_parts: bool) -> int:
    if not has_parts:
        return order.get(detector, len(order))
    for name in (f"{detector}:{span.entity}", f"{detector}:{span.category}", detector):
        if name in order:
            return order[name]
    return len(order)


def _rank(span: Span, detector: int, category: int) -> _Rank:
    return (detector, category, -len(span), span.start, _ENTITY_ORDER[span.entity], -span.score, span.detector)


def _pieces(text: str, candidates: list[tuple[_Rank, Span]]) -> list[Span]:
    """Sweep over the boundaries: each stretch goes to the best span that covers it, and a span keeps its stretches together."""
    starts = sorted(candidates, key=lambda candidate: candidate[1].start)
    boundaries = sorted({edge for _, span in candidates for edge in (span.start, span.end)})
    active: list[tuple[_Rank, Span]] = []
    owned: list[tuple[int, int, Span]] = []
    following = 0
    for low, high in itertools.pairwise(boundaries):
        while following < len(starts) and starts[following][1].start <= low:
            heapq.heappush(active, starts[following])
            following += 1
        while active and active[0][1].end <= low:
            heapq.heappop(active)
        if not active:
            continue
        best = active[0][1]
        if owned and owned[-1][2] is best and owned[-1][1] == low:
            owned[-1] = (owned[-1][0], high, best)
        else:
            owned.append((low, high, best))
    pieces: list[Span] = []
    for low, high, span in owned:
        if (low, high) == (span.start, span.end):
            pieces.append(span)
            continue
        start, end = strip(text, low, high)
        if start < end:
            pieces.append(replace(span, start=start, end=end))
    return pieces


def _join_names(text: str, spans: Iterable[Span]) -> list[Span]:
    """``Maria`` and ``Okafor`` side by side are one name; parts of one person are those of the same entity."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if (
            last
            and last.entity is span.entity
            and span.entity in NAMES
            and span.start - last.end <= 3
            and (span.start == last.end or _BETWEEN_NAMES.fullmatch(text, last.end, span.start))
            and not (text[last.end : span.start].startswith(".") and not _is_initial(text, last))
        ):
            surer = min(last, span, key=lambda one: (-one.score, one.start))
            joined[-1] = replace(surer, start=last.start, end=span.end)
        else:
            joined.append(span)
    return joined


def _is_initial(text: str, span: Span) -> bool:
    """Whether the span ends in a single letter, whose full stop therefore ends no sentence."""
    before = text[span.end - 2 : span.end - 1] if span.end - span.start > 1 else ""
    return text[span.end - 1].isalpha() and not before.isalnum()
