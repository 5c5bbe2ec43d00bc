"""Years in which someone over 89 may have been born: what they mean, and dates that are moved out of them.

45 CFR 164.514(b)(2)(i)(C) counts "all elements of dates (including year) indicative of such age" among identifiers, and
allows a single category of age 90 or older. Dates of earlier years are written with the oldest year that is allowed:
all of them share it.
"""

import datetime
import re
from collections.abc import Callable

from deid_tasks.engine.obfuscate.dates.date_parts import DatePart, read_dates

_MAX_PLAUSIBLE_AGE = 115
"""A year of two digits is not read as the birth year of somebody older."""
_FOUR_DIGITS = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
_CENTURY = 100


def years_meant(digits: str, value: int, as_of_year: int, max_age_years: int) -> tuple[int, ...]:
    """Return the years that the text of a year or a decade may mean.

    Two digits may be a year of this century or of the last one: both are returned where the earlier one is a birth
    year of people who may live, and older than ``max_age_years``.

    Args:
        digits: the text.
        value: the year as it was read.
        as_of_year: the present year.
        max_age_years: the highest age that needs no care.
    """
    if sum(map(str.isdigit, digits)) != 2:
        return (value,)
    recent = as_of_year - as_of_year % _CENTURY + value % _CENTURY
    earlier = recent - _CENTURY
    if recent > as_of_year:
        return (earlier,)
    is_old = as_of_year - _MAX_PLAUSIBLE_AGE <= earlier < as_of_year - max_age_years
    return (earlier, recent) if is_old else (recent,)


def lift_years(value: str, as_of_year: int, oldest_year: int, find_clock: Callable[[str], re.Match[str] | None]) -> str:
    """Return ``value`` with ``oldest_year`` in place of every earlier year.

    Args:
        value: one or several dates.
        as_of_year: the last year that two digits are read as.
        oldest_year: the first year that may stay.
        find_clock: finds a time of day in a text, which holds no year.
    """
    time = find_clock(value)
    if time is not None:
        before, after = (
            lift_years(side, as_of_year, oldest_year, lambda _: None)
            for side in (value[: time.start()], value[time.end() :])
        )
        return before + time.group() + after
    now = datetime.datetime(as_of_year, 7, 1)  # noqa: DTZ001 - only its year serves
    made: list[str] = []
    position = 0
    for part in (part for date in read_dates(value, now) for part in date.parts):
        if part.role in {"year", "decade"} and part.start >= position:
            made += (value[position : part.start], _lifted(value, part, as_of_year, oldest_year))
            position = part.end
    text = "".join((*made, value[position:]))
    return _FOUR_DIGITS.sub(lambda year: year.group() if int(year.group()) >= oldest_year else str(oldest_year), text)


def _lifted(value: str, part: DatePart, as_of_year: int, oldest_year: int) -> str:
    digits = value[part.start : part.end]
    if years_meant(digits, part.value, as_of_year, as_of_year - oldest_year)[-1] >= oldest_year:
        return digits
    year = oldest_year if part.role == "year" else -(-oldest_year // 10) * 10
    return f"{year % _CENTURY:02d}" if len(digits) == 2 else str(year)
