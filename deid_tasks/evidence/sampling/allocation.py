"""Allocation of a stratified sample to its groups (Murugadoss et al. 2024, methods).

A group is a note type in a period. Its weight is its number of notes times a function of their mean number of words, so
that a flood of two-word answers does not crowd out progress notes of eight hundred words. The paper says "multiplied by
the average number of words"; its worked figures (12.7 M answers of 1.99 words count 4.0 M, 3.7 M notes of 794 words
count 10.8 M) are those of the logarithm to base 10.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

WeightFunction = Literal["log10", "linear"]


@dataclass(frozen=True, slots=True)
class GroupSize:
    """One group as the warehouse holds it."""

    note_type: str
    period: str
    notes: int
    mean_words: float


@dataclass(frozen=True, slots=True)
class GroupAllocation:
    """One group, and how many of its notes the sample takes."""

    group: GroupSize
    weight: float
    notes: int


def group_weight(notes: int, mean_words: float, function: WeightFunction) -> float:
    """Return the weight of a group; with ``log10`` it is 0 if the notes have one word or less on average."""
    factor = mean_words if function == "linear" else math.log10(max(1.0, mean_words))
    return notes * factor


def allocate_sample(
    groups: Sequence[GroupSize], size: int, min_notes: int, function: WeightFunction = "log10"
) -> list[GroupAllocation]:
    """Return how many notes of each group to draw: ``max(min_notes, size × weight / Σ weight)``, at most all of them.

    Groups of no more than ``min_notes`` notes are taken whole, so the sample may be a little larger than ``size``. The
    share that a small group cannot use is not redistributed, so the sample may be a little smaller.

    Args:
        groups: All groups of the warehouse.
        size: The number of notes in the sample.
        min_notes: The minimum number of notes of each group.
        function: How the mean number of words weighs.
    """
    weights = [group_weight(group.notes, group.mean_words, function) for group in groups]
    total = sum(weights)
    shares = [size * weight / total if total else 0.0 for weight in weights]
    return [
        GroupAllocation(group, weight, min(group.notes, max(min_notes, math.floor(share + 0.5))))
        for group, weight, share in zip(groups, weights, shares, strict=True)
    ]
