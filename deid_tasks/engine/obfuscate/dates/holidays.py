"""Holidays and seasons as days of the year."""

import datetime
import re
from functools import lru_cache

from deid_tasks.engine.obfuscate.dates.holiday_rules import holiday_rules
from deid_tasks.engine.obfuscate.dates.lunar_holidays import Rule
from deid_tasks.engine.obfuscate.letter_case import match_case

SEASONS = {"winter": 1, "spring": 4, "summer": 7, "fall": 10, "autumn": 10}
"""Each season and the month in its middle."""
_BESIDE = 24
_DATE_BEFORE = re.compile(r"\d[,;]?[ ]?[(\-–]?[ ]?$")
_DATE_AFTER = re.compile(
    r"(?:[ ](?:starts|begins|is|was|fell|falls)(?:[ ]on)?)?[,;]?[ ]?[(\-–~]?[ ]?"
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?[.,]?[ ])?"
    r"(?:\d{1,2}[/.-]\d|\d{1,2}[ ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[ ]\d)",
    re.IGNORECASE,
)
_SENTENCE_BEFORE = re.compile(r"(?:^|[.!?]\s+|\n\s*)$")
_CELEBRATED_BEFORE = re.compile(r"\b(?:at|for|celebrat\w+|spent|host\w*)(?: the)? $", re.IGNORECASE)
_CELEBRATED_BEHIND = re.compile(
    r" (?:weekend|week|break|dinner|lunch|brunch|meal|part(?:y|ies)|gatherings?|trip|visit|vacation|cookout)\b",
    re.IGNORECASE,
)
"""What stands around a holiday that people keep, and no date could stand in: "home for Easter", "Christmas dinner"."""
_ABOUT_BEFORE = re.compile(r"\b(?:over|during|around|near|about|past)(?: the)? $", re.IGNORECASE)
_MAX_DAYS_OFF = 3
_MAX_DAYS_OFF_KEPT = 31
"""A holiday that people keep becomes the nearest one, at most so many days off; the year has no longer gap but one."""
_EARLY, _LATE = 10, 21
"""The last day of the early part of a month, and the first day of its late part."""
_MAX_YEARS_BACK = 79
"""A year of two digits lies at most 79 years before the note's and at most twenty after it."""
_LONG = frozenset(["ramadan", "ramadhan", "ramazan", "ramzan", "lent", "advent"])
"""Times of several weeks, by the letters of their names."""
_ANYWHERE = frozenset(["New Year's Day", "Valentine's Day", "Easter", "Halloween", "Christmas"])
"""Holidays of all countries."""
_PUBLIC = frozenset(
    [
        *("New Year's Day", "Martin Luther King Day", "Presidents Day", "Memorial Day", "Fourth of July", "Labor Day"),
        *("Columbus Day", "Veterans Day", "Thanksgiving", "Christmas"),
    ]
)
"""Holidays on which offices are closed."""
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


_RULES = {_letters_and_digits(name): by_country for name, by_country in holiday_rules().items()}
_NAME_PATTERNS = sorted(
    (re.sub(r"'?s (?=Day)|[ .']+", _optional_punctuation, name) for name in holiday_rules()), key=len, reverse=True
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


def holiday_date(found: re.Match[str], now: datetime.datetime, country: str = "") -> datetime.date:
    """Return the day of a holiday: in the year written with it, else the one nearest to the note.

    Args:
        found: a match of ``HOLIDAY``.
        now: when the note was written.
        country: where it was written; Thanksgiving is in October in Canada.
    """
    rule = _rule_of(found, country)
    if found["year"]:
        return rule(int(found["year"]))
    if found["short"]:
        return rule(now.year + (int(found["short"]) - now.year % 100 + _MAX_YEARS_BACK) % 100 - _MAX_YEARS_BACK)
    years = [year for year in (now.year - 1, now.year, now.year + 1) if datetime.MINYEAR <= year <= datetime.MAXYEAR]
    return min((rule(year) for year in years), key=lambda day: abs((day - now.date()).days))


def day_near(holiday: datetime.date, day: int) -> datetime.date | None:
    """Return the day with that number which a note gives for a holiday; ``None`` where it is days off.

    Calendars differ by a day or two about the days of holidays that follow the moon or the sun.
    """
    near = (holiday + datetime.timedelta(days=days) for days in range(-_MAX_DAYS_OFF, _MAX_DAYS_OFF + 1))
    return next((one for one in near if one.day == day), None)


def _rule_of(found: re.Match[str], country: str) -> Rule:
    by_country = _RULES[_letters_and_digits(found["name"])]
    return by_country.get(country) or by_country[""]


def holiday_on(day: datetime.date, found: re.Match[str], country: str) -> str | None:
    """Return the text of a match of ``HOLIDAY`` with another holiday, which is on ``day``, and its year.

    ``None`` where none is on exactly that day: the distance to other dates in the note would be wrong.
    """
    if day == _rule_of(found, country)(day.year):
        return None
    names = (name for name, holiday in _surrogate_days(day.year) if holiday == day)
    name = next((name for name in names if name in _ANYWHERE or country == "US"), None)
    if name is None:
        return None
    text = match_case(name, found["name"]) + found["between"]
    if found["year"]:
        return f"{text}{day.year:04d}"
    return f"{text}{found.group()[-3]}{day.year % 100:02d}" if found["short"] else text


def loose_holiday(
    text: str,
    start: int,
    found: re.Match[str],
    day: datetime.date,
    country: str,
    *,
    now: datetime.date,
    is_past: bool,
) -> str | None:
    """Return what stands for a holiday in whose place a date could not be written; ``None`` where one could.

    Args:
        text: the note.
        start: where the value begins in the note.
        found: a match of ``HOLIDAY`` in the value.
        day: the day that the holiday moves to, on which no other one falls.
        country: where the note was written.
        now: the day that the note's own day moves to.
        is_past: whether the holiday was before the note, as its surrogate will be.
    """
    article = found.string[: found.start()]
    if found["year"] or found["short"] or article not in {"", "the "}:
        return None
    before, behind = text[max(0, start - _BESIDE) : start], text[start + found.end() : start + found.end() + _BESIDE]
    if _CELEBRATED_BEFORE.search(before) or _CELEBRATED_BEHIND.match(behind):
        own = _rule_of(found, country)
        is_public = own(day.year) in {holiday for name, holiday in _surrogate_days(day.year) if name in _PUBLIC}
        near = [
            ((name in _PUBLIC) != is_public, abs((holiday - day).days), name)
            for year in (day.year - 1, day.year, day.year + 1)
            for name, holiday in _surrogate_days(year)
            if abs((holiday - day).days) <= _MAX_DAYS_OFF_KEPT and (holiday <= now) == is_past
            if holiday != own(year) and (name in _ANYWHERE or country == "US")
        ]
        if near:
            return article + match_case(min(near)[-1], found["name"])
    if _ABOUT_BEFORE.search(before):
        part = "early " if day.day <= _EARLY else "mid-" if day.day < _LATE else "late "
        return part + match_case(f"{day:%B}", found["name"])
    return None


@lru_cache(maxsize=256)
def _surrogate_days(year: int) -> tuple[tuple[str, datetime.date], ...]:
    return tuple((name, holiday_rules()[name][""](year)) for name in _SURROGATES)


def nameless_holiday(text: str, start: int, end: int) -> str | None:
    """Return what stands for a holiday whose date stands beside it ("Oct 31, Halloween"); ``None`` for other ones.

    No other holiday is on the day that it moves to, and the day itself would stand there twice.
    """
    before, after = text[max(0, start - _BESIDE) : start], text[end : end + _BESIDE]
    if not (_DATE_BEFORE.search(before) or _DATE_AFTER.match(after)):
        return None
    name = "a local holiday" if re.search(r"\bon $", before) else "local holiday"
    if _SENTENCE_BEFORE.search(before):
        name = name.capitalize()
    return name if name[0] == "a" else match_case(name, text[start:end])


def season_of(day: datetime.date, like: str) -> str:
    """Return the season that ``day`` lies in; ``like`` decides between autumn and fall and about a capital letter."""
    autumn = "autumn" if like.casefold() == "autumn" else "fall"
    name = ("winter", "spring", "summer", autumn)[(day.month % 12) // 3]
    return name.capitalize() if like[:1].isupper() else name
