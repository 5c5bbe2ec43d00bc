"""Dates in which a scanner took figures for letters: lO-8-85, 3-l4-27, and l2-l at the head of a line."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates.figures import is_month_day, is_year
from deid_tasks.engine.detect.patterns.rule import Candidate

MISREAD_TRIGGER = (
    r"\b[0-9lIO]{1,2}(?:-[0-9lIO]{1,2}-|/[0-9lIO]{1,2}/)(?:[1lI][89]|2[0O])?[0-9lIO]{2}\b"  # lO-8-85
    r"|(?m:^)[0-9lO]{1,2}-[0-9lO]{1,2} {2}"  # l2-l
)
_SEPARATOR = re.compile(r"[-/]")
_AS_FIGURES = str.maketrans("lIO", "110")


def read_misread_date(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a date with l, I and O for 1 and 0; figures alone and letters alone are none."""
    value = text[start:end].rstrip(" ")
    if value.translate(_AS_FIGURES) == value or not any(character.isdigit() for character in value):
        return
    stop = start + len(value)
    if text[start - 1 : start] in {"-", "/", "."} or text[stop : stop + 1] in {"-", "/", "%"}:
        return
    first, second, *year = _SEPARATOR.split(value.translate(_AS_FIGURES))
    is_day = is_month_day(int(first), int(second)) or is_month_day(int(second), int(first))
    if is_day and (not year or len(year[0]) == 2 or is_year(year[0])):
        yield Candidate(start, stop, Entity.DATE)
