"""Holidays and seasons as days of the year."""

import calendar
import datetime
import re
from collections.abc import Callable

SEASONS = {"winter": 1, "spring": 4, "summer": 7, "fall": 10, "autumn": 10}
"""The month in the middle of each."""


def _fixed(month: int, day: int) -> Callable[[int], datetime.date]:
    return lambda year: datetime.date(year, month, day)


def _nth(month: int, weekday: int, number: int) -> Callable[[int], datetime.date]:
    """The ``number``-th such weekday of the month; -1 is the last."""

    def find(year: int) -> datetime.date:
        days = [week[weekday] for week in calendar.monthcalendar(year, month) if week[weekday]]
        return datetime.date(year, month, days[number - 1 if number > 0 else number])

    return find


def _easter(year: int) -> datetime.date:
    """Gregorian Easter, by the anonymous algorithm of Nature, 1876."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (a + 11 * h) // 319
    r = (2 * e + 2 * i - k - h + m + 32) % 7
    month = (h - m + r + 90) // 25
    return datetime.date(year, month, (h - m + r + month + 19) % 32)


_HOLIDAYS: dict[str, Callable[[int], datetime.date]] = {
    "New Year's Day": _fixed(1, 1),
    "New Years": _fixed(1, 1),
    "Martin Luther King Day": _nth(1, 0, 3),
    "MLK Day": _nth(1, 0, 3),
    "Groundhog Day": _fixed(2, 2),
    "Valentine's Day": _fixed(2, 14),
    "Presidents Day": _nth(2, 0, 3),
    "St. Patrick's Day": _fixed(3, 17),
    "Easter": _easter,
    "Mother's Day": _nth(5, 6, 2),
    "Memorial Day": _nth(5, 0, -1),
    "Father's Day": _nth(6, 6, 3),
    "Juneteenth": _fixed(6, 19),
    "Fourth of July": _fixed(7, 4),
    "July 4th": _fixed(7, 4),
    "Independence Day": _fixed(7, 4),
    "Labor Day": _nth(9, 0, 1),
    "Columbus Day": _nth(10, 0, 2),
    "Halloween": _fixed(10, 31),
    "Veterans Day": _fixed(11, 11),
    "Thanksgiving": _nth(11, 3, 4),
    "Thanksgiving Day": _nth(11, 3, 4),
    "Hanukkah": _fixed(12, 12),
    "Christmas Eve": _fixed(12, 24),
    "Christmas": _fixed(12, 25),
    "Christmas Day": _fixed(12, 25),
    "Kwanzaa": _fixed(12, 28),
    "New Year's Eve": _fixed(12, 31),
}
_SURROGATES = (
    "New Year's Day",
    "Martin Luther King Day",
    "Valentine's Day",
    "Presidents Day",
    "St. Patrick's Day",
    "Easter",
    "Mother's Day",
    "Memorial Day",
    "Father's Day",
    "Fourth of July",
    "Labor Day",
    "Columbus Day",
    "Halloween",
    "Veterans Day",
    "Thanksgiving",
    "Christmas",
)


def _plain(value: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", value.casefold())


_BY_NAME = {_plain(name): rule for name, rule in _HOLIDAYS.items()}


def holiday_date(value: str, year: int) -> datetime.date | None:
    """The day a holiday falls on: in the year written beside it, else in ``year``; ``None`` for what is no holiday."""
    written = re.search(r"(?:19|20)\d\d", value)
    name = _plain(value.replace(written.group(), "") if written else value)
    rule = _BY_NAME.get(name)
    return rule(int(written.group()) if written else year) if rule else None


def nearest_holiday(day: datetime.date, original: str) -> str:
    """The holiday nearest to ``day`` that is not ``original``, with a year where ``original`` has one."""
    written = re.search(r"(?:19|20)\d\d", original)
    unlike = _BY_NAME.get(_plain(original.replace(written.group(), "") if written else original))
    candidates = [
        (abs((_HOLIDAYS[name](year) - day).days), name, year)
        for name in _SURROGATES
        for year in (day.year - 1, day.year, day.year + 1)
        if unlike is None or _HOLIDAYS[name](year) != unlike(year)
    ]
    _, name, year = min(candidates)
    return original.replace(written.group(), str(year)).replace(_name_of(original), name) if written else name


def season_of(day: datetime.date, like: str) -> str:
    """The season ``day`` lies in, in the word that ``like`` suggests (autumn or fall)."""
    autumn = "autumn" if like.casefold() == "autumn" else "fall"
    name = ("winter", "spring", "summer", autumn)[(day.month % 12) // 3]
    return name.capitalize() if like[:1].isupper() else name


def _name_of(value: str) -> str:
    return re.sub(r"[\s,]*(?:of\s)?(?:19|20)\d\d[\s,]*", "", value)
