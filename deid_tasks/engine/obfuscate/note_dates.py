"""Dates of one note: what stands around a date tells whether it is one, and what is missing of it."""

import datetime
import re
from collections.abc import Callable
from dataclasses import replace

from deid_tasks.core.entities import Entity
from deid_tasks.engine.obfuscate.dates.calendar_terms import MONTHS, PREFIXES, WEEKDAYS
from deid_tasks.engine.obfuscate.dates.common_dates import move_day
from deid_tasks.engine.obfuscate.dates.date_forms import ordinal_ending
from deid_tasks.engine.obfuscate.dates.date_parts import counts_weekdays
from deid_tasks.engine.obfuscate.dates.date_shift import names_no_day
from deid_tasks.engine.obfuscate.dates.holidays import (
    HOLIDAY,
    day_near,
    holiday_date,
    holiday_on,
    is_long,
    loose_holiday,
    nameless_holiday,
)
from deid_tasks.engine.obfuscate.dates.month_ranges import month_and_year_in_range
from deid_tasks.engine.obfuscate.dates.not_dates import is_no_date
from deid_tasks.engine.obfuscate.dates.unread_words import is_beside_month, replace_unread_word
from deid_tasks.engine.obfuscate.generators import Replacements
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.surroundings import Surroundings
from deid_tasks.settings import Mode

_SHORT_YEAR_DIGITS = 2
_EXPIRY = re.compile(r"(?P<month>0\d|1[0-2])/(?P<year>2\d|3[01])")
_MONTH_DAY_AND_YEAR = re.compile(
    r"(?P<day>(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}[.,]? )?"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d{1,2})/(?P<year>\d\d)"
)
"""As Canadian notes write a day: Feb 6/25, Thurs Feb 6/25."""
_NAMED_DATE = re.compile(
    r"(?P<day>(?:[A-Z][a-z]{2,8}[.,]? )?[A-Z][a-z]{2,8}\.? \d{1,2}), \d\d(?P<year>\d\d)", re.IGNORECASE
)
_MONTH_AND_SHORT_YEAR = re.compile(
    r"(?P<month>(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*) (?P<year>[12]\d)"
)
_MAX_SHORT_YEARS = 2
"""Where the day stands in front of the month, so recent a year behind it is no day."""
_MONTH_AND_YEAR = re.compile(r"\d{1,2}/\d{4}")
_REACH_OF_EXPIRY = 12
_EXPIRES_BEFORE = re.compile(r"\b(?:exp|expires?|expiry|exp date)[.:]? $", re.IGNORECASE)
"""What stands in front of a month and a year: EpiPen exp 02/25."""
_MAX_MONTH_AND_YEAR = 5
_MAX_WITH_SLASH = 26
_HOURS_AND_MINUTES = re.compile(r"(?:19|20)[0-5]\d", re.ASCII)
_OLDEST, _RECENT, _AHEAD = 105, 12, 15
"""Years back to the birth of the oldest people, years back that notes name often, and years ahead that they name."""
_FOUR_FIGURES = 4
_DIGITS = frozenset("0123456789")
_MONTHS = "|".join(sorted(PREFIXES[MONTHS], key=len, reverse=True))
_DATE_BEFORE_BRACKET = re.compile(r"\d[/.-]\d{1,4} ?\($")
"""A date, of which the holiday in brackets is the name: 2/29/24 (leap day)."""
_REACH_OF_BRACKET = 8
_DATE_BEHIND = re.compile(
    rf"[ ,(]{{1,3}}(?:(?:{'|'.join(WEEKDAYS)}),? )?(?:\d{{1,2}}[/.-]\d|(?:{_MONTHS})\.? \d{{1,2}}\b)", re.IGNORECASE
)
"""The day of a holiday behind it, which countries keep on different days: Thanksgiving Monday, October 9."""
_DAY_IN_BRACKETS = re.compile(r"(?: day)? \((?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?\)", re.IGNORECASE)
"""The day of a holiday behind it: Pongal day (14th)."""
_DAY_OF_MONTH = re.compile(r"(?P<number>\d{1,2})(?P<ending>st|nd|rd|th)?", re.ASCII)
_REACH_OF_HOLIDAY = 40
_COUNTING = re.compile(r"[1-5](?:st|nd|rd|th)", re.ASCII)
"""An ordinal that may count weekdays: 1st Sundays."""
_WEEKDAY_BEFORE = re.compile(rf"\b(?:{'|'.join(PREFIXES[WEEKDAYS])})s?[.,]? $", re.IGNORECASE)
_MAX_WEEKDAY = 12
_SPANS_OF_TIME = frozenset(["day", "days", "week", "weeks", "month", "months", "year", "years", "weekend"])
"""Words that were taken for dates and name none."""


class NoteDates:
    """The dates of one note.

    Args:
        replacements: of the institution.
        context: of the note.
        surroundings: its text and spans.
        moved: returns the surrogate of a date by itself.
    """

    def __init__(
        self,
        replacements: Replacements,
        context: NoteContext,
        surroundings: Surroundings,
        moved: Callable[[str, Mode], str],
    ) -> None:
        self._replacements = replacements
        self._context = context
        self._surroundings = surroundings
        self._moved = moved

    def surrogate(self, original: str, start: int, end: int, mode: Mode) -> str:
        """Return the surrogate of the date ``start``–``end``; what is no date stays."""
        folded = original.lower() if original.isalpha() else ""
        if self._stays(original, folded, start, end):
            return original
        text = self._surroundings.text
        if mode == "surrogate" and text[start - 1 : start] == "(" and (day := self._day_of_holiday(original, start)):
            return day
        if len(original) == _SHORT_YEAR_DIGITS and original.isdecimal() and text[start - 1 : start] in {"'", "’"}:
            # A year, of which detection left the apostrophe out.
            return self._moved(f"'{original}", mode)[1:]
        is_with_month = end - start <= _MAX_WITH_SLASH and ("/" in original or original[-1:].isdecimal())
        if is_with_month and (month_and_year := self._month_and_year(original, start, end, mode)) is not None:
            return month_and_year
        is_named = folded in PREFIXES[WEEKDAYS] or folded in PREFIXES[MONTHS]
        if not is_named and original[-1:].isalpha() and _DIGITS.isdisjoint(original):
            return self._words(original, start, end, mode)
        return self._moved(original, mode)

    def _stays(self, original: str, folded: str, start: int, end: int) -> bool:
        """Whether a value is no date by itself or by what stands around it."""
        text = self._surroundings.text
        if original.casefold() in _SPANS_OF_TIME:
            return True
        if is_no_date(text, start, end, is_day_first=self._context.is_day_first) or self._is_time_of_day(original):
            return True
        if folded == "eve":
            # An evening; "Eve" may be a name.
            return original == folded or bool(_WEEKDAY_BEFORE.search(text, max(0, start - _MAX_WEEKDAY), start))
        if not folded:
            return _COUNTING.fullmatch(original) is not None and counts_weekdays(text, end)
        if folded in PREFIXES[WEEKDAYS] and text[end : end + 1] == "s" and not text[end + 1 : end + 2].isalnum():
            # "Fridays", of which detection left the plural out.
            return False
        # A part of a word, or what is glued to a number, names no day.
        return text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()

    def _words(self, original: str, start: int, end: int, mode: Mode) -> str:
        """Return the surrogate of words: of a holiday, or of what was taken for a date."""
        holiday = HOLIDAY.search(original)
        if holiday is not None:
            return self._holiday(original, start, holiday, mode)
        is_month = mode == "surrogate" and is_beside_month(self._surroundings.text, start, end)
        if is_month and names_no_day(original, self._context):
            return replace_unread_word(original, self._context, is_month=True)
        return self._moved(original, mode)

    def _month_and_year(self, original: str, start: int, end: int, mode: Mode) -> str | None:
        """Return a month and a year of two digits, as their place in the text tells; ``None`` for others."""
        text = self._surroundings.text
        if original[0].isalpha():
            if (named := _MONTH_DAY_AND_YEAR.fullmatch(original)) is not None:
                whole = _NAMED_DATE.fullmatch(self._moved(f"{named['day']}, 20{named['year']}", mode))
                return f"{whole['day']}/{whole['year']}" if whole else None
            if self._context.is_day_first and (short := _MONTH_AND_SHORT_YEAR.fullmatch(original)) is not None:
                return self._month_and_short_year(short, mode)
        if end - start > _MAX_MONTH_AND_YEAR:
            return None
        expiry = _EXPIRY.fullmatch(original)
        if expiry is not None and _EXPIRES_BEFORE.search(text, max(0, start - _REACH_OF_EXPIRY), start):
            moved = self._moved(f"{expiry['month']}/20{expiry['year']}", mode)
            return moved[:-4] + moved[-2:] if _MONTH_AND_YEAR.fullmatch(moved) else moved
        return month_and_year_in_range(text, start, end, self._context) if mode == "surrogate" else None

    def _month_and_short_year(self, short: re.Match[str], mode: Mode) -> str | None:
        """Return a month and its year of two digits where a British note has them: "stent Feb 24", in 2025."""
        now = self._context.written_at
        if now is None or not 0 <= now.year % 100 - int(short["year"]) <= _MAX_SHORT_YEARS:
            return None
        moved = self._moved(f"{short['month']} 20{short['year']}", mode)
        return moved[:-4] + moved[-2:] if moved[-4:].isdecimal() else moved

    def _is_time_of_day(self, original: str) -> bool:
        """Whether four digits are hours and minutes: those that can be no year of a note, and others beside such."""
        now = self._context.written_at
        if len(original) != _FOUR_FIGURES or now is None or not self._context.options.keeps_times:
            return False
        if _HOURS_AND_MINUTES.fullmatch(original) is None:
            return False
        value, oldest = int(original), now.year - _OLDEST
        if value < oldest or value > now.year + _AHEAD:
            return True
        is_recent = now.year - _RECENT <= value <= now.year
        return not is_recent and sum(not oldest <= one <= now.year + 1 for one in self._surroundings.bare_years) > 1

    def _day_of_holiday(self, original: str, start: int) -> str | None:
        """Return a day of the month, moved, that stands in brackets behind its holiday; ``None`` for other values."""
        text, now = self._surroundings.text, self._context.written_at
        day = _DAY_OF_MONTH.fullmatch(original)
        if day is None or now is None:
            return None
        for holiday in HOLIDAY.finditer(text, max(0, start - _REACH_OF_HOLIDAY), start):
            in_brackets = _DAY_IN_BRACKETS.match(text, holiday.end("name"))
            if in_brackets is not None and in_brackets.start("day") == start:
                named = day_near(holiday_date(holiday, now, self._context.country), int(day["number"]))
                moved = move_day(named, self._context.shift_days).day if named else 0
                return f"{moved}{ordinal_ending(moved) if day['ending'] else ''}" if moved else None
        return None

    def _holiday(self, original: str, start: int, holiday: re.Match[str], mode: Mode) -> str:
        """Return the surrogate of a holiday; the day itself where the note also has its date: only that is as exact."""
        context = self._context
        written_at = context.written_at
        if written_at is None or context.options.holidays != "nearest" or mode != "surrogate":
            return self._moved(original, mode)
        text, end = self._surroundings.text, start + len(original)
        if in_brackets := _DAY_IN_BRACKETS.match(text, end):
            named = day_near(holiday_date(holiday, written_at, context.country), int(in_brackets["day"]))
            if named is not None:
                return self._moved(f"{MONTHS[named.month - 1].capitalize()} {named.day}", mode)
        is_dated = self._surroundings.names_day(holiday_date(holiday, written_at, context.country), context)
        is_dated = is_dated or bool(_DATE_BEFORE_BRACKET.search(text, max(0, start - _REACH_OF_BRACKET), start))
        # A fast of a month, "Ramadan starts 3/10", may begin on another day than by the table.
        is_dated = is_dated or (is_long(holiday) and nameless_holiday(text, start, end) is not None)
        if not (is_dated or _DATE_BEHIND.match(text, end)):
            return self._kept_holiday(original, start, holiday, written_at) or self._moved(original, mode)
        if nameless := nameless_holiday(text, start, end):
            return nameless
        dated = replace(context, options=replace(context.options, holidays="date"))
        return self._replacements.surrogate(original, Entity.DATE, dated, context.patient, mode)

    def _kept_holiday(
        self, original: str, start: int, holiday: re.Match[str], written_at: datetime.datetime
    ) -> str | None:
        """Return the surrogate of a holiday that people keep ("home for Easter") and that moves to no other one."""
        context = self._context
        own, now = holiday_date(holiday, written_at, context.country), written_at.date()
        day, moved_now = (move_day(one, context.shift_days) for one in (own, now))
        if holiday.end() != len(original) or is_long(holiday) or holiday_on(day, holiday, context.country):
            return None
        text = self._surroundings.text
        return loose_holiday(text, start, holiday, day, context.country, now=moved_now, is_past=own <= now)
