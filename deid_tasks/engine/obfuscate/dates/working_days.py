"""Days on which people work, which stay working days in a note without a patient: clinic Tuesdays, dialysis MWF."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import re2

_WORKING_DAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4}
_WEEKEND, _SUNDAY = (5, 6), 6
_SCHEDULES = {"m": (0, 2, 4), "t": (1, 3, 5)}
"""The days of dialysis, by their first letter: MWF and TThS."""
_WEEK = 7


def offsets_of_week(text: str) -> str:
    """Return the days of the week by which dates may move so that working days stay working days: ``0126``.

    A schedule of three days stays one in the order of the week, without a Sunday. Empty where all seven may be.
    """
    found = {word.lower() for word in _weekdays().findall(text)}
    working = {day for name, day in _WORKING_DAYS.items() if any(word.startswith(name) for word in found)}
    schedules = [_SCHEDULES[word[0]] for word in found if word[:3] not in _WORKING_DAYS]
    offsets = [offset for offset in range(_WEEK) if _is_allowed(offset, working, schedules)]
    return "" if len(offsets) == _WEEK else "".join(map(str, offsets))


def _is_allowed(offset: int, working: set[int], schedules: Sequence[Sequence[int]]) -> bool:
    if any((day + offset) % _WEEK in _WEEKEND for day in working):
        return False
    moved = [[(day + offset) % _WEEK for day in days] for days in schedules]
    return all(days == sorted(days) and _SUNDAY not in days for days in moved)


@cache
def _weekdays() -> Any:
    # In RE2, which finds one of many words in one pass.
    return re2.compile(
        r"\b(?:(?i:(?:mon|tues|wednes|thurs|fri)days?)|(?:Mon|Tue|Wed|Thu|Fri)s?|Tues|Weds|Thurs?"
        r"|MON|TUES?|WED|THURS?|FRI|M[/-]?W[/-]?F|T(?:u|ue)?[/-]?T(?:h|H|hu)?[/-]?S(?:a|at)?)\b"
    )
