"""Votes: how many of several models must mark a word before it counts."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from deid_tasks.core.detectors import is_neural
from deid_tasks.core.span import Span
from deid_tasks.settings import MergeSettings


def elect(spans_by_detector: Mapping[str, Sequence[Span]], settings: MergeSettings) -> Mapping[str, Sequence[Span]]:
    """Return the detectors' spans, those of models cut to the stretches that enough models mark.

    A model votes for a stretch whatever entity it finds there. Other detectors need no votes. If an entity needs more
    votes than there are models, all models must agree. O(n log n).

    Args:
        spans_by_detector: spans by the detector's name.
        settings: how many votes an entity needs.
    """
    models = [name for name in spans_by_detector if is_neural(name)]
    highest = max(settings.votes, *settings.votes_by_entity.values(), 1)
    if len(models) < 2 or highest < 2:
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
    """Return the votes that a span needs."""
    return min(settings.votes_by_entity.get(span.entity, settings.votes), models)


def _union(spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return the stretches that the spans cover, sorted and disjoint."""
    joined: list[tuple[int, int]] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], span.end))
        else:
            joined.append((span.start, span.end))
    return joined


def _covered(marks: list[list[tuple[int, int]]], votes: int) -> list[tuple[int, int]]:
    """Return the stretches that at least ``votes`` models cover."""
    edges = sorted(edge for mark in marks for start, end in mark for edge in ((start, 1), (end, -1)))
    found: list[tuple[int, int]] = []
    depth = 0
    for offset, group in itertools.groupby(edges, key=lambda edge: edge[0]):
        before, depth = depth, depth + sum(step for _, step in group)
        if before < votes <= depth:
            found.append((offset, offset))
        elif depth < votes <= before:
            found[-1] = (found[-1][0], offset)
    return found


def _cut(spans: list[Span], stretches: list[tuple[int, int]]) -> list[Span]:
    """Return sorted spans, cut to sorted disjoint stretches."""
    kept: list[Span] = []
    first = 0
    for span in spans:
        while first < len(stretches) and stretches[first][1] <= span.start:
            first += 1
        index = first
        while index < len(stretches) and stretches[index][0] < span.end:
            low, high = max(span.start, stretches[index][0]), min(span.end, stretches[index][1])
            kept.append(replace(span, start=low, end=high))
            index += 1
    return kept
