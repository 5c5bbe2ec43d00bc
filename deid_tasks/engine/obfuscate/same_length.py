"""Surrogates of exactly their original's length, for text whose layout must not move."""

import re

from deid_tasks.core.entities import Entity

_MONTHS = re.compile(
    r"\b(jan)uary|\b(feb)ruary|\b(mar)ch|\b(apr)il|\b(jun)e|\b(jul)y"
    r"|\b(aug)ust|\b(sep)t(?:ember)?|\b(oct)ober|\b(nov)ember|\b(dec)ember",
    re.IGNORECASE,
)
_WEEKDAYS = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*day\b", re.IGNORECASE)
_MONTH_NUMBERS = {
    name: str(i)
    for i, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], start=1
    )
}
_NAMED_DATE = re.compile(
    r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s*(\d{1,2})(?:st|nd|rd|th)?(?:,?\s*'?(\d{2,4}))?",
    re.IGNORECASE,
)


def fit_length(surrogate: str, original: str, entity: Entity) -> str:
    """Return ``surrogate`` in exactly ``len(original)`` characters.

    A longer one is shortened in a form of its own kind, a shorter one is padded with spaces. A date that is too long
    even in digits becomes asterisks: a cut date would be another date.
    """
    size = len(original)
    if len(surrogate) == size:
        return surrogate
    if entity is Entity.DATE:
        surrogate = next((form for form in _shorter_dates(surrogate) if len(form) <= size), "*" * size)
    elif entity is Entity.AGE:
        # "90" stands for ninety and over where there is no room for "89+".
        forms = (surrogate, re.sub(r"\d+\+|over.\d+", "90", surrogate))
        surrogate = next((form for form in forms if len(form) <= size), "*" * size)
    elif len(surrogate) > size:
        surrogate = _cut(surrogate, size)
    return surrogate.ljust(size)


def _shorter_dates(date: str) -> list[str]:
    """Return forms of a date, from the longest to the shortest: abbreviated, without ordinal endings, in digits."""

    def abbreviate(found: re.Match[str]) -> str:
        return next(group for group in found.groups() if group)

    def in_digits(found: re.Match[str]) -> str:
        parts = (_MONTH_NUMBERS[found[1].lower()], found[2], found[3] or "")
        return "/".join(part for part in parts if part)

    abbreviated = _WEEKDAYS.sub(abbreviate, _MONTHS.sub(abbreviate, date))
    cardinal = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", abbreviated)
    unspaced = re.sub(r",\s+", ",", cardinal)
    digits = _NAMED_DATE.sub(in_digits, cardinal)
    short_year = re.sub(r"\b(?:19|20)(\d\d)\b", r"\1", digits)
    return [date, abbreviated, cardinal, unspaced, digits, short_year, re.sub(r"\D", "", short_year) or short_year]


def _cut(surrogate: str, size: int) -> str:
    """Return ``surrogate`` without its last words, or without its last letters where one word alone is too long."""
    words = surrogate.split(" ")
    while len(words) > 1 and len(" ".join(words)) > size:
        words.pop()
    return " ".join(words)[:size]
