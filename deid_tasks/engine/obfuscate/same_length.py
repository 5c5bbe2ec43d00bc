"""Surrogates of exactly their original's length, for text whose layout must stand."""

import re

from deid_tasks.core.entities import Entity

_MONTHS = re.compile(
    r"\b(jan)uary|\b(feb)ruary|\b(mar)ch|\b(apr)il|\b(jun)e|\b(jul)y|\b(aug)ust|\b(sep)t(?:ember)?|\b(oct)ober|\b(nov)ember|\b(dec)ember",
    re.IGNORECASE,
)
_WEEKDAYS = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*day\b", re.IGNORECASE)
_NUMBER_OF_MONTH = {
    name: str(i)
    for i, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], start=1
    )
}
_NAMED = re.compile(
    r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s*(\d{1,2})(?:st|nd|rd|th)?(?:,?\s*'?(\d{2,4}))?",
    re.IGNORECASE,
)


def fit_length(made: str, original: str, entity: Entity) -> str:
    """``made`` in exactly ``len(original)`` characters: shortened in its own form where it is longer, then padded with spaces.

    A date that is too long even in figures becomes asterisks: a cut date would be another date.
    """
    size = len(original)
    if len(made) == size:
        return made
    if entity is Entity.DATE:
        made = next((short for short in _shorter_dates(made) if len(short) <= size), "*" * size)
    elif entity is Entity.AGE:
        # "90" stands for ninety and over where "89+" has no room.
        made = next((form for form in (made, re.sub(r"\d+\+|over.\d+", "90", made)) if len(form) <= size), "*" * size)
    elif len(made) > size:
        made = _cut(made, size)
    return made.ljust(size)


def _shorter_dates(made: str) -> list[str]:
    def short(found: re.Match[str]) -> str:
        return next(group for group in found.groups() if group)

    def figures(found: re.Match[str]) -> str:
        parts = (_NUMBER_OF_MONTH[found[1].lower()], found[2], found[3] or "")
        return "/".join(part for part in parts if part)

    named = _WEEKDAYS.sub(short, _MONTHS.sub(short, made))
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", named)
    tight = re.sub(r",\s+", ",", plain)
    in_figures = _NAMED.sub(figures, plain)
    two_years = re.sub(r"\b(?:19|20)(\d\d)\b", r"\1", in_figures)
    return [made, named, plain, tight, in_figures, two_years, re.sub(r"\D", "", two_years) or two_years]


def _cut(made: str, size: int) -> str:
    """``made`` without its last words, or without its last letters where one word alone is too long."""
    words = made.split(" ")
    while len(words) > 1 and len(" ".join(words)) > size:
        words.pop()
    return " ".join(words)[:size]
