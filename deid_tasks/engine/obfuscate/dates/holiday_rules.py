"""On which day of a year a holiday falls, by the rules of ``holidays.tsv``."""

import calendar
import datetime
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, partial

from deid_tasks.engine.obfuscate.dates.calendar_terms import date_or_none
from deid_tasks.engine.obfuscate.dates.lunar_holidays import (
    Rule,
    diwali,
    ganesh_chaturthi,
    holi,
    islamic,
    jewish,
    lunar_new_year,
    matariki,
    mid_autumn,
    onam,
)
from deid_tasks.engine.obfuscate.word_lists import read_word_list

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SPELLINGS = (
    ("Monday", ("Mon",)),
    ("Tuesday", ("Tues", "Tue")),
    ("Wednesday", ("Wed",)),
    ("Thursday", ("Thurs", "Thur", "Thu")),
    ("Friday", ("Fri",)),
    ("Saturday", ("Sat",)),
    ("Sunday", ("Sun",)),
    ("Christmas", ("Xmas", "X-mas")),
    ("St. ", ("Saint ",)),
)
"""Words in the names of holidays, and how else they are written."""


def easter(year: int) -> datetime.date:
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


def orthodox_easter(year: int) -> datetime.date:
    """Return Easter of the Orthodox churches as a day of the Gregorian calendar, by the algorithm of Meeus."""
    d = (19 * (year % 19) + 15) % 30
    e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7
    month, day = divmod(d + e + 114, 31)
    days_between_calendars = year // 100 - year // 400 - 2
    return datetime.date(year, month, day + 1) + datetime.timedelta(days=days_between_calendars)


def pongal(year: int) -> datetime.date:
    """Return the day on which the sun enters Capricorn in India."""
    return datetime.date(year, 1, 14 if year % 4 in {1, 2} else 15)


_FEASTS: dict[str, Rule] = {
    "easter": easter,
    "orthodox-easter": orthodox_easter,
    "passover": jewish(0, from_new_year=False),
    "rosh-hashanah": jewish(0),
    "diwali": diwali,
    "ganesh-chaturthi": ganesh_chaturthi,
    "holi": holi,
    "lunar-new-year": lunar_new_year,
    "matariki": matariki,
    "mid-autumn": mid_autumn,
    "onam": onam,
    "pongal": pongal,
}
"""Feasts that rules count days from."""


@cache
def holiday_rules() -> dict[str, dict[str, Rule]]:
    """Return the rules of each spelling of a holiday, by country; that of the empty country is of all others."""
    rules: defaultdict[str, dict[str, Rule]] = defaultdict(dict)
    for line in read_word_list("dates/holidays.tsv")[1:]:
        name, country, text = line.split("\t")
        rule = _read_rule(text.split())
        for spelling in _spellings(name):
            rules[spelling][country] = rule
    return dict(rules)


def _spellings(name: str) -> Iterator[str]:
    yield name
    for word, others in _SPELLINGS:
        for other in others if word in name else ():
            yield name.replace(word, other)


def _read_rule(parts: list[str]) -> Rule:
    """Return the rule that a row of the table states."""
    first = parts[0]
    numbers = [int(part) for part in parts[1:] if re.fullmatch(r"-?\d+", part)]
    if first == "islamic":
        return islamic(*numbers)
    if first in _FEASTS:
        return partial(_days_behind, _FEASTS[first], numbers[0])
    month, _, day = first.partition("-")
    if not day:
        rule = partial(_counted_weekday, int(month), _WEEKDAYS.index(parts[1]), numbers[0])
        return partial(_days_behind, rule, numbers[1]) if len(numbers) > 1 else rule
    fixed = partial(_day_of_year, int(month), int(day))
    return partial(_weekday_before, fixed, _WEEKDAYS.index(parts[2])) if len(parts) > 1 else fixed


def _day_of_year(month: int, day: int, year: int) -> datetime.date:
    return date_or_none(year, month, day) or datetime.date(year, month, 1)


def _counted_weekday(month: int, weekday: int, number: int, year: int) -> datetime.date:
    """Return the ``number``-th such weekday of the month; -1 is the last."""
    days = [week[weekday] for week in calendar.monthcalendar(year, month) if week[weekday]]
    return datetime.date(year, month, days[number - 1 if number > 0 else number])


def _days_behind(rule: Rule, days: int, year: int) -> datetime.date:
    return rule(year) + datetime.timedelta(days=days)


def _weekday_before(rule: Rule, weekday: int, year: int) -> datetime.date:
    """Return the last such weekday before a day."""
    day = rule(year) - datetime.timedelta(days=1)
    return day - datetime.timedelta(days=(day.weekday() - weekday) % 7)
