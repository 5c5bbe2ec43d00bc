"""Days on which people work, which stay working days in a note without a patient: clinic Tuesdays, dialysis MWF."""

from functools import cache
from typing import Any

import re2

_WORKING_DAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4}
_WEEKEND = (5, 6)
_WEEK = 7


def offsets_of_week(text: str) -> str:
    """Return the days of the week by which dates may move so that working days stay working days: ``0126``.

    A schedule of three days, MWF or TTS, stays itself: moved, it would mostly be none that dialysis has. Empty where
    all seven may be.
    """
    found = {word.lower() for word in _weekdays().findall(text)}
    working = {day for name, day in _WORKING_DAYS.items() if any(word.startswith(name) for word in found)}
    if any(word[:3] not in _WORKING_DAYS for word in found):
        return "0"
    offsets = [one for one in range(_WEEK) if not any((day + one) % _WEEK in _WEEKEND for day in working)]
    return "" if len(offsets) == _WEEK else "".join(map(str, offsets))


@cache
def _weekdays() -> Any:
    # In RE2, which finds one of many words in one pass.
    return re2.compile(
        r"\b(?:(?i:(?:mon|tues|wednes|thurs|fri)days?)|(?:Mon|Tue|Wed|Thu|Fri)s?|Tues|Weds|Thurs?"
        r"|MON|TUES?|WED|THURS?|FRI|M[/-]?W[/-]?F|T(?:u|ue)?[/-]?T(?:h|H|hu)?[/-]?S(?:a|at)?)\b"
    )
