"""Periods of time, which divide the notes of a type into groups."""

import datetime
from collections.abc import Sequence
from itertools import pairwise

UNDATED = "undated"
"""The period of notes without a time."""


def period_names(bounds: Sequence[datetime.date]) -> tuple[str, ...]:
    """Return the names of the periods between ``bounds``, one more than there are bounds.

    Args:
        bounds: First days of periods, in order. Period ``i`` begins with ``bounds[i - 1]`` and ends before
            ``bounds[i]``.
    """
    if not bounds:
        return ("all",)
    days = [day.isoformat() for day in bounds]
    between = [f"{first} to {last}" for first, last in pairwise(days)]
    return (f"before {days[0]}", *between, f"from {days[-1]}")
