"""Where a span should begin and end: whole words, and neither titles nor punctuation."""

import re

from deid_tasks.core.entities import Entity

NAMES = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
"""The entities that are written as first, middle and last names."""

_WORDY = NAMES | {Entity.PROFESSION, Entity.CITY, Entity.STATE, Entity.COUNTRY, Entity.FACILITY, Entity.ORGANIZATION}
_TITLE = re.compile(
    r"(?:drs?|mrs?|ms|mx|miss|prof|doctor|professor|rev|nurse)\b(?:\.\s?|\s)\s{0,2}(?=\S)", re.IGNORECASE
)
_POSSESSIVE = re.compile(r"['’][sS]$")
_REACH = 40
"""A word longer than this is no word: a boundary inside it stays."""
_CLOSERS = {")": "(", "]": "["}


def repair(text: str, start: int, end: int, entity: Entity) -> tuple[int, int]:
    """The span's better boundaries; empty (``start == end``) where nothing of it is a letter or figure."""
    if entity in _WORDY:
        start, end = _whole_words(text, start, end)
    start, end = strip(text, start, end)
    if entity in NAMES:
        title = _TITLE.match(text, start, end)
        while title:
            start, end = strip(text, title.end(), end)
            title = _TITLE.match(text, start, end)
        if end - start > 2 and _POSSESSIVE.match(text[end - 2 : end]):
            end -= 2
    return start, end


def strip(text: str, start: int, end: int) -> tuple[int, int]:
    """Without white space and punctuation at either end; an initial keeps its full stop, a bracketed part its bracket."""
    while start < end and not text[start].isalnum() and text[start] != "#":
        if text[start] == "(" and ")" in text[start:end]:
            break
        if text[start] == "+" and text[start + 1 : start + 2].isdigit():
            break
        start += 1
    while start < end and not text[end - 1].isalnum():
        last = text[end - 1]
        if last in _CLOSERS and _CLOSERS[last] in text[start : end - 1]:
            break
        if last == "." and _ends_in_initial(text, start, end):
            break
        end -= 1
    if not any(character.isalnum() for character in text[start:end]):
        return start, start
    return start, end


def _ends_in_initial(text: str, start: int, end: int) -> bool:
    return end - start >= 2 and text[end - 2].isalpha() and (end - 2 == start or not text[end - 3].isalnum())


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Grow over the letters that continue the first and the last word."""
    low = start
    if text[start : start + 1].isalpha():
        while low > 0 and text[low - 1].isalpha() and start - low < _REACH:
            low -= 1
    high = end
    if text[end - 1 : end].isalpha():
        while high < len(text) and text[high].isalpha() and high - end < _REACH:
            high += 1
    is_word_start = low == 0 or not text[low - 1].isalpha()
    is_word_end = high == len(text) or not text[high].isalpha()
    return (low if is_word_start else start), (high if is_word_end else end)
