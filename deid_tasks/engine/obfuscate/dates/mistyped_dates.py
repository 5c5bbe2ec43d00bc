"""Mistyped dates: moved as what they were meant to be, and mistyped in the same way.

The typing errors are a month or a day that is too high or 0, a missing separator, and extra digits in the year.
"""

import datetime
import re
from collections.abc import Callable

from deid_tasks.engine.obfuscate.dates.calendar_terms import date_or_none, full_year

_DIGITS = re.compile(r"(\d{1,2})([/.-])(\d{1,2})(?:\2(\d{1,5}))?", re.ASCII)
_LOST_FIRST_SEPARATOR = re.compile(r"(\d{1,2}?)(\d{2})([/.-])(\d{4}|\d{2})", re.ASCII)
_LOST_SECOND_SEPARATOR = re.compile(r"(\d{1,2})([/.-])(\d{2})(\d{4})", re.ASCII)
_MONTHS, _MAX_DAYS, _MIN_DAYS = 12, 31, 28

Move = Callable[[datetime.date], datetime.date]


def move_mistyped_date(value: str, now: datetime.datetime, move: Move, *, is_day_first: bool = False) -> str | None:
    """Return ``value`` moved, with its own typing error; ``None`` where no known error explains it.

    Args:
        value: digits and separators that no calendar holds.
        now: when the note was written.
        move: returns a day moved by the patient's shift.
        is_day_first: whether 3/4 is the third of April.
    """
    if match := _DIGITS.fullmatch(value):
        return _move_out_of_range(match, now, move, is_day_first=is_day_first)
    if match := _LOST_FIRST_SEPARATOR.fullmatch(value):
        month, day, separator, year = match.groups()
        moved = _move(month, day, year, now, move)
        if moved is None:
            return None
        return f"{_like(moved.month, month)}{moved.day:02d}{separator}{_year_like(moved.year, year)}"
    if match := _LOST_SECOND_SEPARATOR.fullmatch(value):
        month, separator, day, year = match.groups()
        moved = _move(month, day, year, now, move)
        return None if moved is None else f"{_like(moved.month, month)}{separator}{moved.day:02d}{moved.year:04d}"
    return None


def _move_out_of_range(match: re.Match[str], now: datetime.datetime, move: Move, *, is_day_first: bool) -> str | None:
    """Return a date moved whose month or day is out of range, and whose year may have an extra digit."""
    first, separator, second, year = match.groups()
    month, day = (int(second), int(first)) if is_day_first else (int(first), int(second))
    meant = date_or_none(
        full_year(year[:4], now.year) if year and len(year[:4]) in {2, 4} else now.year,
        (month - 1) % _MONTHS + 1 if month else 1,
        (day - 1) % _MIN_DAYS + 1 if day else 1,
    )
    if meant is None or meant.year < 1_000:
        return None
    moved = move(meant)
    new_month = 0 if month == 0 else moved.month + (_MONTHS if month > _MONTHS else 0)
    new_day = 0 if day == 0 else moved.day + (_MAX_DAYS if day > _MAX_DAYS else 0)
    numbers = (new_day, new_month) if is_day_first else (new_month, new_day)
    text = f"{_like(numbers[0], first)}{separator}{_like(numbers[1], second)}"
    return f"{text}{separator}{_year_like(moved.year, year)}" if year else text


def _move(month: str, day: str, year: str, now: datetime.datetime, move: Move) -> datetime.date | None:
    if not (1 <= int(month) <= _MONTHS and 1 <= int(day) <= _MAX_DAYS):
        return None
    meant = date_or_none(full_year(year, now.year), int(month), int(day))
    return None if meant is None else move(meant)


def _like(number: int, old: str) -> str:
    return f"{number:02d}" if len(old) == 2 and (old[0] == "0" or number > 9 or int(old) > 9) else str(number)


def _year_like(year: int, old: str) -> str:
    if len(old) == 2:
        return f"{year % 100:02d}"
    return f"{year:04d}" + old[4:] if len(old) >= 4 else f"{year:04d}"[: len(old)]
