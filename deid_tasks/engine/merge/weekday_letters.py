"""Days of the week in one or two letters at the head of a line, in front of its date: the M of "M 1/20/25 late".

One such letter may be anything (M for male). Where lines of a note begin with several of them, they are days, and move
with their dates.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

_LETTERS_BEFORE = re.compile(r"(?:^|\n)(?P<day>M|Tu?|W|Th|R|F|Sa|Su) $")
_NUMERIC = re.compile(r"\d{1,2}/\d{1,2}(?:/\d{2,4})?")
_REACH = 4
_MIN_DAYS = 2


def with_weekday_letters(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with dates grown over the letters of their weekday, sorted and disjoint. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    found: dict[int, re.Match[str]] = {}
    for index, span in enumerate(spans):
        if span.entity is Entity.DATE and _NUMERIC.fullmatch(text, span.start, span.end):
            day = _LETTERS_BEFORE.search(text[max(0, span.start - _REACH) : span.start])
            if day is not None and (not index or spans[index - 1].end <= span.start - len(day["day"]) - 1):
                found[index] = day
    if len({day["day"] for day in found.values()}) < _MIN_DAYS:
        return list(spans)
    return [
        replace(span, start=span.start - len(found[index]["day"]) - 1) if index in found else span
        for index, span in enumerate(spans)
    ]
