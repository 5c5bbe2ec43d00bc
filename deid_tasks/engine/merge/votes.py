"""How many of several models must mark a word before it counts."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from deid_tasks.core.detectors import DetectorName, base_name
from deid_tasks.core.span import Span
from deid_tasks.settings import MergeSettings

NEURAL = DetectorName.TRANSFORMER


def is_neural(detector: str) -> bool:
    """Whether a detector of that name is a model: ``transformer``, or ``transformer:`` and its own name."""
    return base_name(detector) == NEURAL


def elect(spans_by_detector: Mapping[str, Sequence[Span]], settings: MergeSettings) -> Mapping[str, Sequence[Span]]:
    """What the models say, cut to the stretches that enough of them mark, of whatever entity; other detectors need no vote.

    Where an entity asks for more votes than there are models, all of them must agree. O(n log n).
    """
    models = [name for name in spans_by_detector if is_neural(name)]
    most = max(settings.votes, *settings.votes_by_entity.values(), 1)
    if len(models) < 2 or most < 2:
        return spans_by_detector
    marks = [_union(spans_by_detector[name]) for name in models]
    agreed = [_covered(marks, votes) for votes in range(1, len(models) + 1)]
    elected = dict(spans_by_detector)
    for name in models:
        by_votes: dict[int, list[Span]] = {}
        for span in sorted(spans_by_detector[name]):
            by_votes.setdefault(_needed(span, settings, len(models)), []).append(span)
        kept = by_votes.pop(1, [])
        for needed, spans in by_votes.items():
            kept += _cut(spans, agreed[needed - 1])
        elected[name] = sorted(kept)
    return elected


def _needed(span: Span, settings: MergeSettings, models: int) -> int:
    return min(settings.votes_by_entity.get(span.entity, settings.votes), models)


def _union(spans: Sequence[Span]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], span.end))
        else:
            joined.append((span.start, span.end))
    return joined


def _covered(marks: list[list[tuple[int, int]]], votes: int) -> list[tuple[int, int]]:
    """The stretches that at least so many models cover."""
    edges = sorted(edge for mark in marks for start, end in mark for edge in ((start, 1), (end, -1)))
    found: list[tuple[int, int]] = []
    depth = 0
    for place, group in itertools.groupby(edges, key=lambda edge: edge[0]):
        before, depth = depth, depth + sum(step for _, step in group)
        if before < votes <= depth:
            found.append((place, place))
        elif depth < votes <= before:
            found[-1] = (found[-1][0], place)
    return found


def _cut(spans: list[Span], stretches: list[tuple[int, int]]) -> list[Span]:
    """Sorted spans, cut to sorted disjoint stretches."""
    kept: list[Span] = []
    first = 0
    for span in spans:
        while first < len(stretches) and stretches[first][1] <= span.start:
            first += 1
        place = first
        while place < len(stretches) and stretches[place][0] < span.end:
            low, high = max(span.start, stretches[place][0]), min(span.end, stretches[place][1])
            kept.append(replace(span, start=low, end=high))
            place += 1
    return kept
