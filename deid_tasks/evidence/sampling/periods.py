"""Periods of time that groups are told apart by."""

import datetime
from collections.abc import Sequence
from itertools import pairwise

UNDATED = "undated"
"""Notes without a time."""


def period_names(bounds: Sequence[datetime.date]) -> tuple[str, ...]:
    """The names of the periods that ``bounds``, first days in order, cut time into: one more than there are bounds.

    Period ``i`` begins with ``bounds[i - 1]`` and ends before ``bounds[i]``.
    """
    if not bounds:
        return ("all",)
    days = [day.isoformat() for day in bounds]
    between = [f"{first} to {last}" for first, last in pairwise(days)]
    return (f"before {days[0]}", *between, f"from {days[-1]}")
