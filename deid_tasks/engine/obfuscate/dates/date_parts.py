"""Dates read as their parts: where in a text a month, a day, a year, a weekday stands, and what it says.

A value may hold several dates ("3/14-3/16", "March 30 to April 2, 2021"); each is read by itself, and what one leaves out
the next one, or the one before it, fills in.
"""

import calendar
import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.distance import OSA

from deid_tasks.engine.obfuscate.dates.holidays import SEASONS

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
_ORDINAL_DAYS = {word: day for day, word in enumerate(ORDINAL_WORDS, start=1)}
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_LONGEST_NUMBER = 8
_FIRST_YEAR, _LAST_YEAR = 1800, 2100
"""Four figures outside of these are no year unless a month stands beside them."""
_YEARS_AHEAD = 20
_LEAST_FOR_TYPO = 6
_HALF_A_YEAR = 182
"""Days from a day within which the same day of no other year can lie nearer."""
_LAST_COUNTED = 5
_DAY_ENDS = re.compile(r"\s*(?:$|,|-|of\b|\d)", re.IGNORECASE)

_FIGURES = re.compile(
    r"""(?<!\d)(?:
        \d{4}([/.-])\d{1,2}\1\d{1,2}
        | \d{1,2}([/.-])\d{1,2}\2(?:\d{4}|\d{2})
        | \d{1,2}/\d{4}
        | \d{1,2}/\d{1,2}
    )(?![\d/])""",
    re.VERBOSE,
)
_RANGE_MARKS = frozenset({"-", "–", "—", "to", "through", "thru", "and", "&"})
_DAYS_OF_MONTH = re.compile(r"(\d{1,2})/(\d{1,2})\s*-\s*(\d{1,2})(?:/(\d{4}|\d{2}))?")
_PIECE = re.compile(
    r"(?:twenty|thirty)[\s-](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|[^\W\d_]+|\d+", re.I
)
_YEAR_AFTER = re.compile(r"[\s,./-]*(?:(?:19|20)\d\d(?!\d)|['’]\d\d(?!\d)|(?<=[a-z]-)\d\d(?=\s|$|-\d))", re.I)


@dataclass(slots=True)
class DatePart:
    """One part of a date at ``start``–``end``; ``role`` is year, month, day, weekday, season, quarter, ordinal or decade."""

    start: int
    end: int
    role: str
    value: int = 0


@dataclass(slots=True)
class DateInText:
    """One date: its parts in order, and the day they name; ``None`` where no calendar holds it."""

    parts: list[DatePart]
    day: datetime.date | None = None


def read_dates(value: str, now: datetime.datetime) -> list[DateInText]:
    """The dates in ``value``, in order; what they leave out is taken from each other, then from ``now``."""
    read = (_read(value, start, end, now.year) for start, end in _stretches(value))
    found = [DateInText(parts) for parts in read if parts]
    for date in found:
        if not any(part.role == "number" for part in date.parts):
            date.day = resolve(date.parts, now, _borrowed_year(date, found))
    return found


def month_of(word: str) -> int | None:
    """1 … 12 for the name of a month, abbreviated or mistyped by a letter."""
    index = _index(word, MONTHS)
    return None if index is None else index + 1


def resolve(parts: Sequence[DatePart], now: datetime.datetime, year: int | None = None) -> datetime.date | None:
    """The day that ``parts`` name, filled up from ``year`` and from the day of the note; ``None`` where they name none."""
    said: dict[str, int] = {}
    for part in parts:
        said.setdefault(part.role, part.value)
    if not said.keys() & {"year", "month", "day", "weekday", "season", "quarter", "decade"}:
        return None
    if said.keys() <= {"weekday"}:
        return now.date() - datetime.timedelta(days=(now.weekday() - said["weekday"]) % 7)
    month = said.get("month", said.get("season", said.get("quarter", now.month if "day" in said else 7)))
    day = said.get("day", 15)
    year = said.get("year", said.get("decade", year))
    if year is not None:
        return date_or_none(year, month, day)
    return nearest_day(month, day, now)


def nearest_day(month: int, day: int, now: datetime.datetime) -> datetime.date | None:
    """That day of that month in the year in which it lies nearest to ``now``; ``None`` for what is no date."""
    today = now.date()
    this_year = date_or_none(now.year, month, day)
    if this_year is None or abs((this_year - today).days) <= _HALF_A_YEAR:
        return this_year
    near = [found for year in (now.year - 1, now.year, now.year + 1) if (found := date_or_none(year, month, day))]
    return min(near, key=lambda found: abs((found - today).days))


def date_or_none(year: int, month: int, day: int) -> datetime.date | None:
    """That day; the last of its month for a day that only longer months have; ``None`` for what is no date."""
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return datetime.date(year, month, min(day, calendar.monthrange(year, month)[1]) if day > 28 else day)


def full_year(digits: str, year_now: int) -> int:
    """The year that two figures mean, at most twenty after ``year_now``; other numbers of figures say it themselves."""
    if len(digits) != 2:
        return int(digits)
    year = year_now - year_now % 100 + int(digits)
    return year - 100 if year > year_now + _YEARS_AHEAD else year


def _days_of_month(value: str) -> re.Match[str] | None:
    """Two days of one month, "3/14-16" or "3/14-16/21"; "1/2-3/15" is two dates."""
    found = _DAYS_OF_MONTH.fullmatch(value)
    return found if found and int(found[3]) > (max(int(found[2]), 12) if found[4] else int(found[2])) else None


def _stretches(value: str) -> Iterator[tuple[int, int]]:
    """Where each date of ``value`` lies: one for each group of figures or name of a month that can be one."""
    figures = [match.span() for match in _FIGURES.finditer(value)]
    names = [
        match.span()
        for match in _PIECE.finditer(value)
        if not match.group()[0].isdecimal() and month_of(match.group().casefold()) is not None
        if not any(start <= match.start() < end for start, end in figures)
    ]
    if len(figures) == 2 and _days_of_month(value):
        figures = []
    anchors = sorted([*((*span, False) for span in figures), *((*span, True) for span in names)])
    if len(anchors) < 2:
        yield 0, len(value)
        return
    day_first = bool(names) and not figures and bool(re.search(r"\d", value[: names[0][0]]))
    starts = [0]
    for (_, before, was_name), (start, _, is_name) in pairwise(anchors):
        if day_first:
            year = _YEAR_AFTER.match(value, before)
            starts.append(year.end() if year else before)
        else:
            starts.append(start if is_name or was_name else before)
    yield from zip(starts, (*starts[1:], len(value)), strict=True)


def _read(value: str, start: int, end: int, year_now: int) -> list[DatePart]:
    """The parts of the one date between ``start`` and ``end``; a number that says nothing has the role ``number``."""
    if start == 0 and end == len(value):
        if value.isdecimal():
            return _run_together(value, year_now)
        if days := _days_of_month(value):
            roles = [(1, "month"), (2, "day"), (3, "day"), *([(4, "year")] if days[4] else [])]
            return [
                DatePart(*days.span(g), role, full_year(days[g], year_now) if g == 4 else int(days[g]))
                for g, role in roles
            ]
    parts: list[DatePart] = []
    numbers: list[DatePart] = []
    previous = ""
    for match in _PIECE.finditer(value, start, end):
        word, (begin, stop) = match.group().casefold(), match.span()
        if word.isdecimal():
            if len(word) > _LONGEST_NUMBER:
                return [DatePart(begin, stop, "number")]
            role = {"fy": "year", "q": "quarter"}.get(previous, "number")
            number = int(word) if role != "year" else full_year(word, year_now)
            numbers.append(DatePart(begin, stop, role, 3 * number - 1 if role == "quarter" else number))
        elif word == "s" and numbers and begin - numbers[-1].end <= 1 and int(numbers[-1].value) % 10 == 0:
            numbers[-1].role, numbers[-1].value = (
                "decade",
                full_year(value[numbers[-1].start : numbers[-1].end], year_now),
            )
        elif word in _ORDINAL_ENDINGS and numbers and numbers[-1].end == begin:
            parts.append(DatePart(begin, stop, "ordinal"))
            numbers[-1].role = "day"
        else:
            parts += _word(value, word, begin, stop)
        previous = word
    _name_numbers(value, numbers, parts, year_now)
    return sorted((*parts, *numbers), key=lambda part: part.start)


def _word(value: str, word: str, start: int, end: int) -> list[DatePart]:
    if word in SEASONS:
        return [DatePart(start, end, "season", SEASONS[word])]
    if (day := _ORDINAL_DAYS.get(re.sub(r"\s", "-", word))) is not None:
        # "March first" names a day, "first week of March" does not.
        return [DatePart(start, end, "day", day)] if day > _LAST_COUNTED or _DAY_ENDS.match(value, end) else []
    if (month := month_of(word)) is not None:
        return [DatePart(start, end, "month", month)]
    if (weekday := _index(word.removesuffix("s") if word.endswith("days") else word, WEEKDAYS)) is not None:
        return [DatePart(start, end, "weekday", weekday)]
    return []


def _run_together(value: str, year_now: int) -> list[DatePart]:
    """Figures without anything between them: 20210314, 03142021, 031421, 31421, 0314, 2021, 14."""
    if len(value) == 4 and _FIRST_YEAR <= int(value) <= _LAST_YEAR:
        return [DatePart(0, 4, "year", int(value))]
    if len(value) <= 2:
        return [DatePart(0, len(value), "day", int(value))]
    size = len(value)
    orders: dict[int, tuple[tuple[str, int, int], ...]] = {
        4: (("md", 2, 2),),
        5: (("mdy", 1, 2),),
        6: (("mdy", 2, 2), ("ymd", 2, 2), ("dmy", 2, 2)),
        7: (("mdy", 1, 2),),
        8: (("ymd", 4, 2), ("mdy", 2, 2), ("dmy", 2, 2)),
    }
    for order, first, second in orders.get(size, ()):
        cuts = (0, first, first + second, size)
        names = {"m": "month", "d": "day", "y": "year"}
        parts = [
            DatePart(
                begin, end, names[role], full_year(value[begin:end], year_now) if role == "y" else int(value[begin:end])
            )
            for role, begin, end in zip(order, cuts, cuts[1:], strict=False)
        ]
        said = {part.role: part.value for part in parts}
        year = said.get("year", year_now)
        if 1 <= said["month"] <= 12 and 1 <= said["day"] <= 31 and _FIRST_YEAR <= year <= _LAST_YEAR:
            return parts
    return [DatePart(0, size, "number")]


def _name_numbers(value: str, numbers: list[DatePart], parts: list[DatePart], year_now: int) -> None:
    """Say of each number whether it is a day, a month or a year."""
    has_month = any(part.role in {"month", "season"} for part in parts)
    for number in numbers:
        digits = value[number.start : number.end]
        if number.role == "number" and (len(digits) == 4 or value[number.start - 1 : number.start] in {"'", "’"}):
            number.role, number.value = "year", full_year(digits, year_now)
    plain = [number for number in numbers if number.role == "number"]
    years = [number for number in numbers if number.role == "year"]
    if has_month:
        has_day = any(other.role == "day" for other in (*numbers, *parts))
        month = next((part for part in parts if part.role == "month"), None)
        for before, number in zip((None, *plain), plain, strict=False):
            is_last = number is numbers[-1] and not (month and number.end <= month.start)
            if before and _is_range(value, before, number):
                number.role = "day"
            elif (has_day or number.value > 31) and is_last and not years and number.end - number.start == 2:
                number.role, number.value = "year", full_year(value[number.start : number.end], year_now)
            else:
                number.role, has_day = "day", True
    elif len(plain) == 3:
        first, second, third = plain
        first.role, second.role = ("month", "day") if first.value <= 12 or second.value > 12 else ("day", "month")
        third.role, third.value = "year", full_year(value[third.start : third.end], year_now)
    elif len(plain) == 2:
        first, second = plain
        if not years and (second.value > 31 or second.value == 0):
            first.role, second.role = "month", "year"
            second.value = full_year(value[second.start : second.end], year_now)
        else:
            first.role, second.role = ("month", "day") if first.value <= 12 else ("day", "month")
    elif len(plain) == 1 and years:
        # "2014-15" is two years, "2014-03" a month of one.
        is_year = plain[0].value > 12 and plain[0].start > years[0].start
        plain[0].role = "year" if is_year else "month"
        if is_year:
            plain[0].value = full_year(value[plain[0].start : plain[0].end], years[0].value)
    elif len(plain) == 1:
        plain[0].role = "day"


def _is_range(value: str, first: DatePart, second: DatePart) -> bool:
    """Whether two numbers are the days of a stretch ("March 14-16") and not a day and a year ("Mar-14-16")."""
    between = value[first.end : second.start].strip().casefold()
    in_order = first.role == "day" and first.value < second.value <= 31
    return in_order and between in _RANGE_MARKS and value[first.start - 1 : first.start] not in {"-", "/"}


def _borrowed_year(date: DateInText, dates: Sequence[DateInText]) -> int | None:
    """The year of the next date that has one, else of the one before, such that dates stand in their order."""
    said = [{part.role: part.value for part in reversed(other.parts)} for other in dates]
    here = next(i for i, other in enumerate(dates) if other is date)
    if "year" in said[here] or "month" not in said[here]:
        return None
    mine = (said[here]["month"], said[here].get("day", 15))
    for others, late in ((said[here + 1 :], False), (said[:here][::-1], True)):
        for other in others:
            if "year" in other:
                theirs = (other.get("month", 12 if not late else 1), other.get("day", 15))
                return other["year"] + (late and mine < theirs) - (not late and mine > theirs)
    return None


def _prefixes(names: tuple[str, ...]) -> dict[str, int]:
    return {name[:length]: i for i, name in enumerate(names) for length in range(3, len(name) + 1)}


PREFIXES = {MONTHS: _prefixes(MONTHS) | {"sept": 8}, WEEKDAYS: _prefixes(WEEKDAYS)}
"""Names and their beginnings of three letters or more → their place in the table."""


def _index(word: str, names: tuple[str, ...]) -> int | None:
    found = PREFIXES[names].get(word)
    if found is None and len(word) >= _LEAST_FOR_TYPO:
        return next((i for i, name in enumerate(names) if OSA.distance(word, name, score_cutoff=1) <= 1), None)
    return found
