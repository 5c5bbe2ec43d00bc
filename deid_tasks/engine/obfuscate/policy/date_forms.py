"""The form of a date: year, month, day, weekday, holiday, or a time that counts from another."""

import datetime
import re

from deid_tasks.core.forms import IdentifierForm
from deid_tasks.engine.obfuscate.dates.calendar_terms import month_of, weekday_of
from deid_tasks.engine.obfuscate.dates.date_parts import DatePart, read_dates
from deid_tasks.engine.obfuscate.dates.date_shift import SCHEDULE, find_time
from deid_tasks.engine.obfuscate.dates.holidays import HOLIDAY, SEASONS
from deid_tasks.engine.obfuscate.dates.oldest_year import years_meant
from deid_tasks.engine.obfuscate.word_lists import read_word_list

_MAX_LENGTH = 120
"""A longer text is no date, whatever detected it as one."""
_MAX_YEARS_AHEAD = 20
_YEAR_CONNECTORS = frozenset(read_word_list("policy/year_words.txt"))
"""Words beside a year that make it no more exact."""
_DATE_CONNECTORS = _YEAR_CONNECTORS | frozenset(read_word_list("policy/date_words.txt"))
"""Words of a date that name nothing else."""
_TIME_WORDS = _DATE_CONNECTORS | frozenset(read_word_list("policy/time_words.txt"))
_WORD = re.compile(r"[^\W\d_]+")
_COUNT = (
    r"(?:\d+(?:\.\d+)?(?:\s?-\s?\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|many"
    r"|some|few|a\s+few|a\s+couple(?:\s+of)?|couple(?:\s+of)?)"
)
_UNIT = r"(?:seconds?|minutes?|mins?|hours?|hrs?|h|days?|d|nights?|weeks?|wks?|w|months?|mos?|years?|yrs?|y)"
_RELATIVE_DAY = re.compile(
    rf"""(?:
        (?:early\s+|late\s+|earlier\s+|later\s+)?
        (?:today|tonight|tomorrow|yesterday|now|(?:the\s+)?day\s+(?:before\s+yesterday|after\s+tomorrow)
        |(?:this|last|next|the\s+next|the\s+previous|yesterday|tomorrow|the\s+(?:following|same))\s+
            (?:morning|afternoon|evening|night|day|week|weekend|month|year)
        |(?:in\s+|within\s+|for\s+|past\s+|last\s+|next\s+)*{_COUNT}\s*{_UNIT}
            (?:\s+(?:ago|later|prior|before|after|earlier|from\s+now|post-?op|old|back|hence))?
        |(?:pod|hd|dol|post-?op(?:erative)?\s+day|hospital\s+day)\s*\#?\s*\d+
        |birthday|weekends?|weekdays?|daily|morning|afternoon|evening|night|noon|midnight)
        (?:\s+(?:morning|afternoon|evening|night))?
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_RELATIVE_WORD = re.compile(
    r"\b(?:last|next|this|past|previous|prior|following|coming|upcoming|ago|yesterday|tomorrow|today)\b", re.IGNORECASE
)
_CENTURY_TOLD = re.compile(r"(?<!\d)20\d\d|\bfy", re.IGNORECASE)
"""A year of four digits beside one of two, and a fiscal year, tell which century is meant."""
_YEAR_ROLES = frozenset({"year", "decade"})
_DAY_ROLES = frozenset({"day", "ordinal", "number"})


def form_of_date(value: str, as_of_year: int, max_age_years: int) -> IdentifierForm:
    """Return the form of the text of a date; of several dates in it that of the most exact one.

    Args:
        value: the text.
        as_of_year: the year in which the age of people is judged.
        max_age_years: a year before ``as_of_year - max_age_years`` may be the birth year of someone older.
    """
    value = value.strip()
    if not value or len(value) > _MAX_LENGTH:
        return IdentifierForm.DATE_UNCLEAR
    if _RELATIVE_DAY.fullmatch(value):
        return IdentifierForm.RELATIVE_DAY
    if holiday := HOLIDAY.search(value):
        beside = f"{value[: holiday.start()]} {value[holiday.end() :]}"
        return IdentifierForm.DATE_UNCLEAR if _names_something(beside) else IdentifierForm.HOLIDAY
    if SCHEDULE.fullmatch(value):
        return IdentifierForm.WEEKDAY
    if time := find_time(value):
        value = f"{value[: time.start()]} {value[time.end() :]}".strip(" ,;@")
        if not any(map(str.isdigit, value)) and not _names_something(value) and not _has_calendar_word(value):
            return IdentifierForm.TIME_OF_DAY
    return _form_of_parts(value, as_of_year, max_age_years)


def _form_of_parts(value: str, as_of_year: int, max_age_years: int) -> IdentifierForm:
    dates = read_dates(value, datetime.datetime(as_of_year, 7, 1))  # noqa: DTZ001 - only its year serves
    parts = [part for date in dates for part in date.parts]
    roles = {part.role for part in parts}
    # A word that is no part of a date may be a name.
    if not roles or "number" in roles or any(date.day is None for date in dates) or _rest(value, parts):
        return IdentifierForm.DATE_UNCLEAR
    if roles & _DAY_ROLES:
        return IdentifierForm.FULL_DATE
    is_relative = bool(_RELATIVE_WORD.search(value))
    if "weekday" in roles:
        return IdentifierForm.RELATIVE_DATE if is_relative else IdentifierForm.WEEKDAY
    if "month" in roles:
        if roles & _YEAR_ROLES:
            return IdentifierForm.MONTH_AND_YEAR
        return IdentifierForm.RELATIVE_DATE if is_relative else IdentifierForm.MONTH
    if roles & {"season", "quarter"}:
        return IdentifierForm.RELATIVE_DATE if is_relative and not roles & _YEAR_ROLES else IdentifierForm.SEASON
    return _form_of_years(value, parts, as_of_year, max_age_years)


def _form_of_years(value: str, parts: list[DatePart], as_of_year: int, max_age_years: int) -> IdentifierForm:
    """Return the form of years without anything more exact."""
    if _rest(value, parts, _YEAR_CONNECTORS):
        return IdentifierForm.DATE_UNCLEAR
    is_of_this_century = bool(_CENTURY_TOLD.search(value))
    for part in parts:
        years = years_meant(value[part.start : part.end], part.value, as_of_year, max_age_years)
        years = years[-1:] if is_of_this_century else years
        if max(years) > as_of_year + _MAX_YEARS_AHEAD:
            return IdentifierForm.DATE_UNCLEAR
        if min(years) < as_of_year - max_age_years:
            return IdentifierForm.BIRTH_YEAR_OVER_89
    return IdentifierForm.YEAR


def _rest(value: str, parts: list[DatePart], connectors: frozenset[str] = _DATE_CONNECTORS) -> set[str]:
    """Return the words and numbers of ``value`` that are neither parts of its dates nor ``connectors``."""
    inside = {index for part in parts for index in range(part.start, part.end)}
    rest = "".join(" " if index in inside else char for index, char in enumerate(value))
    words = {word.casefold() for word in _WORD.findall(rest)} - connectors
    return words | {char for char in rest if char.isdigit()}


def _names_something(text: str) -> bool:
    """Whether a text beside a holiday or a time holds a word that is no part of a date."""
    words = {word.casefold() for word in _WORD.findall(text)} - _DATE_CONNECTORS
    return any(not _is_of_calendar(word) for word in words)


def _has_calendar_word(text: str) -> bool:
    return any(_is_of_calendar(word.casefold()) for word in _WORD.findall(text))


def _is_of_calendar(word: str) -> bool:
    return word in SEASONS or month_of(word) is not None or weekday_of(word) is not None


def form_of_time(value: str) -> IdentifierForm:
    """Return whether the text marked as a time of day holds nothing else."""
    words = {word.casefold() for word in _WORD.findall(value)}
    return IdentifierForm.TIME_UNCLEAR if words - _TIME_WORDS else IdentifierForm.TIME_OF_DAY
