"""The commonest forms of dates, moved without reading their parts: at a fraction of the cost."""

import datetime
import re

from deid_tasks.engine.obfuscate.dates.calendar_terms import (
    MONTHS,
    PREFIXES,
    WEEKDAYS,
    date_or_none,
    full_year,
    is_month_before_day,
    nearest_day,
)
from deid_tasks.engine.obfuscate.dates.date_forms import name_like, ordinal_ending, year_like
from deid_tasks.engine.obfuscate.letter_case import match_case

_IN_DIGITS = re.compile(
    r"""(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?:(?P=mark)(?P<year>\d{4}|\d{2}))?   # 3/14, 03-14-2021
        | (?P<iso>\d{4}-\d\d-\d\d)                                                                # 2021-03-14
        | (?P<alone>(?:19|20)\d\d)                                                                # 2021
        | (?P<weekday>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)""",
    re.ASCII | re.VERBOSE,
)
_NAMED = re.compile(
    r"""(?P<name>[A-Za-z]{3,9})[ ](?:
            (?P<digits>\d{1,2}/\d{1,2})                                     # Tues 3/16
            | (?P<day>\d{1,2})(?P<ending>st|nd|rd|th)?(?P<year>,[ ]\d{4})?  # March 14th, 2021
            | (?P<only>\d{4})                                               # March 2021
        )
        | (?P<lead>\d{1,2})-(?P<month>[A-Za-z]{3,9})-(?P<last>\d{4})        # 14-Mar-2021""",
    re.ASCII | re.VERBOSE,
)


def move_day(day: datetime.date, days: int) -> datetime.date:
    """Return ``day`` moved by ``days``; moved the other way where the calendar ends."""
    try:
        return day + datetime.timedelta(days=days)
    except OverflowError:
        return day - datetime.timedelta(days=days)


def move_common_digits(
    value: str, now: datetime.datetime, shift_days: int, *, is_day_first: bool = False, pads_dates: bool = False
) -> str | None:
    """Return a date in digits, a year or a weekday moved; ``None`` for any other form.

    Args:
        value: the original.
        now: when the note was written.
        shift_days: days to move by.
        is_day_first: whether 3/4 is the third of April.
        pads_dates: whether a date of two digits each is written so because zeros stand in front of others.
    """
    match = _IN_DIGITS.fullmatch(value)
    if match is None:
        return None
    first, mark, second, digits, iso, alone, weekday = match.groups()
    if weekday:
        name = WEEKDAYS[(WEEKDAYS.index(weekday.lower()) + shift_days) % 7]
        return match_case(name.capitalize(), value)
    if alone:
        return f"{move_day(datetime.date(int(alone), 7, 15), shift_days).year}"
    if iso:
        original = date_or_none(int(iso[:4]), int(iso[5:7]), int(iso[8:]))
        if original is None or original.year < 1_000:
            return None
        return move_day(original, shift_days).isoformat()
    if digits is None:
        return _move_month_and_day(
            first, mark, second, now, shift_days, is_day_first=is_day_first, pads_dates=pads_dates
        )
    is_month_first = is_month_before_day(int(first), int(second), is_day_first=is_day_first)
    return _move_full_date(
        first, mark, second, digits, now, shift_days, is_month_first=is_month_first, pads_dates=pads_dates
    )


def _move_month_and_day(
    first: str,
    mark: str,
    second: str,
    now: datetime.datetime,
    shift_days: int,
    *,
    is_day_first: bool,
    pads_dates: bool,
) -> str | None:
    """Return a month and a day moved, of the year in which they lie nearest to the note."""
    is_month_first = is_month_before_day(int(first), int(second), is_day_first=is_day_first)
    month, day = (int(first), int(second)) if is_month_first else (int(second), int(first))
    if mark != "/" or not 1 <= month <= 12 or day == 0:
        return None
    original = nearest_day(month, day, now)
    if original is None:
        return None
    moved = move_day(original, shift_days)
    has_zeros = first[0] == "0" or second[0] == "0" or (pads_dates and len(first) == len(second) == 2)
    width = "02d" if has_zeros else "d"
    new_first, new_second = (moved.month, moved.day) if is_month_first else (moved.day, moved.month)
    return f"{new_first:{width}}/{new_second:{width}}"


def _move_full_date(
    first: str,
    mark: str,
    second: str,
    year: str,
    now: datetime.datetime,
    shift_days: int,
    *,
    is_month_first: bool,
    pads_dates: bool,
) -> str | None:
    month, day = (int(first), int(second)) if is_month_first else (int(second), int(first))
    original = date_or_none(full_year(year, now.year), month, day)
    if original is None:
        return None
    moved = move_day(original, shift_days)
    is_padded = first[0] == "0" or second[0] == "0" or ((mark != "/" or pads_dates) and len(first) == len(second) == 2)
    width = "02d" if is_padded else "d"
    new_first, new_second = (moved.month, moved.day) if is_month_first else (moved.day, moved.month)
    return f"{new_first:{width}}{mark}{new_second:{width}}{mark}{year_like(year, moved.year)}"


def move_common_names(
    value: str, now: datetime.datetime, shift_days: int, *, is_day_first: bool = False, has_short_months: bool = False
) -> str | None:
    """Return a date with the name of a month or a weekday moved; ``None`` for any other form.

    Args:
        value: the original.
        now: when the note was written.
        shift_days: days to move by.
        is_day_first: whether 3/4 is the third of April.
        has_short_months: whether "May" is short for itself.
    """
    match = _NAMED.fullmatch(value)
    if match is None:
        return None
    name, digits, day_digits, ending, year, only, lead, month_name, last = match.groups()
    if digits:
        return _move_weekday_and_digits(name, digits, now, shift_days, is_day_first=is_day_first)
    month = PREFIXES[MONTHS].get((name or month_name).lower())
    day = int(day_digits or lead or 15)
    if month is None or not 1 <= day <= 31:
        return None
    year_digits = only or last or (year and year[2:])
    original = date_or_none(int(year_digits), month + 1, day) if year_digits else nearest_day(month + 1, day, now)
    if original is None:
        return None
    moved = move_day(original, shift_days)
    new_name = MONTHS[moved.month - 1]
    if lead:
        width = "02d" if len(lead) == 2 else "d"
        return f"{moved.day:{width}}-{name_like(new_name, month_name, '-', MONTHS)}-{moved.year:04d}"
    new_name = name_like(new_name, name, "." if has_short_months else " ", MONTHS)
    if only:
        return f"{new_name} {moved.year:04d}"
    day_text = f"{moved.day:02d}" if day_digits[0] == "0" else str(moved.day)
    ending_text = ordinal_ending(moved.day) if ending else ""
    return f"{new_name} {day_text}{ending_text}{f', {moved.year:04d}' if year else ''}"


def _move_weekday_and_digits(
    name: str, digits: str, now: datetime.datetime, shift_days: int, *, is_day_first: bool
) -> str | None:
    weekday = PREFIXES[WEEKDAYS].get(name.lower())
    moved_digits = None if weekday is None else move_common_digits(digits, now, shift_days, is_day_first=is_day_first)
    if weekday is None or moved_digits is None:
        return None
    return f"{name_like(WEEKDAYS[(weekday + shift_days) % 7], name, ' ', WEEKDAYS)} {moved_digits}"
