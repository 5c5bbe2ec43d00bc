"""Words and numbers of the calendar: months, weekdays, ordinals, and the days that incomplete dates mean."""

import calendar
import datetime

from rapidfuzz.distance import OSA

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = (
    "tenth",
    "eleventh",
    "twelfth",
    *(f"{stem}teenth" for stem in ["thir", "four", "fif", "six", "seven", "eigh", "nine"]),
)
ORDINAL_WORDS = (
    *_ONES,
    *_TEENS,
    "twentieth",
    *(f"twenty-{one}" for one in _ONES),
    "thirtieth",
    "thirty-first",
)
"""``ORDINAL_WORDS[day - 1]``"""
_MIN_TYPO_LENGTH = 6
_MAX_YEARS_AHEAD = 20
_HALF_A_YEAR_DAYS = 182
"""Within this distance of the note, the same day of no other year can lie nearer."""


def _prefixes(names: tuple[str, ...]) -> dict[str, int]:
    return {name[:length]: i for i, name in enumerate(names) for length in range(3, len(name) + 1)}


PREFIXES = {MONTHS: _prefixes(MONTHS) | {"sept": 8}, WEEKDAYS: _prefixes(WEEKDAYS) | {"weds": 2}}
"""For each of the two tables: names, and their beginnings of three letters or more → their index in the table."""


def month_of(word: str) -> int | None:
    """Return 1 … 12 for the name of a month; ``None`` for other words.

    The name may be abbreviated or have one typing error.
    """
    index = _index_of(word, MONTHS)
    return None if index is None else index + 1


def weekday_of(word: str) -> int | None:
    """Return 0 (Monday) … 6 for the name of a weekday, which may be a plural, abbreviated, or have one typing error."""
    return _index_of(word.removesuffix("s") if word.endswith("days") else word, WEEKDAYS)


def _index_of(word: str, names: tuple[str, ...]) -> int | None:
    found = PREFIXES[names].get(word)
    if found is None and len(word) >= _MIN_TYPO_LENGTH:
        return next((i for i, name in enumerate(names) if OSA.distance(word, name, score_cutoff=1) <= 1), None)
    return found


def date_or_none(year: int, month: int, day: int) -> datetime.date | None:
    """Return that day, or the last of its month if the month is shorter; ``None`` for numbers that are no date."""
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return datetime.date(year, month, min(day, calendar.monthrange(year, month)[1]) if day > 28 else day)


def full_year(digits: str, year_now: int) -> int:
    """Return the year that two digits mean, at most twenty years after ``year_now``.

    Any other number of digits is the year itself.
    """
    if len(digits) != 2:
        return int(digits)
    year = year_now - year_now % 100 + int(digits)
    return year - 100 if year > year_now + _MAX_YEARS_AHEAD else year


def is_month_before_day(first: int, second: int, *, is_day_first: bool) -> bool:
    """Whether the first of two numbers is the month: where only one order is a date, that one, else the note's."""
    if is_day_first:
        return second > 12 >= first
    return first <= 12 or second > 12


def nearest_day(month: int, day: int, now: datetime.datetime) -> datetime.date | None:
    """Return that day of that month in the year in which it lies nearest to ``now``.

    ``None`` for numbers that are no date.
    """
    today = now.date()
    this_year = date_or_none(now.year, month, day)
    if this_year is None or abs((this_year - today).days) <= _HALF_A_YEAR_DAYS:
        return this_year
    near = [found for year in (now.year - 1, now.year, now.year + 1) if (found := date_or_none(year, month, day))]
    return min(near, key=lambda found: abs((found - today).days))
