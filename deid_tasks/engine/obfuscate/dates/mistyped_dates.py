"""Dates that no calendar holds, because of a slip of the pen: moved as what they were meant to be, and mistyped in the same place."""

import datetime
import re
from collections.abc import Callable

from deid_tasks.engine.obfuscate.dates.date_parts import date_or_none, full_year

_FIGURES = re.compile(r"(\d{1,2})([/.-])(\d{1,2})(?:\2(\d{1,5}))?", re.ASCII)
_LOST_FIRST = re.compile(r"(\d{1,2}?)(\d{2})([/.-])(\d{4}|\d{2})", re.ASCII)
_LOST_SECOND = re.compile(r"(\d{1,2})([/.-])(\d{2})(\d{4})", re.ASCII)
_MONTHS, _DAYS, _SURE_DAYS = 12, 31, 28


def moved_typo(value: str, now: datetime.datetime, move: Callable[[datetime.date], datetime.date]) -> str | None:
    """``value`` moved, with its own kind of slip: a month or a day too high or nought, a mark left out, a figure too many in the year.

    ``None`` where no such slip explains it.
    """
    if match := _FIGURES.fullmatch(value):
        return _too_high(match, now, move)
    if match := _LOST_FIRST.fullmatch(value):
        month, day, mark, year = match.groups()
        made = _moved(month, day, year, now, move)
        return None if made is None else f"{_like(made.month, month)}{made.day:02d}{mark}{_year(made.year, year)}"
    if match := _LOST_SECOND.fullmatch(value):
        month, mark, day, year = match.groups()
        made = _moved(month, day, year, now, move)
        return None if made is None else f"{_like(made.month, month)}{mark}{made.day:02d}{made.year:04d}"
    return None


def _too_high(
    match: re.Match[str], now: datetime.datetime, move: Callable[[datetime.date], datetime.date]
) -> str | None:
    first, mark, second, year = match.groups()
    month, day = int(first), int(second)
    meant = date_or_none(
        full_year(year[:4], now.year) if year and len(year[:4]) in {2, 4} else now.year,
        (month - 1) % _MONTHS + 1 if month else 1,
        (day - 1) % _SURE_DAYS + 1 if day else 1,
    )
    if meant is None or meant.year < 1_000:
        return None
    made = move(meant)
    new_month = 0 if month == 0 else made.month + (_MONTHS if month > _MONTHS else 0)
    new_day = 0 if day == 0 else made.day + (_DAYS if day > _DAYS else 0)
    text = f"{_like(new_month, first)}{mark}{_like(new_day, second)}"
    return f"{text}{mark}{_year(made.year, year)}" if year else text


def _moved(
    month: str, day: str, year: str, now: datetime.datetime, move: Callable[[datetime.date], datetime.date]
) -> datetime.date | None:
    if not (1 <= int(month) <= _MONTHS and 1 <= int(day) <= _DAYS):
        return None
    meant = date_or_none(full_year(year, now.year), int(month), int(day))
    return None if meant is None else move(meant)


def _like(number: int, old: str) -> str:
    return f"{number:02d}" if len(old) == 2 and (old[0] == "0" or number > 9 or int(old) > 9) else str(number)


def _year(year: int, old: str) -> str:
    if len(old) == 2:
        return f"{year % 100:02d}"
    return f"{year:04d}" + old[4:] if len(old) >= 4 else f"{year:04d}"[: len(old)]
