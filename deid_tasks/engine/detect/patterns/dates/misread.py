"""Dates in which a scanner took figures for letters: lO-8-85, 3-l4-27, and l2-l at the head of a line."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates.figures import is_month_day, is_year
from deid_tasks.engine.detect.patterns.rule import Candidate, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation

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


MISREAD_PAIR_TRIGGER = r"\b(?:[lIO][0-9lIO]?|[0-9][lIO])/[0-9lIO]{1,2}\b|\b[0-9]{1,2}/(?:[lIO][0-9lIO]|[0-9][lIO])\b"
_DAY_BEFORE = re.compile(rf"(?:^|[^a-z])(?:written|rx|{alternation('dates', 'words_before_a_day')})[\s:.,(=]{{0,3}}$")
_PAIN_BEFORE = re.compile(r"pain|nrs|vas|score|rated?|scale")
_FRACTION_BEHIND = re.compile(r"\s?(?:/|-[0-9]|%|pain|points|correct|strength)")


def read_misread_pair(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a month and a day with l, I and O for 1 and 0, behind a word that announces a day: written l0/14."""
    value, ahead = text[start:end], text_before(text, start)
    if not any(character.isdigit() for character in value) or not _DAY_BEFORE.search(ahead):
        return
    if _PAIN_BEFORE.search(ahead) or _FRACTION_BEHIND.match(text_after(text, end)):
        return
    first, second = (int(part) for part in value.translate(_AS_FIGURES).split("/"))
    if is_month_day(first, second) or is_month_day(second, first):
        yield Candidate(start, end, Entity.DATE)
