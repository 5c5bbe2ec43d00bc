"""Merging: the spans of all detectors become one sorted, disjoint list, and every character that one marked stays
marked.
"""

import heapq
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from deid_tasks.core.detectors import SEPARATOR, base_name, is_neural
from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.everyday_names import is_public_word
from deid_tasks.engine.merge.derived_names import mark_derived_names
from deid_tasks.engine.merge.division import divide
from deid_tasks.engine.merge.endings import grow_over_endings
from deid_tasks.engine.merge.figures import without_figures_inside
from deid_tasks.engine.merge.file_names import divide_file_names
from deid_tasks.engine.merge.joined_parts import join_parts
from deid_tasks.engine.merge.kinds import (
    follow_credentials,
    follow_full_names,
    follow_lists,
    follow_places,
    join_divided_organizations,
)
from deid_tasks.engine.merge.propagate import propagate
from deid_tasks.engine.merge.repair import NAMES, repair, strip
from deid_tasks.engine.merge.roles import follow_roles
from deid_tasks.engine.merge.short_names import grow_over_initials, mark_short_names
from deid_tasks.engine.merge.states import mark_states
from deid_tasks.engine.merge.votes import elect
from deid_tasks.engine.merge.weekday_letters import with_weekday_letters
from deid_tasks.engine.text import Document
from deid_tasks.settings import MergeSettings

_ENTITY_ORDER = {entity: position for position, entity in enumerate(Entity)}
_BETWEEN_NAMES = re.compile(r"[ \t]|[ \t]?-[ \t]?|\.[ \t]?")
_MAX_NAME_GAP = 3
_SHORT_GIVEN = re.compile(r"(?:Wm|Chas|Geo|Thos|Jas|Jos|Robt|Edw|Edwd|Benj|Saml|Danl|Jno|Theo|Eliz|Cath|Margt|Fredk)")
"""Given names that are written short, with a full stop: Wm. Okafor."""
_Rank = tuple[int, int, int, int, int, float, str]
"""Lower ranks win: priority of the detector, of the category, length, start, entity, score, detector."""


def merge_spans(
    document: Document, spans_by_detector: Mapping[str, Sequence[Span]], settings: MergeSettings
) -> list[Span]:
    """Return one sorted, disjoint list of spans from those of every detector.

    Spans of models are first put to the vote. Detectors then rank as the settings list them; an entry for an entity or
    a category ranks before one for the detector. Among models the category decides first. Of overlapping spans of one
    detector, the longer ranks first, then the one further left. What sticks out of the winning span becomes a span of
    its own if it holds a letter or digit. An organization that is a part of a person's full name is that person, and a
    name that is a town of the note is that town, with the code of its state behind it; dates that begin lines have the
    letters of their weekday. Names of sufficient score are then found wherever else they are in the note, and file
    names are divided into what they hold. The result does not depend on the order of the input. O(n log n).

    Args:
        document: the note that the spans belong to.
        spans_by_detector: spans by the detector's name. A name such as ``transformer:minilm`` ranks as ``transformer``;
            one that the settings do not list ranks last.
        settings: priorities, votes and propagation.

    Raises:
        ValueError: a span lies outside the note.
    """
    text = document.text
    for spans in spans_by_detector.values():
        for span in spans:
            if not 0 <= span.start < span.end <= len(text):
                raise ValueError(f"note {document.note_id}: span {span!r} lies outside 0..{len(text)}")
    candidates = _ranked(text, without_figures_inside(text, elect(spans_by_detector, settings)), settings)
    joined = join_divided_organizations(text, _join_names(text, _winning_stretches(text, candidates)))
    joined = grow_over_endings(text, join_parts(text, joined))
    joined = follow_full_names(text, follow_credentials(text, joined))
    joined = with_weekday_letters(text, mark_states(text, follow_places(text, follow_lists(text, joined))))
    if settings.propagation.enabled:
        joined = mark_short_names(text, grow_over_initials(text, joined), settings.propagation.min_score)
        joined = mark_derived_names(text, joined, settings.propagation.min_score)
        joined = grow_over_initials(text, propagate(text, joined, settings.propagation))
    return divide_file_names(text, follow_roles(text, joined))


def _ranked(
    text: str, spans_by_detector: Mapping[str, Sequence[Span]], settings: MergeSettings
) -> list[tuple[_Rank, Span]]:
    """Return the spans with repaired boundaries and their ranks; of equal spans only the best ranked."""
    order = {name: position for position, name in enumerate(settings.priority)}
    has_parts = any(SEPARATOR in name for name in order)
    categories = {category: position for position, category in enumerate(settings.category_priority)}
    candidates: dict[tuple[int, int, Entity], tuple[_Rank, Span]] = {}
    for detector, spans in spans_by_detector.items():
        base = base_name(detector)
        for span in itertools.chain.from_iterable(divide(text, one) for one in spans) if is_neural(detector) else spans:
            start, end = repair(text, span.start, span.end, span.entity)
            if start >= end:
                continue
            repaired = span
            if (start, end) != (span.start, span.end) or not span.detector:
                repaired = Span(start, end, span.entity, span.detector or detector, span.score)
            category = categories.get(span.category, len(categories)) if is_neural(detector) else 0
            rank = _rank(repaired, _priority(order, base, span, has_parts=has_parts), category)
            key = (start, end, span.entity)
            if key not in candidates or rank < candidates[key][0]:
                candidates[key] = (rank, repaired)
    return list(candidates.values())


def _priority(order: Mapping[str, int], detector: str, span: Span, *, has_parts: bool) -> int:
    """Return the position of a span's detector in the settings' priority.

    ``has_parts`` is whether the priority has entries such as ``patterns:DATE``, for an entity or a category.
    """
    if not has_parts:
        return order.get(detector, len(order))
    for name in (f"{detector}{SEPARATOR}{span.entity}", f"{detector}{SEPARATOR}{span.category}", detector):
        if name in order:
            return order[name]
    return len(order)


def _rank(span: Span, detector: int, category: int) -> _Rank:
    return (detector, category, -len(span), span.start, _ENTITY_ORDER[span.entity], -span.score, span.detector)


def _winning_stretches(text: str, candidates: list[tuple[_Rank, Span]]) -> list[Span]:
    """Return the stretches that each span wins, by a sweep over all boundaries."""
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
    return [cut for low, high, span in owned if (cut := _cut_to(text, span, low, high)) is not None]


def _cut_to(text: str, span: Span, low: int, high: int) -> Span | None:
    """Return the span cut to ``low:high``; ``None`` where nothing but punctuation is left."""
    if (low, high) == (span.start, span.end):
        return span
    start, end = strip(text, low, high)
    return replace(span, start=start, end=end) if start < end else None


def _join_names(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return the spans with adjacent names of one entity joined: ``Maria`` and ``Okafor``."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last is not None and _is_one_name(text, last, span):
            best = min(last, span, key=lambda one: (-one.score, one.start))
            joined[-1] = replace(best, start=last.start, end=span.end)
        else:
            joined.append(span)
    return joined


def _is_one_name(text: str, last: Span, span: Span) -> bool:
    """Whether two spans, one after the other, are parts of one name."""
    if span.entity in NAMES and last.entity in NAMES and text[last.end : span.start] == "-":
        return True  # "Mairi-Claire", of whom two detectors found a half each
    if last.entity is not span.entity or span.entity not in NAMES or span.start - last.end > _MAX_NAME_GAP:
        return False
    if span.start != last.end and not _BETWEEN_NAMES.fullmatch(text, last.end, span.start):
        return False
    between = text[last.end : span.start]
    if between.strip() == "-" and between != "-" and is_public_word(fold(text[last.start : last.end])):
        return False  # what a message is about, and of whom: "Consult - Zbigniew Okafor"
    return not between.startswith(".") or _is_initial(text, last)


def _is_initial(text: str, span: Span) -> bool:
    """Whether the span ends in a single letter or a short given name, whose full stop does not end a sentence."""
    if _SHORT_GIVEN.fullmatch(text, span.start, span.end):
        return True
    before = text[span.end - 2 : span.end - 1] if span.end - span.start > 1 else ""
    return text[span.end - 1].isalpha() and not before.isalnum()
