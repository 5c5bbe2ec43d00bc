"""Dates read as their parts: where a month, a day, a year or a weekday stands in a text, and what it says.

A value may hold several dates ("3/14-3/16", "March 30 to April 2, 2021"). Each is read by itself; what one leaves out
is taken from the next one, or from the one before it.
"""

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from deid_tasks.engine.obfuscate.dates.calendar_terms import (
    ORDINAL_WORDS,
    date_or_none,
    full_year,
    is_month_before_day,
    month_of,
    nearest_day,
    weekday_of,
)
from deid_tasks.engine.obfuscate.dates.holidays import SEASONS

_ORDINAL_DAYS = {word: day for day, word in enumerate(ORDINAL_WORDS, start=1)}
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_MAX_NUMBER_LENGTH = 8
_MIN_YEAR, _MAX_YEAR = 1800, 2100
"""Four digits outside of these are a year only beside a month."""
_MAX_COUNTED = 5
"""The words "first" to "fifth" may count weeks and visits instead of naming a day."""
_AFTER_DAY = re.compile(r"\s*(?:$|,|-|of\b|\d)", re.IGNORECASE)
_DIGITS = re.compile(
    r"""(?<!\d)(?:
        \d{4}([/.-])\d{1,2}\1\d{1,2}                # 2021-03-14
        | \d{1,2}([/.-])\d{1,2}\2(?:\d{4}|\d{2})    # 3/14/2021, 3.14.21
        | \d{1,2}/\d{4}                             # 3/2021
        | \d{1,2}/\d{1,2}                           # 3/14
    )(?![\d/])""",
    re.VERBOSE,
)
_WEEKDAY_BEHIND = re.compile(r" (?:mon|tue|wed|thu|fri|sat|sun)(?:[a-z]{0,3}day)?s?\b", re.IGNORECASE)
"""What follows an ordinal that counts weekdays: the 2nd Tuesday of the month."""
_RANGE_MARKS = frozenset({"-", "–", "—", "to", "through", "thru", "and", "&"})
_DAYS_OF_MONTH = re.compile(r"(\d{1,2})/(\d{1,2})\s*-\s*(\d{1,2})(?:/(\d{4}|\d{2}))?")
_DAYS_BEFORE_MONTH = re.compile(r"(\d{1,2})\s*[-–]\s*(\d{1,2})([/.])(\d{1,2})(?:\3(\d{4}|\d{2}))?")
_WORD_OR_NUMBER = re.compile(
    r"(?:twenty|thirty)[\s-](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|[^\W\d_]+|\d+", re.I
)
_YEAR_AFTER = re.compile(r"[\s,./-]*(?:(?:19|20)\d\d(?!\d)|['’]\d\d(?!\d)|(?<=[a-z]-)\d\d(?=\s|$|-\d))", re.I)
_RUN_TOGETHER_ORDERS: dict[int, tuple[tuple[str, int, int], ...]] = {
    4: (("md", 2, 2),),
    5: (("mdy", 1, 2),),
    6: (("mdy", 2, 2), ("ymd", 2, 2), ("dmy", 2, 2)),
    7: (("mdy", 1, 2),),
    8: (("ymd", 4, 2), ("mdy", 2, 2), ("dmy", 2, 2)),
}
"""Number of digits without separators → the orders to try, each with the lengths of its first two parts."""
_RUN_TOGETHER_DAY_FIRST: dict[int, tuple[tuple[str, int, int], ...]] = {
    4: (("dm", 2, 2), ("md", 2, 2)),
    5: (("dmy", 1, 2), ("mdy", 1, 2)),
    6: (("dmy", 2, 2), ("mdy", 2, 2), ("ymd", 2, 2)),
    7: (("dmy", 1, 2), ("mdy", 1, 2)),
    8: (("ymd", 4, 2), ("dmy", 2, 2), ("mdy", 2, 2)),
}
_MONTHS_AROUND = 3
"""Months before and after the note's in which a weekday and a day of the month are looked for."""
_ROLE_LETTERS = {"m": "month", "d": "day", "y": "year"}


@dataclass(slots=True)
class DatePart:
    """One part of a date at ``start``–``end``.

    ``role`` is year, month, day, weekday, season, quarter, ordinal or decade; ``number`` for a number of unknown role.
    """

    start: int
    end: int
    role: str
    value: int = 0


@dataclass(slots=True)
class DateInText:
    """One date: its parts in order, and the day that they name; ``None`` where no calendar holds it."""

    parts: list[DatePart]
    day: datetime.date | None = None


@dataclass(frozen=True, slots=True)
class DateReading:
    """What the reading of a value depends on beside the value."""

    year_now: int
    """The note's year, which two digits of a year are read from."""
    is_day_first: bool = False
    """Whether 3/4 is the third of April."""


def read_dates(value: str, now: datetime.datetime, *, is_day_first: bool = False) -> list[DateInText]:
    """Return the dates in ``value``, in order. What one leaves out is taken from the others, then from ``now``.

    Args:
        value: the text.
        now: when the note was written.
        is_day_first: whether the note writes 3/4 for the third of April.
    """
    reading = DateReading(now.year, is_day_first)
    ranges = _date_ranges(value, is_day_first=is_day_first)
    read = (_read_date(value, start, end, reading) for start, end in ranges)
    found = [DateInText(parts) for parts in read if parts]
    for date in found:
        if not any(part.role == "number" for part in date.parts):
            date.day = resolve_day(date.parts, now, _borrowed_year(date, found))
    return found


def resolve_day(parts: Sequence[DatePart], now: datetime.datetime, year: int | None = None) -> datetime.date | None:
    """Return the day that ``parts`` name; ``None`` where they name none.

    Args:
        parts: the parts of one date.
        now: when the note was written; it completes the date.
        year: the year of a neighbouring date, for parts without one.
    """
    values: dict[str, int] = {}
    for part in parts:
        values.setdefault(part.role, part.value)
    if not values.keys() & {"year", "month", "day", "weekday", "season", "quarter", "decade"}:
        return None
    if values.keys() <= {"weekday"}:
        return now.date() - datetime.timedelta(days=(now.weekday() - values["weekday"]) % 7)
    if values.keys() - {"ordinal"} == {"weekday", "day"} and (
        named := _named_day(values["weekday"], values["day"], now)
    ):
        return named
    month = values.get("month", values.get("season", values.get("quarter", now.month if "day" in values else 7)))
    day = values.get("day", 15)
    year = values.get("year", values.get("decade", year))
    if year is not None:
        return date_or_none(year, month, day)
    return nearest_day(month, day, now)


def _named_day(weekday: int, day: int, now: datetime.datetime) -> datetime.date | None:
    """Return the day nearest to ``now`` on which a day of the month has that weekday: "Mon 24th"."""
    months = (divmod(now.year * 12 + now.month - 1 + ahead, 12) for ahead in range(-_MONTHS_AROUND, _MONTHS_AROUND + 1))
    days = (date_or_none(year, month + 1, day) for year, month in months)
    fitting = [one for one in days if one is not None and one.weekday() == weekday]
    return min(fitting, key=lambda one: abs(one - now.date()), default=None)


def _days_of_month(value: str) -> re.Match[str] | None:
    """Return the match of two days of one month, "3/14-16" or "3/14-16/21".

    ``None`` for two dates such as "1/2-3/15".
    """
    found = _DAYS_OF_MONTH.fullmatch(value)
    return found if found and int(found[3]) > (max(int(found[2]), 12) if found[4] else int(found[2])) else None


def _days_before_month(value: str) -> re.Match[str] | None:
    """Return the match of two days before their month, "14-16/3"; ``None`` for two dates such as "2-14/3/21"."""
    found = _DAYS_BEFORE_MONTH.fullmatch(value)
    return found if found and int(found[1]) < int(found[2]) and int(found[4]) <= 12 else None


def _date_ranges(value: str, *, is_day_first: bool) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` of each date of ``value``.

    Each group of digits, and each name of a month, that can be a date begins one.
    """
    digits = [match.span() for match in _DIGITS.finditer(value)]
    names = [
        match.span()
        for match in _WORD_OR_NUMBER.finditer(value)
        if not match.group()[0].isdecimal() and month_of(match.group().casefold()) is not None
        if not any(start <= match.start() < end for start, end in digits)
    ]
    if len(digits) == 2 and not is_day_first and _days_of_month(value):
        digits = []
    anchors = sorted([*((*span, False) for span in digits), *((*span, True) for span in names)])
    if len(anchors) < 2:
        yield 0, len(value)
        return
    is_number_first = bool(names) and not digits and bool(re.search(r"\d", value[: names[0][0]]))
    starts = [0]
    for (_, before, was_name), (start, _, is_name) in pairwise(anchors):
        if is_number_first:
            year = _YEAR_AFTER.match(value, before)
            starts.append(year.end() if year else before)
        else:
            starts.append(start if is_name or was_name else before)
    yield from zip(starts, (*starts[1:], len(value)), strict=True)


def _read_date(value: str, start: int, end: int, reading: DateReading) -> list[DatePart]:
    """Return the parts of the one date between ``start`` and ``end``."""
    year_now = reading.year_now
    if start == 0 and end == len(value):
        if value.isdecimal():
            return _read_run_together(value, reading)
        if reading.is_day_first and (days := _days_before_month(value)):
            return _read_days(days, year_now, (1, "day"), (2, "day"), (4, "month"))
        if not reading.is_day_first and (days := _days_of_month(value)):
            return _read_days(days, year_now, (1, "month"), (2, "day"), (3, "day"))
    parts: list[DatePart] = []
    numbers: list[DatePart] = []
    previous = ""
    for match in _WORD_OR_NUMBER.finditer(value, start, end):
        word, (begin, stop) = match.group().casefold(), match.span()
        if word.isdecimal():
            if len(word) > _MAX_NUMBER_LENGTH:
                return [DatePart(begin, stop, "number")]
            numbers.append(_read_number(word, begin, stop, previous, year_now))
        elif word == "s" and numbers and begin - numbers[-1].end <= 1 and int(numbers[-1].value) % 10 == 0:
            decade = numbers[-1]
            decade.role, decade.value = "decade", full_year(value[decade.start : decade.end], year_now)
        elif word in _ORDINAL_ENDINGS and numbers and numbers[-1].end == begin:
            parts += _read_ordinal(value, numbers, begin, stop)
        else:
            parts += _read_word(value, word, begin, stop)
        previous = word
    _assign_roles(value, numbers, parts, reading)
    return sorted((*parts, *numbers), key=lambda part: part.start)


def _read_ordinal(value: str, numbers: list[DatePart], start: int, end: int) -> list[DatePart]:
    """Make the last number the day that its ordinal ending says; drop one that counts weekdays."""
    if numbers[-1].value <= _MAX_COUNTED and counts_weekdays(value, end):
        numbers.pop()
        return []
    numbers[-1].role = "day"
    return [DatePart(start, end, "ordinal")]


def counts_weekdays(text: str, end: int) -> bool:
    """Whether an ordinal that ends at ``end`` counts weekdays: "1st Sundays" has no first day of a month."""
    return _WEEKDAY_BEHIND.match(text, end) is not None


def _read_number(digits: str, start: int, end: int, previous: str, year_now: int) -> DatePart:
    """Return a number; one behind "FY" is a year, one behind "Q" a quarter, whose value is its middle month."""
    if previous == "fy":
        return DatePart(start, end, "year", full_year(digits, year_now))
    if previous == "q":
        return DatePart(start, end, "quarter", 3 * int(digits) - 1)
    return DatePart(start, end, "number", int(digits))


def _read_word(value: str, word: str, start: int, end: int) -> list[DatePart]:
    if word in SEASONS:
        return [DatePart(start, end, "season", SEASONS[word])]
    if (day := _ORDINAL_DAYS.get(re.sub(r"\s", "-", word))) is not None:
        # "March first" names a day, "first week of March" does not.
        return [DatePart(start, end, "day", day)] if day > _MAX_COUNTED or _AFTER_DAY.match(value, end) else []
    if (month := month_of(word)) is not None:
        return [DatePart(start, end, "month", month)]
    if (weekday := weekday_of(word)) is not None:
        return [DatePart(start, end, "weekday", weekday)]
    return []


def _read_days(days: re.Match[str], year_now: int, *roles: tuple[int, str]) -> list[DatePart]:
    """Return the parts of "3/14-16", "3/14-16/21" or "14-16/3"; the last group of the match is the year."""
    parts = [DatePart(*days.span(group), role, int(days[group])) for group, role in roles]
    year = days.re.groups
    if days[year]:
        parts.append(DatePart(*days.span(year), "year", full_year(days[year], year_now)))
    return parts


def _read_run_together(value: str, reading: DateReading) -> list[DatePart]:
    """Return the parts of digits without separators: 20210314, 03142021, 031421, 31421, 0314, 2021, 14."""
    year_now = reading.year_now
    orders = _RUN_TOGETHER_DAY_FIRST if reading.is_day_first else _RUN_TOGETHER_ORDERS
    size = len(value)
    if size == 4 and _MIN_YEAR <= int(value) <= _MAX_YEAR:
        return [DatePart(0, 4, "year", int(value))]
    if size <= 2:
        return [DatePart(0, size, "day", int(value))]
    for order, first, second in orders.get(size, ()):
        cuts = (0, first, first + second, size)
        parts = [
            DatePart(
                begin,
                end,
                _ROLE_LETTERS[role],
                full_year(value[begin:end], year_now) if role == "y" else int(value[begin:end]),
            )
            for role, begin, end in zip(order, cuts, cuts[1:], strict=False)
        ]
        values = {part.role: part.value for part in parts}
        is_day = 1 <= values["month"] <= 12 and 1 <= values["day"] <= 31
        if is_day and _MIN_YEAR <= values.get("year", year_now) <= _MAX_YEAR:
            return parts
    return [DatePart(0, size, "number")]


def _assign_roles(value: str, numbers: list[DatePart], parts: list[DatePart], reading: DateReading) -> None:
    """Give each number the role day, month or year."""
    year_now = reading.year_now
    for number in numbers:
        if number.role == "number" and (
            number.end - number.start == 4 or value[number.start - 1 : number.start] in {"'", "’"}
        ):
            _make_year(number, value, year_now)
    plain = [number for number in numbers if number.role == "number"]
    years = [number for number in numbers if number.role == "year"]
    if any(part.role in {"month", "season"} for part in parts):
        _assign_beside_month(value, numbers, parts, plain, year_now, has_year=bool(years))
    elif len(plain) == 3:
        first, second, third = plain
        _assign_month_and_day(first, second, reading)
        _make_year(third, value, year_now)
    elif len(plain) == 2:
        _assign_two(value, plain[0], plain[1], reading, years)
    elif len(plain) == 1 and years:
        # "2014-15" is two years, "2014-03" a month of one.
        if plain[0].value > 12 and plain[0].start > years[0].start:
            _make_year(plain[0], value, years[0].value)
        else:
            plain[0].role = "month"
    elif len(plain) == 1:
        plain[0].role = "day"


def _make_year(number: DatePart, value: str, year_now: int) -> None:
    number.role, number.value = "year", full_year(value[number.start : number.end], year_now)


def _assign_month_and_day(first: DatePart, second: DatePart, reading: DateReading) -> None:
    is_month_first = is_month_before_day(first.value, second.value, is_day_first=reading.is_day_first)
    first.role, second.role = ("month", "day") if is_month_first else ("day", "month")


def _assign_two(value: str, first: DatePart, second: DatePart, reading: DateReading, years: Sequence[DatePart]) -> None:
    """Give two numbers their roles: a month and a year where the second is no day, else a month and a day."""
    if not years and (second.value > 31 or second.value == 0):
        first.role = "month"
        _make_year(second, value, reading.year_now)
    elif years and years[0].end <= first.start:
        # A year that stands in front is followed by the month in every country.
        first.role, second.role = ("month", "day") if first.value <= 12 else ("day", "month")
    else:
        _assign_month_and_day(first, second, reading)


def _assign_beside_month(
    value: str,
    numbers: list[DatePart],
    parts: list[DatePart],
    plain: list[DatePart],
    year_now: int,
    *,
    has_year: bool,
) -> None:
    """Give the numbers beside the name of a month their roles: days, and at the end perhaps a year of two digits."""
    has_day = any(other.role == "day" for other in (*numbers, *parts))
    month = next((part for part in parts if part.role == "month"), None)
    for before, number in zip((None, *plain), plain, strict=False):
        is_last = number is numbers[-1] and not (month and number.end <= month.start)
        may_be_year = is_last and not has_year and number.end - number.start == 2
        if before and _is_range(value, before, number):
            number.role = "day"
        elif may_be_year and (has_day or number.value > 31):
            _make_year(number, value, year_now)
        else:
            number.role, has_day = "day", True


def _is_range(value: str, first: DatePart, second: DatePart) -> bool:
    """Whether two numbers are the first and the last day of a period ("March 14-16").

    In "Mar-14-16" they are a day and a year.
    """
    between = value[first.end : second.start].strip().casefold()
    in_order = first.role == "day" and first.value < second.value <= 31
    return in_order and between in _RANGE_MARKS and value[first.start - 1 : first.start] not in {"-", "/"}


def _borrowed_year(date: DateInText, dates: Sequence[DateInText]) -> int | None:
    """Return the year for a date without one: that of the next date that has one, else of the one before.

    The year is chosen such that the dates stand in their order.
    """
    values = [{part.role: part.value for part in reversed(other.parts)} for other in dates]
    here = next(i for i, other in enumerate(dates) if other is date)
    if "year" in values[here] or "month" not in values[here]:
        return None
    mine = (values[here]["month"], values[here].get("day", 15))
    for others, is_later in ((values[here + 1 :], False), (values[:here][::-1], True)):
        for other in others:
            if "year" in other:
                theirs = (other.get("month", 12 if not is_later else 1), other.get("day", 15))
                return other["year"] + (is_later and mine < theirs) - (not is_later and mine > theirs)
    return None
