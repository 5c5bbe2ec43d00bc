"""Holidays and seasons as days of the year."""

import calendar
import datetime
import re
from collections.abc import Callable
from functools import lru_cache

from deid_tasks.engine.obfuscate.dates.lunar_holidays import (
    diwali,
    ganesh_chaturthi,
    holi,
    islamic,
    jewish,
    lunar_new_year,
    matariki,
)
from deid_tasks.engine.obfuscate.letter_case import match_case

SEASONS = {"winter": 1, "spring": 4, "summer": 7, "fall": 10, "autumn": 10}
"""Each season and the month in its middle."""
_MAX_DAYS_OFF = 1
"""Days by which a surrogate holiday may miss the day that the original moves to."""
_BESIDE = 24
_DATE_BEFORE = re.compile(r"\d[,;]?[ ]?[(\-–]?[ ]?$")
_DATE_AFTER = re.compile(
    r"[,;]?[ ]?[(\-–]?[ ]?(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?[.,]?[ ])?"
    r"(?:\d{1,2}[/.-]\d|\d{1,2}[ ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[ ]\d)",
    re.IGNORECASE,
)
_MAX_YEARS_BACK = 79
"""A year of two digits lies at most 79 years before the note's and at most twenty after it."""


def _fixed(month: int, day: int) -> Callable[[int], datetime.date]:
    return lambda year: datetime.date(year, month, day)


def _nth(month: int, weekday: int, number: int) -> Callable[[int], datetime.date]:
    """Return a rule for the ``number``-th such weekday of the month; -1 is the last."""

    def find(year: int) -> datetime.date:
        days = [week[weekday] for week in calendar.monthcalendar(year, month) if week[weekday]]
        return datetime.date(year, month, days[number - 1 if number > 0 else number])

    return find


def _easter(year: int) -> datetime.date:
    """Return Gregorian Easter, by the anonymous algorithm of Nature, 1876."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (a + 11 * h) // 319
    r = (2 * e + 2 * i - k - h + m + 32) % 7
    month = (h - m + r + 90) // 25
    return datetime.date(year, month, (h - m + r + month + 19) % 32)


def _beside_easter(days: int) -> Callable[[int], datetime.date]:
    return lambda year: _easter(year) + datetime.timedelta(days=days)


def _before_may_25(year: int) -> datetime.date:
    """Return Victoria Day: the last Monday before 25 May."""
    day = datetime.date(year, 5, 24)
    return day - datetime.timedelta(days=day.weekday())


_HOLIDAYS: dict[str, Callable[[int], datetime.date]] = {
    "New Year's Day": _fixed(1, 1),
    "New Years Day": _fixed(1, 1),
    "New Year's": _fixed(1, 1),
    "New Year": _fixed(1, 1),
    "Martin Luther King Day": _nth(1, 0, 3),
    "MLK Day": _nth(1, 0, 3),
    "Groundhog Day": _fixed(2, 2),
    "Valentine's Day": _fixed(2, 14),
    "Presidents Day": _nth(2, 0, 3),
    "St. Patrick's Day": _fixed(3, 17),
    "Good Friday": _beside_easter(-2),
    "Palm Sunday": _beside_easter(-7),
    "Ash Wednesday": _beside_easter(-46),
    "Mardi Gras": _beside_easter(-47),
    "Easter Monday": _beside_easter(1),
    "Easter": _easter,
    "Easter Sunday": _easter,
    "Mother's Day": _nth(5, 6, 2),
    "Memorial Day": _nth(5, 0, -1),
    "Father's Day": _nth(6, 6, 3),
    "Juneteenth": _fixed(6, 19),
    "Fourth of July": _fixed(7, 4),
    "Independence Day": _fixed(7, 4),
    "Labor Day": _nth(9, 0, 1),
    "Labour Day": _nth(9, 0, 1),
    "Columbus Day": _nth(10, 0, 2),
    "Halloween": _fixed(10, 31),
    "Veterans Day": _fixed(11, 11),
    "Thanksgiving": _nth(11, 3, 4),
    "Thanksgiving Day": _nth(11, 3, 4),
    "Hanukkah": jewish(83),
    "Chanukah": jewish(83),
    "Passover": jewish(0, from_new_year=False),
    "Pesach": jewish(0, from_new_year=False),
    "Purim": jewish(-30, from_new_year=False),
    "Shavuot": jewish(50, from_new_year=False),
    "Rosh Hashanah": jewish(0),
    "Yom Kippur": jewish(9),
    "Sukkot": jewish(14),
    "Ramadan": islamic(9, 1),
    "Ramazan": islamic(9, 1),
    "Eid al-Fitr": islamic(10, 1),
    "Eid ul-Fitr": islamic(10, 1),
    "Hari Raya": islamic(10, 1),
    "Hari Raya Puasa": islamic(10, 1),
    "Hari Raya Haji": islamic(12, 10),
    "Ganesh Chaturthi": ganesh_chaturthi,
    "Vinayagar Chaturthi": ganesh_chaturthi,
    "Eid": islamic(10, 1),
    "Eid al-Adha": islamic(12, 10),
    "Eid ul-Adha": islamic(12, 10),
    "Bakrid": islamic(12, 10),
    "Deepavali": diwali,
    "Divali": diwali,
    "Dussehra": lambda year: diwali(year) - datetime.timedelta(days=20),
    "Holi": holi,
    "Pongal": _fixed(1, 15),
    "Makar Sankranti": _fixed(1, 14),
    "Vaisakhi": _fixed(4, 14),
    "Baisakhi": _fixed(4, 14),
    "Gandhi Jayanti": _fixed(10, 2),
    "Lunar New Year": lunar_new_year,
    "Chinese New Year": lunar_new_year,
    "Nowruz": _fixed(3, 20),
    "Whitsun": _beside_easter(49),
    "Whit Sunday": _beside_easter(49),
    "Pentecost": _beside_easter(49),
    "Ascension Day": _beside_easter(39),
    "Corpus Christi": _beside_easter(60),
    "Maundy Thursday": _beside_easter(-3),
    "Shrove Tuesday": _beside_easter(-47),
    "Pancake Day": _beside_easter(-47),
    "Fat Tuesday": _beside_easter(-47),
    "Mothering Sunday": _beside_easter(-21),
    "Lent": _beside_easter(-46),
    "Advent": _fixed(12, 1),
    "Melbourne Cup Day": _nth(11, 1, 1),
    "Melbourne Cup": _nth(11, 1, 1),
    "Matariki": matariki,
    "Burns Night": _fixed(1, 25),
    "May Day": _nth(5, 0, 1),
    "Midsummer": _fixed(6, 21),
    "All Souls' Day": _fixed(11, 2),
    "Day of the Dead": _fixed(11, 2),
    "Día de los Muertos": _fixed(11, 2),
    "Indigenous Peoples' Day": _nth(10, 0, 2),
    "Patriots' Day": _nth(4, 0, 3),
    "Earth Day": _fixed(4, 22),
    "Flag Day": _fixed(6, 14),
    "Armistice Day": _fixed(11, 11),
    "Black Friday": lambda year: _nth(11, 3, 4)(year) + datetime.timedelta(days=1),
    "Australia Day": _fixed(1, 26),
    "Waitangi Day": _fixed(2, 6),
    "Anzac Day": _fixed(4, 25),
    "Family Day": _nth(2, 0, 3),
    "Victoria Day": _before_may_25,
    "St. George's Day": _fixed(4, 23),
    "St. Andrew's Day": _fixed(11, 30),
    "St. David's Day": _fixed(3, 1),
    "Heritage Day": _fixed(9, 24),
    "Freedom Day": _fixed(4, 27),
    "Republic Day": _fixed(1, 26),
    "National Day": _fixed(8, 9),
    "Guy Fawkes": _fixed(11, 5),
    "Epiphany": _fixed(1, 6),
    "All Saints' Day": _fixed(11, 1),
    "Remembrance Day": _fixed(11, 11),
    "Whit Monday": _beside_easter(50),
    "Super Bowl Sunday": _nth(2, 6, 2),
    "Diwali": diwali,
    "Cinco de Mayo": _fixed(5, 5),
    "Canada Day": _fixed(7, 1),
    "Bastille Day": _fixed(7, 14),
    "Bonfire Night": _fixed(11, 5),
    "Boxing Day": _fixed(12, 26),
    "St. Stephen's Day": _fixed(12, 26),
    "Christmas Eve": _fixed(12, 24),
    "Christmas": _fixed(12, 25),
    "Christmas Day": _fixed(12, 25),
    "Xmas": _fixed(12, 25),
    "Kwanzaa": _fixed(12, 28),
    "New Year's Eve": _fixed(12, 31),
}
_LONG = frozenset(["ramadan", "ramazan", "lent", "advent"])
"""Times of several weeks, by the letters of their names."""
_ANYWHERE = frozenset(["New Year's Day", "Valentine's Day", "Easter", "Halloween", "Christmas"])
"""Holidays of all countries."""
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


def _letters_and_digits(value: str) -> str:
    return re.sub(r"[^a-zí0-9]+", "", value.casefold())


def _optional_punctuation(found: re.Match[str]) -> str:
    return r"\W?s\W{0,2}" if "s" in found.group() else r"\W{0,2}"


_RULES = {_letters_and_digits(name): rule for name, rule in _HOLIDAYS.items()}
_NAME_PATTERNS = sorted(
    (re.sub(r"'?s (?=Day)|[ .']+", _optional_punctuation, name) for name in _HOLIDAYS), key=len, reverse=True
)
HOLIDAY = re.compile(
    rf"(?<![^\W_])(?P<name>{'|'.join(_NAME_PATTERNS)})(?![^\W\d_])"
    r"(?P<between>[\s,]*(?:(?:of|in)\s)?)(?:(?P<year>(?:19|20)\d\d)|['’](?P<short>\d\d))?(?!\d)",
    re.IGNORECASE,
)
"""A holiday, and the year behind it."""


def is_long(found: re.Match[str]) -> bool:
    """Whether a match of ``HOLIDAY`` names a time of several weeks: Ramadan."""
    return _letters_and_digits(found["name"]) in _LONG


def holiday_date(found: re.Match[str], now: datetime.datetime) -> datetime.date:
    """Return the day of a holiday: in the year written with it, else the one nearest to the note.

    Args:
        found: a match of ``HOLIDAY``.
        now: when the note was written.
    """
    rule = _RULES[_letters_and_digits(found["name"])]
    if found["year"]:
        return rule(int(found["year"]))
    if found["short"]:
        return rule(now.year + (int(found["short"]) - now.year % 100 + _MAX_YEARS_BACK) % 100 - _MAX_YEARS_BACK)
    years = [year for year in (now.year - 1, now.year, now.year + 1) if datetime.MINYEAR <= year <= datetime.MAXYEAR]
    return min((rule(year) for year in years), key=lambda day: abs((day - now.date()).days))


def nearest_holiday(day: datetime.date, found: re.Match[str], *, is_abroad: bool = False) -> str | None:
    """Return the text of a match of ``HOLIDAY`` with the other holiday that is nearest to ``day``, and its year.

    ``None`` where none is within ``_MAX_DAYS_OFF``: the distance to other dates in the note would be wrong.
    """
    own = _RULES[_letters_and_digits(found["name"])]
    candidates = [
        (abs((holiday - day).days), name, holiday.year)
        for year in (day.year - 1, day.year, day.year + 1)
        if datetime.MINYEAR <= year <= datetime.MAXYEAR
        for name, holiday in _surrogate_days(year)
        if holiday != own(year) and (name in _ANYWHERE or not is_abroad)
    ]
    days_off, name, year = min(candidates, default=(_MAX_DAYS_OFF + 1, "", 0))
    if days_off > _MAX_DAYS_OFF:
        return None
    text = match_case(name, found["name"]) + found["between"]
    if found["year"]:
        return f"{text}{year:04d}"
    return f"{text}{found.group()[-3]}{year % 100:02d}" if found["short"] else text


@lru_cache(maxsize=256)
def _surrogate_days(year: int) -> tuple[tuple[str, datetime.date], ...]:
    return tuple((name, _HOLIDAYS[name](year)) for name in _SURROGATES)


def nameless_holiday(text: str, start: int, end: int) -> str | None:
    """Return what stands for a holiday whose date stands beside it ("Oct 31, Halloween"); ``None`` for other ones.

    No other holiday is on the day that it moves to, and the day itself would stand there twice.
    """
    before, after = text[max(0, start - _BESIDE) : start], text[end : end + _BESIDE]
    if not (_DATE_BEFORE.search(before) or _DATE_AFTER.match(after)):
        return None
    name = "a local holiday" if re.search(r"\bon $", before) else "local holiday"
    return name if name[0] == "a" else match_case(name, text[start:end])


def season_of(day: datetime.date, like: str) -> str:
    """Return the season that ``day`` lies in; ``like`` decides between autumn and fall and about a capital letter."""
    autumn = "autumn" if like.casefold() == "autumn" else "fall"
    name = ("winter", "spring", "summer", autumn)[(day.month % 12) // 3]
    return name.capitalize() if like[:1].isupper() else name
