"""Dates, moved by the patient's own number of days and written in the form they came in.

A date is read as its parts (``date_parts``), moved as a whole, and each part is written back where it stood: padding, order,
separators, abbreviation, case and ordinal ending stay. What a partial date leaves out is taken from the day the note was
written. Full dates of one patient keep their distances exactly; a month, a season or a year alone may stay the same when the
shift is small. A date that no calendar holds gets other digits.
"""

import datetime
import re
from collections.abc import Callable

from deid_tasks.engine.obfuscate.dates.date_parts import (
    MONTHS,
    ORDINAL_WORDS,
    PREFIXES,
    WEEKDAYS,
    DateInText,
    DatePart,
    date_or_none,
    full_year,
    month_of,
    nearest_day,
    read_dates,
)
from deid_tasks.engine.obfuscate.dates.holidays import HOLIDAY, holiday_date, nearest_holiday, season_of
from deid_tasks.engine.obfuscate.dates.mistyped_dates import moved_typo
from deid_tasks.engine.obfuscate.dates.times import replace_time
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext

_LONGER = {"tuesday": "tues", "thursday": "thurs", "september": "sept"}
"""Usual abbreviations of more than three letters."""
_SIMPLE = re.compile(
    r"(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?:(?P=mark)(?P<year>\d{4}|\d{2}))?"
    r"|(?P<iso>\d{4}-\d\d-\d\d)|(?P<alone>(?:19|20)\d\d)|(?P<weekday>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)",
    re.ASCII,
)
_NAMED = re.compile(
    r"(?P<name>[A-Za-z]{3,9}) (?:(?P<figures>\d{1,2}/\d{1,2})|(?P<day>\d{1,2})(?P<ending>st|nd|rd|th)?(?P<year>, \d{4})?|(?P<only>\d{4}))"
    r"|(?P<lead>\d{1,2})-(?P<month>[A-Za-z]{3,9})-(?P<last>\d{4})",
    re.ASCII,
)
_TIME = re.compile(
    r"""(?:(?<=\d)T(?=\d\d:?\d\d)|\b)(?:
        (?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?:\.\d+)?(?:\s?[ap]\.?m\b\.?)?(?:Z|[+-]\d\d:?\d\d)?(?![\d:])
        | (?:0?[1-9]|1[0-2])\s?[ap]\.?m\b\.?
        | (?<=\d\d[\s@])(?:[01]\d|2[0-3])[0-5]\d(?:\s?(?:h|hrs?|hours?)\b|$)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_SHORTEST_WITH_TIME = 5
_STAMP = re.compile(r"((?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))((?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)")
_FULL_FIGURES = re.compile(r"\d[/.-]\d{1,2}[/.-]\d{2,4}[\s@]$")
_SCHEDULE = re.compile(r"(?:M|Tu|T|W|Th|R|F|Sa|S|Su)(?:[/,\s&-]*(?:M|Tu|T|W|Th|R|F|Sa|S|Su))+")
_SCHEDULE_DAY = re.compile(r"M|Tu|Th|T|W|R|F|Su|Sa|S")
_SCHEDULE_DAYS = {"M": 0, "Tu": 1, "T": 1, "W": 2, "Th": 3, "R": 3, "F": 4, "Sa": 5, "S": 5, "Su": 6}
_SCHEDULE_NAMES = ("M", "T", "W", "Th", "F", "Sa", "Su")
_SAYS_NOTHING = frozenset(
    [
        "today",
        "tonight",
        "tomorrow",
        "yesterday",
        "now",
        "birthday",
        "weekend",
        "weekends",
        "weekdays",
        "daily",
        "morning",
        "afternoon",
        "evening",
        "night",
        "noon",
    ]
)
"""Words of time that stand for no day of the calendar."""
_LONGEST = 120
"""A longer value is no date, whatever took it for one, and is not read as one."""
_UNDATED = datetime.datetime(2020, 7, 1)  # noqa: DTZ001 - only its year serves, where a note has no time


def shift_date(value: str, context: NoteContext) -> str:
    """``value`` moved by ``context.shift_days``, in its own form. It may hold several dates, a time of day, a holiday."""
    if len(value) > _LONGEST:
        return _scrambled(value, context)
    made = _simply_shifted(value, context) or _simply_named(value, context) or _shifted(value, context)
    if made is not None:
        return made
    if _SCHEDULE.fullmatch(value):
        return _SCHEDULE_DAY.sub(
            lambda day: _SCHEDULE_NAMES[(_SCHEDULE_DAYS[day.group()] + context.shift_days) % 7], value
        )
    return value if value.casefold() in _SAYS_NOTHING else _scrambled(value, context)


def _simply_shifted(value: str, context: NoteContext) -> str | None:
    """``_shifted`` of the commonest forms in figures, at a fraction of the cost; ``None`` for any other."""
    match = _SIMPLE.fullmatch(value)
    if match is None:
        return None
    first, mark, second, digits, iso, alone, weekday = match.groups()
    now = context.written_at or _UNDATED
    if weekday:
        name = WEEKDAYS[(WEEKDAYS.index(weekday.lower()) + context.shift_days) % 7]
        return match_case(name.capitalize(), value)
    if alone:
        return f"{_moved(datetime.date(int(alone), 7, 15), context.shift_days).year}"
    if iso:
        original = date_or_none(int(iso[:4]), int(iso[5:7]), int(iso[8:]))
        if original is None or original.year < 1_000:
            return None
        return _moved(original, context.shift_days).isoformat()
    month_first = int(first) <= 12 or int(second) > 12
    month, day = (int(first), int(second)) if month_first else (int(second), int(first))
    if digits is None:
        # A month and a day: the year in which they lie nearest to the note.
        near = nearest_day(month, day, now)
        if mark != "/" or near is None or not month_first or int(second) == 0:
            return None
        moved = _moved(near, context.shift_days)
        width = "02d" if first[0] == "0" or second[0] == "0" else "d"
        return f"{moved.month:{width}}/{moved.day:{width}}"
    original = date_or_none(full_year(digits, now.year), month, day)
    if original is None:
        return None
    moved = _moved(original, context.shift_days)
    is_padded = first[0] == "0" or second[0] == "0" or (mark != "/" and len(first) == len(second) == 2)
    width = "02d" if is_padded else "d"
    new_first, new_second = (moved.month, moved.day) if month_first else (moved.day, moved.month)
    return f"{new_first:{width}}{mark}{new_second:{width}}{mark}{_year_like(digits, moved.year)}"


def _simply_named(value: str, context: NoteContext) -> str | None:
    """``_shifted`` of the commonest forms with the name of a month or a weekday; ``None`` for any other."""
    match = _NAMED.fullmatch(value)
    if match is None:
        return None
    name, figures, digits, ending, year, only, lead, month_name, last = match.groups()
    now = context.written_at or _UNDATED
    if figures:
        weekday = PREFIXES[WEEKDAYS].get(name.lower())
        moved_figures = None if weekday is None else _simply_shifted(figures, context)
        if weekday is None or moved_figures is None:
            return None
        new = WEEKDAYS[(weekday + context.shift_days) % 7]
        return f"{_like_name(new, name, ' ', WEEKDAYS)} {moved_figures}"
    month = PREFIXES[MONTHS].get((name or month_name).lower())
    day = int(digits or lead or 15)
    if month is None or not 1 <= day <= 31:
        return None
    said = only or last or (year and year[2:])
    original = date_or_none(int(said), month + 1, day) if said else nearest_day(month + 1, day, now)
    if original is None:
        return None
    moved = _moved(original, context.shift_days)
    new = MONTHS[moved.month - 1]
    if lead:
        width = "02d" if len(lead) == 2 else "d"
        return f"{moved.day:{width}}-{_like_name(new, month_name, '-', MONTHS)}-{moved.year:04d}"
    new = _like_name(new, name, " ", MONTHS)
    if only:
        return f"{new} {moved.year:04d}"
    day_text = f"{moved.day:02d}" if digits[0] == "0" else str(moved.day)
    return f"{new} {day_text}{_ordinal(moved.day) if ending else ''}{f', {moved.year:04d}' if year else ''}"


def _shifted(value: str, context: NoteContext) -> str | None:
    """``value`` moved; ``None`` where it holds nothing that can be read as a date."""
    now = context.written_at or _UNDATED
    has_letters = value.upper() != value.lower()
    if has_letters and (holiday := HOLIDAY.search(value)):
        return _around(value, holiday.start(), holiday.end(), _holiday(holiday, now.year, context), context)
    stamp = _STAMP.fullmatch(value)
    if stamp:
        return (_shifted(stamp[1], context) or "") + (
            stamp[2] if context.options.keeps_times else replace_time(stamp[2], context)
        )
    for time in _TIME.finditer(value) if len(value) > _SHORTEST_WITH_TIME else ():
        if ":" in time.group() or not time.group()[-1].isdecimal() or _FULL_FIGURES.search(value, 0, time.start()):
            clock = time.group() if context.options.keeps_times else _other_time(time.group(), context)
            return _around(value, time.start(), time.end(), clock, context)
    dates = read_dates(value, now)
    if not dates:
        return None
    made: list[str] = []
    position = 0
    for date in dates:
        start, end = date.parts[0].start, date.parts[-1].end
        made += (value[position:start], _write(value, date, start, end, context))
        position = end
    return "".join((*made, value[position:]))


def _holiday(found: re.Match[str], year: int, context: NoteContext) -> str:
    """The holiday as the settings want it: another one, the day that it moves to, or itself (with its year moved)."""
    moved = _moved(holiday_date(found, year), context.shift_days)
    if context.options.holidays == "nearest":
        return nearest_holiday(moved, found)
    name = (
        found["name"] if context.options.holidays == "kept" else f"{MONTHS[moved.month - 1].capitalize()} {moved.day}"
    )
    text = match_case(name, found["name"]) if context.options.holidays == "date" else name
    if found["year"]:
        return f"{text}{', ' if context.options.holidays == 'date' else found['between']}{moved.year}"
    return f"{text}{found['between']}{found.group()[-3]}{moved.year % 100:02d}" if found["short"] else text


def _around(value: str, start: int, end: int, middle: str, context: NoteContext) -> str:
    """``middle`` in the place of ``start``–``end``, with what stands on either side moved too where it is a date."""
    left, right = value[:start], value[end:]
    sides = [side and (_shifted(side, context) or _without_digits(side, context)) for side in (left, right)]
    return sides[0] + middle + sides[1]


def _without_digits(side: str, context: NoteContext) -> str:
    return _scrambled(side, context) if any(char.isdigit() for char in side) else side


def _other_time(time: str, context: NoteContext) -> str:
    lead = time[:1] if time[:1] in "Tt" else ""
    return lead + replace_time(time[len(lead) :], context)


def _write(value: str, date: DateInText, start: int, end: int, context: NoteContext) -> str:
    """The stretch ``start``–``end`` of ``value`` with its date moved."""
    original = date.day
    if original is None or any(part.role == "day" and not 1 <= part.value <= 31 for part in date.parts):
        return _scrambled(value[start:end], context)
    moved = _moved(original, context.shift_days)
    days = _moved_days(date, original, moved)
    write_number = _number_writer(value, date.parts)
    named = next((part for part in date.parts if part.role == "month" and not value[part.start].isdecimal()), None)
    made: list[str] = []
    position = start
    written = days[0] if days and date.parts[0].role != "day" else None
    """The day whose month the text has last said."""
    index = -1
    for part in date.parts:
        old = value[part.start : part.end]
        if part.role == "day":
            index += 1
            day = days[index]
            new = _day_like(old, day.day, write_number)
            if written and (written.year, written.month) != (day.year, day.month):
                new = (_month_like(named, value, day) + " " if named else write_number(day.month) + "/") + new
                written = day
            elif not written and named and index + 1 < len(days) and days[index + 1].month != day.month:
                new += " " + _month_like(named, value, day)
        elif part.role == "ordinal":
            new = match_case(_ordinal(days[index].day if index >= 0 else moved.day), old)
        elif part.role == "month":
            said = days[index] if index >= 0 else moved
            new = write_number(said.month) if old.isdecimal() else _month_like(part, value, said)
        elif part.role == "year":
            new = _year_like(old, moved.year + part.value - original.year)
        elif part.role == "weekday":
            new = _like_name(
                WEEKDAYS[(part.value + (moved - original).days) % 7], old, value[part.end : part.end + 1], WEEKDAYS
            )
        elif part.role == "season":
            new = match_case(season_of(moved, old), old)
        else:
            new = str((moved.month + 2) // 3) if part.role == "quarter" else old
        made.append(value[position : part.start] + new)
        position = part.end
    return "".join(made) + value[position:end]


def _moved_days(date: DateInText, original: datetime.date, moved: datetime.date) -> list[datetime.date]:
    """Each day of the month that the date names, such as the two of "March 3-5", moved by itself."""
    heres = [
        date_or_none(original.year, original.month, part.value) or original for part in date.parts if part.role == "day"
    ]
    return [_moved(here, (moved - original).days) for here in heres]


def _number_writer(value: str, parts: list[DatePart]) -> Callable[[int], str]:
    """Writes a day or a month in figures, with a zero before it where the date is written so."""
    numbers = [value[p.start : p.end] for p in parts if p.role in {"month", "day"} and value[p.start].isdecimal()]
    has_range = sum(part.role == "day" for part in parts) > 1
    in_figures = not has_range and (len(numbers) > 1 or "-" in value)
    is_padded = any(n.startswith("0") for n in numbers) or (
        in_figures and "/" not in value and all(len(n) == 2 for n in numbers)
    )
    return (lambda number: f"{number:02d}") if is_padded else str


def _day_like(old: str, day: int, write_number: Callable[[int], str]) -> str:
    if old.isdecimal():
        return write_number(day)
    word = ORDINAL_WORDS[day - 1]
    return match_case(word.capitalize() if old[:1].isupper() else word, old)


def _year_like(old: str, year: int) -> str:
    return f"{year % 100:02d}" if len(old) == 2 else f"{year:04d}"[-len(old) :].rjust(len(old), "0")


def _month_like(part: DatePart, value: str, day: datetime.date) -> str:
    return _like_name(MONTHS[day.month - 1], value[part.start : part.end], value[part.end : part.end + 1], MONTHS)


def _like_name(name: str, old: str, following: str, names: tuple[str, ...]) -> str:
    """A month or weekday, abbreviated as ``old`` is."""
    word = old.casefold()
    plural = "s" if word.endswith("days") else ""
    is_full = len(word) > 5 or (word in names and not (word == "may" and following in {"-", ".", "'", "’"}))
    short = _LONGER.get(name, name[:3]) if len(old) > 3 else name[:3]
    new = (name if is_full else short).capitalize() + plural
    return match_case(new, old)


def _ordinal(day: int) -> str:
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _moved(day: datetime.date, days: int) -> datetime.date:
    try:
        return day + datetime.timedelta(days=days)
    except OverflowError:
        return day - datetime.timedelta(days=days)


def _scrambled(value: str, context: NoteContext) -> str:
    """A date mistyped as ``value`` is; else other digits in the same places, months moved by name, and a weekday for a word."""
    typo = moved_typo(value, context.written_at or _UNDATED, lambda day: _moved(day, context.shift_days))
    if typo is not None and typo != value:
        return typo
    if any(char.isdigit() for char in value):
        return re.sub(r"\d+|[^\W\d_]{3,}", lambda match: _other_piece(match.group(), value, context), value)
    made = context.keyed.choice(WEEKDAYS, "date", context.patient_id, value).capitalize()
    return match_case(made, value) if any(char.isalpha() for char in value) else value


def _other_piece(piece: str, value: str, context: NoteContext) -> str:
    if not piece.isdecimal():
        month = month_of(piece.casefold())
        if month is None:
            return piece
        moved = _moved(datetime.date((context.written_at or _UNDATED).year, month, 15), context.shift_days)
        return _like_name(MONTHS[moved.month - 1], piece, "", MONTHS)
    if re.fullmatch(r"(?:19|20)\d\d", piece, re.ASCII):
        return str(_moved(datetime.date(int(piece), 7, 1), context.shift_days).year)
    return context.keyed.like(piece, "date", context.patient_id, value[:_LONGEST])
