"""Dates in figures: 3/14/2021, 03-14-21, 2021-03-14, 11/93, 3/14, ranges, and the typing errors of hurried people."""

import itertools
import re
from collections.abc import Iterable, Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates.figures import FRACTION_AFTER, Figures, is_month_day, is_year
from deid_tasks.engine.detect.patterns.dates.three_numbers import THREE_NUMBERS
from deid_tasks.engine.detect.patterns.dates.two_numbers import HYPHENATED_NUMBERS, SHORT_NUMBERS, TWO_NUMBERS
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before

NUMERIC_TRIGGER = (
    r"[0-9]{1,4}(?:[/.\-\\]{1,2}[0-9]{1,4}){2,5}"  # three to six numbers
    r"|[0-9]{1,2} ?/ ?[0-9]{1,2} ?/ ?(?:19|20|')?[0-9]{2}"  # three numbers with blanks around the slashes
    r"|[0-9]{1,4}[/.\-\\]{1,2}[0-9]{1,4}"  # two numbers
    r"|(?:19|20)[0-9]{6}"  # 20210314
)
_NUMBER = re.compile(r"[0-9]+")
FORM_TABLES = (THREE_NUMBERS, TWO_NUMBERS, SHORT_NUMBERS, HYPHENATED_NUMBERS)


def read_numeric(text: str, start: int, end: int) -> Iterable[Candidate]:
    """Judge one run of figures and separators."""
    left, right = text[start - 1 : start], text[end : end + 1]
    if left.isdigit() or right.isdigit() or right in {"%", "\\"} or left in {"$", "#", "_"}:
        return ()
    if left in {".", "/", ",", "-"} and start > 1 and _continues_to_the_left(text, start):
        return ()
    if right in {".", "/", "-", ","} and text[end + 1 : end + 2].isdigit():
        return ()
    parts = [match.span() for match in _NUMBER.finditer(text, start, end)]
    if len(parts) > 3:
        return _range(text, parts)
    is_date = _is_compact(text, start, end) if len(parts) == 1 else _is_date(text, start, end, parts)
    return (Candidate(start, end, Entity.DATE),) if is_date else ()


def _continues_to_the_left(text: str, start: int) -> bool:
    """Whether the mark in front belongs to a longer number or code."""
    return text[start - 2].isdigit() or (text[start - 1] != "," and text[start - 2].isalpha())


def _is_compact(text: str, start: int, end: int) -> bool:
    """Whether eight figures on their own are a date: 20210314."""
    digits = text[start:end]
    is_alone = not text[start - 1 : start].isalnum() and not (text[end : end + 1].isalnum() and text[end] != "T")
    return is_alone and is_month_day(int(digits[4:6]), int(digits[6:8])) and int(digits[:4]) <= 2049


def _is_date(text: str, start: int, end: int, parts: list[tuple[int, int]]) -> bool:
    separators = tuple(text[left[1] : right[0]] for left, right in itertools.pairwise(parts))
    table = TWO_NUMBERS
    if len(parts) == 3:
        separators, table = tuple(separator.strip() for separator in separators), THREE_NUMBERS
    numbers = tuple([text[low:high] for low, high in parts])
    values = tuple([int(number) for number in numbers])
    figures = Figures(text, start, end, numbers, separators, values, text_before(text, start), text_after(text, end))
    return bool(table.decide(figures))


def _range(text: str, parts: list[tuple[int, int]]) -> Iterator[Candidate]:
    """Split 3/1-3/5 and 3/14/21-3/16/21 at the hyphens, each part a date of its own."""
    days: list[list[tuple[int, int]]] = [[parts[0]]]
    for previous, part in itertools.pairwise(parts):
        if "-" in text[previous[1] : part[0]]:
            days.append([part])
        else:
            days[-1].append(part)
    if len(days) < 2 or not all(_looks_like_day(text, day) for day in days):
        return
    if "." in text[parts[0][1] : parts[-1][0]] and len(parts) < 6:
        return
    if len(parts) > 4 or not FRACTION_AFTER.match(text_after(text, parts[-1][1])):
        for day in days:
            yield Candidate(day[0][0], day[-1][1], Entity.DATE)


def _looks_like_day(text: str, day: list[tuple[int, int]]) -> bool:
    values = [int(text[low:high]) for low, high in day]
    if len(day) == 3:
        last = text[slice(*day[2])]
        return is_month_day(values[0], values[1]) and (len(last) == 2 or is_year(last))
    if len(day) != 2:
        return False
    is_month = 1 <= values[0] <= 12 and (is_year(text[slice(*day[1])]) or 50 <= values[1] <= 99)
    return is_month_day(values[0], values[1]) or is_month


LABELLED_TRIGGER = r"(?i)(?:dob|d\.o\.b\.?|date of birth|birth ?date|dos|date of service|date):? {0,2}[0-9]{6,8}"
_LABELLED_VALUE = re.compile(r"[0-9]{6,8}$")


def read_labelled_date(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read figures without separators behind a label: DOB: 03142021 or 031421."""
    match = _LABELLED_VALUE.search(text, start, end)
    if match is None or text[end : end + 1].isdigit() or end - match.start() == 7:
        return
    digits = match.group()
    if is_month_day(int(digits[:2]), int(digits[2:4])) or is_year(digits[:4]):
        yield Candidate(match.start(), end, Entity.DATE, Strength.LABELLED)
