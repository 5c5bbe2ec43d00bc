"""Parts of a date written in the form of the originals: padding, abbreviation, letter case and ordinal endings."""

import datetime
from collections.abc import Callable

from deid_tasks.engine.obfuscate.dates.calendar_terms import MONTHS, ORDINAL_WORDS
from deid_tasks.engine.obfuscate.dates.date_parts import DatePart
from deid_tasks.engine.obfuscate.letter_case import match_case

_LONG_ABBREVIATIONS = {"tuesday": "tues", "thursday": "thurs", "september": "sept"}
"""Usual abbreviations of more than three letters."""


def number_writer(value: str, parts: list[DatePart]) -> Callable[[int], str]:
    """Return a function that writes a day or a month in digits, with a leading zero where the date has one."""
    numbers = [value[p.start : p.end] for p in parts if p.role in {"month", "day"} and value[p.start].isdecimal()]
    has_range = sum(part.role == "day" for part in parts) > 1
    in_digits = not has_range and (len(numbers) > 1 or "-" in value)
    is_padded = any(n.startswith("0") for n in numbers) or (
        in_digits and "/" not in value and all(len(n) == 2 for n in numbers)
    )
    return (lambda number: f"{number:02d}") if is_padded else str


def day_like(old: str, day: int, write_number: Callable[[int], str]) -> str:
    """Return a day in digits, or as an ordinal word, as ``old`` is."""
    if old.isdecimal():
        return write_number(day)
    word = ORDINAL_WORDS[day - 1]
    return match_case(word.capitalize() if old[:1].isupper() else word, old)


def year_like(old: str, year: int) -> str:
    """Return a year with as many digits as ``old`` has."""
    return f"{year % 100:02d}" if len(old) == 2 else f"{year:04d}"[-len(old) :].rjust(len(old), "0")


def month_like(part: DatePart, value: str, day: datetime.date, *, has_short_months: bool = False) -> str:
    """Return the name of the month of ``day``, abbreviated as the month ``part`` of ``value`` is."""
    following = "." if has_short_months else value[part.end : part.end + 1]
    return name_like(MONTHS[day.month - 1], value[part.start : part.end], following, MONTHS)


def name_like(name: str, old: str, following: str, names: tuple[str, ...]) -> str:
    """Return the name of a month or a weekday, abbreviated and in the letter case as ``old`` is.

    Args:
        name: the name in full, in lower case.
        old: the original.
        following: the character behind the original; it tells "May" in full from the abbreviation.
        names: the table of months or of weekdays.
    """
    word = old.casefold()
    plural = "s" if word.endswith("days") else ""
    is_short_may = word == "may" and (following in {"-", ".", "'", "’"} or following.isdigit())
    is_full = len(word) > 5 or (word in names and not is_short_may)
    short = _LONG_ABBREVIATIONS.get(name, name[:3]) if len(old) > 3 else name[:3]
    return match_case((name if is_full else short).capitalize() + plural, old)


def ordinal_ending(day: int) -> str:
    """Return st, nd, rd or th."""
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
