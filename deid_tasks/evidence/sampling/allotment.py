"""Sizes of the groups of a stratified sample (Murugadoss et al. 2024, methods).

A group is a note type in a period. Its weight is its notes times a function of their mean words, so that a flood of answers of two words
does not crowd out progress notes of eight hundred. The paper says "multiplied by the average number of words"; its worked figures
(12.7 M answers of 1.99 words count 4.0 M, 3.7 M notes of 794 words count 10.8 M) are those of the logarithm to base 10.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Weight = Literal["log10", "linear"]


@dataclass(frozen=True, slots=True)
class GroupSize:
    """One group as it is in the warehouse."""

    note_type: str
    period: str
    notes: int
    mean_words: float


@dataclass(frozen=True, slots=True)
class Allotment:
    """One group, and how many of its notes are to be drawn."""

    group: GroupSize
    weight: float
    notes: int


def weight_of(notes: int, mean_words: float, weight: Weight) -> float:
    """The adjusted number of notes of a group; 0 where the notes hold one word or less, since there is next to nothing to find."""
    factor = mean_words if weight == "linear" else math.log10(max(1.0, mean_words))
    return notes * factor


def allot(groups: Sequence[GroupSize], size: int, least: int, weight: Weight = "log10") -> list[Allotment]:
    """Notes to draw of each group: ``max(least, size × weight / Σ weight)``, rounded, and never more than the group has.

    Groups of no more than ``least`` notes are taken whole, so the sample may be a little larger than ``size``; groups that are capped
    do not hand their share on, so it may be a little smaller.
    """
    weights = [weight_of(group.notes, group.mean_words, weight) for group in groups]
    total = sum(weights)
    shares = [size * own / total if total else 0.0 for own in weights]
    return [
        Allotment(group, own, min(group.notes, max(least, math.floor(share + 0.5))))
        for group, own, share in zip(groups, weights, shares, strict=True)
    ]
