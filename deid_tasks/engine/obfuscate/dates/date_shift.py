"""Dates, moved by the patient's own number of days and written in the form in which they came.

A date is read as its parts (``date_parts``), moved as a whole, and each part is written back where it stood: padding,
order, separators, abbreviation, letter case and ordinal endings stay. What an incomplete date leaves out is taken from
the day on which the note was written. Full dates of one patient keep their distances exactly. A month, a season or a
year alone may stay the same when the shift is small. A date that no calendar holds gets other digits.
"""

import datetime
import re

from deid_tasks.engine.obfuscate.dates.calendar_terms import MONTHS, WEEKDAYS, date_or_none, month_of
from deid_tasks.engine.obfuscate.dates.common_dates import move_common_digits, move_common_names, move_day
from deid_tasks.engine.obfuscate.dates.compact_days import move_compact_day
from deid_tasks.engine.obfuscate.dates.date_forms import (
    day_like,
    month_like,
    name_like,
    number_writer,
    ordinal_ending,
    year_like,
)
from deid_tasks.engine.obfuscate.dates.date_parts import DateInText, DatePart, read_dates
from deid_tasks.engine.obfuscate.dates.holidays import HOLIDAY, holiday_date, holiday_on, is_long, season_of
from deid_tasks.engine.obfuscate.dates.mistyped_dates import move_mistyped_date
from deid_tasks.engine.obfuscate.dates.oldest_year import lift_years
from deid_tasks.engine.obfuscate.dates.schedules import SCHEDULE, move_schedule, move_short_weekday
from deid_tasks.engine.obfuscate.dates.times import replace_time
from deid_tasks.engine.obfuscate.dates.unread_words import replace_unread_word
from deid_tasks.engine.obfuscate.dates.years_in_words import YEAR_IN_WORDS, year_in_words, year_of
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.word_lists import read_word_list

__all__ = ["SCHEDULE", "find_time", "names_no_day", "shift_date"]

_TIME = re.compile(
    r"""(?:(?<=\d)T(?=\d\d:?\d\d)|\b)(?:
        (?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?:\.\d+)?(?:\s?[ap]\.?m\b\.?)?(?:Z|[+-]\d\d:?\d\d)?(?![\d:])  # 08:35 am
        | (?:0?[1-9]|1[0-2])\s?[ap]\.?m\b\.?                                                                  # 8 am
        | (?:(?<=\d\d[\s@])|(?<=\d\s\s))(?:[01]\d|2[0-3])[0-5]\d(?:\s?(?:h|hrs?|hours?)\b|$)  # 0835 hrs
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_CLOCK = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d", re.ASCII)
"""A time of day that was taken for a date."""
_SIX_FIGURES = re.compile(r"\d{6}", re.ASCII)
_MIN_LENGTH_WITH_TIME = 6
_MAY_WITH_STOP = re.compile(r"\b(may)\.(?=[\s,]*\d)", re.IGNORECASE)
_MONTH_AND_YEAR = re.compile(r"([A-Za-z]{3,9})(\d\d)", re.ASCII)
_MISREAD = re.compile(
    r"(?=[^lIO]*[lIO])(?:[\dlIO]{1,2}([/.-])[\dlIO]{1,2}(?:\1[\dlIO]{2,4})?|[12][\dlIO]{3})", re.ASCII
)
_DIGITS_OF_LETTERS = str.maketrans("lIO", "110")
_STAMP = re.compile(r"((?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))((?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)")
"""A date and a time of day without separators: 20210314083500."""
_FULL_DATE_BEFORE = re.compile(
    r"(?:\d[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}-[A-Za-z]{3,9}-\d{1,2}|\d{1,2}[ -][A-Za-z]{3,9}\.?[ -]\d{4}"
    r"|[A-Za-z]{3,9}\.? \d{1,2},? \d{4})[\s@]{1,2}$"
)
_HAS_DATE = re.compile(r"\d[/.-]\d")
_FOUR_DIGITS = re.compile(r"(?:19|20)\d\d", re.ASCII)
_MAX_LENGTH = 120
"""A longer value is not a date, whatever detected it as one, and is not read as one."""
_UNDATED = datetime.datetime(2020, 7, 1)  # noqa: DTZ001 - only its year serves, where a note has no time


def shift_date(value: str, context: NoteContext) -> str:
    """Return ``value`` moved by ``context.shift_days``, in its own form.

    Args:
        value: the original. It may hold several dates, a time of day, a holiday.
        context: of the note.
    """
    if "t" in value.lower() and (in_words := YEAR_IN_WORDS.search(value)):
        return _shift_spelled_year(value, in_words, context)
    if context.options.max_age_years is None:
        return _shift(value, context)
    year = context.as_of_year
    oldest = year - context.options.max_age_years
    moved = _shift(lift_years(value, year, oldest, find_time), context)
    # The shift may lead out of the present year, or before the oldest.
    return lift_years(moved, year + 1 + abs(context.shift_days) // 365, oldest, find_time)


def _shift(value: str, context: NoteContext) -> str:
    if len(value) > _MAX_LENGTH:
        return _scramble(value, context)
    now = context.written_at or _UNDATED
    if not value[:1].isdigit() and (short := move_short_weekday(value, context.shift_days)):
        weekday, behind = short
        return weekday + (_shift(behind, context) if behind else "")
    if _SIX_FIGURES.fullmatch(value) and (compact := move_compact_day(value, context.shift_days, context)) is not None:
        return compact
    moved = (
        move_common_digits(
            value, now, context.shift_days, is_day_first=context.is_day_first, pads_dates=context.pads_dates
        )
        or move_common_names(
            value,
            now,
            context.shift_days,
            is_day_first=context.is_day_first,
            has_short_months=context.has_short_months,
        )
        or _move_rare(value, now, context)
    )
    if moved is not None:
        # "Nov. 15" may have become a day in May, which has no full stop.
        return _MAY_WITH_STOP.sub(r"\1", moved) if "ay." in moved and "ay." not in value else moved
    if (schedule := move_schedule(value, context.shift_days)) is not None:
        return schedule
    return value if is_relative(value) else _scramble(value, context)


def is_relative(value: str) -> bool:
    """Whether a value is a word of time that names no day of the calendar: "weekend"."""
    return value.casefold() in read_word_list("dates/relative_words.txt")


def names_no_day(value: str, context: NoteContext) -> bool:
    """Whether a value of letters says nothing of a calendar, such as a name that was taken for a date."""
    if any(char.isdigit() for char in value) or is_relative(value) or SCHEDULE.fullmatch(value):
        return False
    if YEAR_IN_WORDS.search(value):
        return False
    return move_short_weekday(value, 1) is None and _move_any(value, context) is None


def _shift_spelled_year(value: str, in_words: re.Match[str], context: NoteContext) -> str:
    """Return a date moved whose year is spelled out: "the fourteenth of March, two thousand and four"."""
    moved = shift_date(f"{value[: in_words.start()]}{year_of(in_words)}{value[in_words.end() :]}", context)
    return _FOUR_DIGITS.sub(lambda found: year_in_words(int(found.group()), in_words), moved, count=1)


def _move_rare(value: str, now: datetime.datetime, context: NoteContext) -> str | None:
    """Return a value moved that is written in one of the rarer forms; ``None`` where nothing in it is a date."""
    if (month := _MONTH_AND_YEAR.fullmatch(value)) and (number := month_of(month[1].casefold())):
        year = now.year - now.year % 100 + int(month[2])
        if abs(year - now.year) <= 1:
            # "Sept24", in the year 2024 or beside it.
            moved = move_day(datetime.date(year, number, 15), context.shift_days)
            return name_like(MONTHS[moved.month - 1], month[1], month[2], MONTHS) + f"{moved:%y}"
    if _MISREAD.fullmatch(value) and any(char.isdecimal() for char in value):
        # Letters that a scanner read for digits: "ll/03/1998", "2O23". The same digits stay so.
        plain = value.translate(_DIGITS_OF_LETTERS)
        moved_plain = _shift(plain, context)
        if len(moved_plain) != len(value):
            return moved_plain
        pairs = zip(moved_plain, value, plain, strict=True)
        return "".join(old if new == digit and old.isalpha() else new for new, old, digit in pairs)
    return _move_any(value, context)


def _move_any(value: str, context: NoteContext) -> str | None:
    """Return ``value`` moved; ``None`` where nothing in it can be read as a date."""
    now = context.written_at or _UNDATED
    has_letters = value.upper() != value.lower()
    if has_letters and (holiday := HOLIDAY.search(value)):
        return _join(value, holiday.start(), holiday.end(), _replace_holiday(holiday, now, context), context)
    if stamp := _STAMP.fullmatch(value):
        clock = stamp[2] if context.options.keeps_times else replace_time(stamp[2], context)
        return (_move_any(stamp[1], context) or "") + clock
    if time := find_time(value):
        clock = time.group() if context.options.keeps_times else _replace_clock(time.group(), context)
        return _join(value, time.start(), time.end(), clock, context)
    dates = read_dates(value, now, is_day_first=context.is_day_first)
    if not dates:
        return None
    if dates[0].day is None and _CLOCK.fullmatch(value) and dates[0].parts[0].role == "number":
        return value if context.options.keeps_times else replace_time(value, context)
    made: list[str] = []
    position = 0
    for date in dates:
        start, end = date.parts[0].start, date.parts[-1].end
        made += (value[position:start], _write_moved(value, date, start, end, context))
        position = end
    return "".join((*made, value[position:]))


def find_time(value: str) -> re.Match[str] | None:
    """Return the first time of day in ``value``; four digits alone are a time only behind a full date."""
    if len(value) < _MIN_LENGTH_WITH_TIME:
        return None
    for time in _TIME.finditer(value):
        is_clear = ":" in time.group() or not time.group()[-1].isdecimal()
        if is_clear or _FULL_DATE_BEFORE.search(value, 0, time.start()):
            return time
    return None


def _replace_holiday(found: re.Match[str], now: datetime.datetime, context: NoteContext) -> str:
    """Return the holiday as the settings ask: another one, the day that it moves to, or itself with its year moved.

    A holiday with its date beside it ("Christmas 12/25/20") becomes the weekday of that date.
    """
    moved = move_day(holiday_date(found, now, context.country), context.shift_days)
    form = context.options.holidays
    if form != "kept" and is_long(found) and not (found["year"] or found["short"]):
        return match_case(MONTHS[moved.month - 1].capitalize(), found["name"]) + found["between"]
    if form == "nearest":
        if _HAS_DATE.search(found.string, 0, found.start()) or _HAS_DATE.search(found.string, found.end()):
            return match_case(WEEKDAYS[moved.weekday()].capitalize(), found["name"]) + found["between"]
        if other := holiday_on(moved, found, context.country):
            return other
    if form != "kept":
        text = match_case(f"{MONTHS[moved.month - 1].capitalize()} {moved.day}", found["name"])
    else:
        text = found["name"]
    if found["year"]:
        return f"{text}{', ' if form != 'kept' else found['between']}{moved.year}"
    return f"{text}{found['between']}{found.group()[-3]}{moved.year % 100:02d}" if found["short"] else text


def _join(value: str, start: int, end: int, middle: str, context: NoteContext) -> str:
    """Return ``value`` with ``middle`` for ``start``–``end``; what stands on either side moves where it is a date."""
    sides = [
        side and (_move_any(side, context) or _scramble_digits(side, context)) for side in (value[:start], value[end:])
    ]
    return sides[0] + middle + sides[1]


def _scramble_digits(side: str, context: NoteContext) -> str:
    return _scramble(side, context) if any(char.isdigit() for char in side) else side


def _replace_clock(time: str, context: NoteContext) -> str:
    lead = time[:1] if time[:1] in "Tt" else ""
    return lead + replace_time(time[len(lead) :], context)


def _write_moved(value: str, date: DateInText, start: int, end: int, context: NoteContext) -> str:
    """Return ``start``–``end`` of ``value`` with its date moved."""
    original = date.day
    if original is None or any(part.role == "day" and not 1 <= part.value <= 31 for part in date.parts):
        return _scramble(value[start:end], context)
    moved = move_day(original, context.shift_days)
    writer = _DateWriter(value, date, original, moved, has_short_months=context.has_short_months)
    made: list[str] = []
    position = start
    for part in date.parts:
        made.append(value[position : part.start] + writer.write(part))
        position = part.end
    return "".join(made) + value[position:end]


class _DateWriter:
    """Writes the parts of one moved date, one after another, in the form of the originals.

    Args:
        value: the text that the date stands in.
        date: the date as read.
        original: its day.
        moved: its day after the shift.
        has_short_months: whether "May" is short for itself.
    """

    def __init__(
        self,
        value: str,
        date: DateInText,
        original: datetime.date,
        moved: datetime.date,
        *,
        has_short_months: bool = False,
    ) -> None:
        self._value = value
        self._has_short_months = has_short_months
        self._original, self._moved = original, moved
        self._shift_days = (moved - original).days
        self._days = self._moved_days(date)
        self._write_number = number_writer(value, date.parts)
        self._named_month = next(
            (part for part in date.parts if part.role == "month" and not value[part.start].isdecimal()), None
        )
        self._last_month = self._days[0] if self._days and date.parts[0].role != "day" else None
        """The day whose month the text names last."""
        self._index = -1
        """Index of the day that was written last."""

    def write(self, part: DatePart) -> str:
        """Return the surrogate of a part."""
        old = self._value[part.start : part.end]
        if part.role == "day":
            return self._write_day(old)
        current = self._days[self._index] if self._index >= 0 else self._moved
        if part.role == "ordinal":
            return match_case(ordinal_ending(current.day), old)
        if part.role == "month":
            return (
                self._write_number(current.month)
                if old.isdecimal()
                else month_like(part, self._value, current, has_short_months=self._has_short_months)
            )
        if part.role == "year":
            return year_like(old, self._moved.year + part.value - self._original.year)
        if part.role == "weekday":
            name = WEEKDAYS[(part.value + self._shift_days) % 7]
            return name_like(name, old, self._value[part.end : part.end + 1], WEEKDAYS)
        if part.role == "season":
            return match_case(season_of(self._moved, old), old)
        return str((self._moved.month + 2) // 3) if part.role == "quarter" else old

    def _moved_days(self, date: DateInText) -> list[datetime.date]:
        """Return each day of the month that the date names, such as the two of "March 3-5", moved by itself."""
        year, month = self._original.year, self._original.month
        originals = [
            date_or_none(year, month, part.value) or self._original for part in date.parts if part.role == "day"
        ]
        return [move_day(day, self._shift_days) for day in originals]

    def _write_day(self, old: str) -> str:
        """Return the next day of the month, with the name of its month where that differs from the one named last."""
        self._index += 1
        day = self._days[self._index]
        text = day_like(old, day.day, self._write_number)
        named, last = self._named_month, self._last_month
        if last and (last.year, last.month) != (day.year, day.month):
            self._last_month = day
            lead = (
                month_like(named, self._value, day, has_short_months=self._has_short_months) + " "
                if named
                else self._write_number(day.month) + "/"
            )
            return lead + text
        has_next = self._index + 1 < len(self._days)
        if not last and has_next and self._days[self._index + 1].month != day.month:
            # "14-16 March" and "14-16/3" over the end of a month.
            month = (
                " " + month_like(named, self._value, day, has_short_months=self._has_short_months)
                if named
                else "/" + self._write_number(day.month)
            )
            return text + month
        return text


def _scramble(value: str, context: NoteContext) -> str:
    """Return a value that is not a date of the calendar with other digits.

    A mistyped date moves and stays mistyped. Otherwise digits are replaced, months move by name, and a word becomes a
    weekday.
    """
    now = context.written_at or _UNDATED
    mistyped = move_mistyped_date(
        value, now, lambda day: move_day(day, context.shift_days), is_day_first=context.is_day_first
    )
    if mistyped is not None and mistyped != value:
        return mistyped
    if any(char.isdigit() for char in value):
        return re.sub(r"\d+|[^\W\d_]{3,}", lambda match: _scramble_part(match.group(), value, context), value)
    return replace_unread_word(value, context) if any(char.isalpha() for char in value) else value


def _scramble_part(part: str, value: str, context: NoteContext) -> str:
    if not part.isdecimal():
        month = month_of(part.casefold())
        if month is None:
            return part
        year = (context.written_at or _UNDATED).year
        moved = move_day(datetime.date(year, month, 15), context.shift_days)
        return name_like(MONTHS[moved.month - 1], part, "", MONTHS)
    if re.fullmatch(r"(?:19|20)\d\d", part, re.ASCII):
        return str(move_day(datetime.date(int(part), 7, 1), context.shift_days).year)
    return context.keyed.like(part, "date", context.patient_id, value[:_MAX_LENGTH])
