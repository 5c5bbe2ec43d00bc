"""Days, months and years inside record numbers: "S21-12345", "DN-240729-5518", "B2407-1183"."""

import datetime
import re
from string import ascii_letters

from deid_tasks.engine.obfuscate.dates.calendar_terms import MONTHS, date_or_none, full_year, month_of, nearest_day
from deid_tasks.engine.obfuscate.dates.common_dates import move_day
from deid_tasks.engine.obfuscate.dates.compact_days import is_near_note, move_compact_day
from deid_tasks.engine.obfuscate.dates.date_forms import year_like
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext

_EMBEDDED = re.compile(
    r"""(?<!\d)(?P<day>(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?=(?:\d{4}|\d{6})?(?!\d))   # 20210314
        | (?<!\d)(?P<year>(?:19[5-9]|20[0-3])\d)(?=[-/.](?:\d{2,}|[A-Z]{2,4}[-/.]\d))                   # 2021-0034
        | (?<!\d)(?P<digits>\d{6})(?=[-/.]\d)                                                             # 240729-5518
        | (?<!\d)(?P<glued>\d{6})(?=\d{3,6}(?!\d))                                                        # A24051702238
        | (?<!\d)(?P<month>\d\d(?:0[1-9]|1[0-2]))(?=[-/]\d{3,})                                            # B2407-1183
        | (?<=\d\d\d/)(?P<last>\d\d)(?!\d)                                                                # H-1186/24
        | (?:(?<=[A-Za-z])|(?<=[A-Za-z][-/])|(?P<first>(?<![\w-])))(?P<short>0[5-9]|[12]\d|9\d)
          (?=(?:[-/]|[A-Z][-/]|[-/][A-Z]{1,3}[-/])[A-Z]?\d{3,}|[A-Z]{2,4}\d{4,})        # S21-12345
        | (?<![A-Za-z0-9])(?P<named>(?:0?[1-9]|[12]\d|3[01])
          (?i:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec))(?P<of>(?:20)?\d\d)?(?![A-Za-z0-9])  # cert_18Mar
    """,
    re.VERBOSE | re.ASCII,
)
_CLOCK_BEHIND = re.compile(r"(?:[01]\d|2[0-3])(?:[0-5]\d){1,2}(?!\d)", re.ASCII)
_LAST_YEAR = 2030
_YEARS_OF_RECORDS = 12
_LABEL_BEFORE = re.compile(r"[A-Z]{2,4} $")
"""The label of an admission: "IP 22/00391"."""


def move_embedded_dates(made: str, value: str, shift_days: int, context: NoteContext) -> str:
    """Return a number with the days, months and years that stand in the original, moved as the note's dates are.

    Args:
        made: the surrogate without punctuation.
        value: the original; its punctuation tells a year from other digits (S21-12345, 2021-0034).
        shift_days: days to move by.
        context: of the note; when it was written tells a day from other digits.
    """
    for found in _EMBEDDED.finditer(value):
        text = (_moved_named_day if found["named"] else _moved)(found, shift_days, context)
        if text is None:
            continue
        start = sum(char.isalnum() for char in value[: found.start()])
        made = made[:start] + text + made[start + len(text) :]
    return made


def _moved(found: re.Match[str], shift_days: int, context: NoteContext) -> str | None:
    if day := found["day"]:
        born = date_or_none(int(day[:4]), int(day[4:6]), int(day[6:]))
        # "20241226154210": the time of day behind the day stays.
        clock = _CLOCK_BEHIND.match(found.string, found.end())
        return None if born is None else f"{move_day(born, shift_days):%Y%m%d}{clock.group() if clock else ''}"
    if found["digits"]:
        return move_compact_day(found["digits"], shift_days, context)
    if glued := found["glued"]:
        # Where the patient's other notes hold the number too, the day of this one must not decide.
        return None if context.is_of_patient else move_compact_day(glued, shift_days, context)
    if month := found["month"]:
        middle = datetime.date(2000 + int(month[:2]), int(month[2:]), 15)
        return f"{move_day(middle, shift_days):%y%m}" if is_near_note(middle, context) else None
    written_at = context.written_at
    if last := found["last"]:
        year = 2000 + int(last)
        is_own = written_at is not None and year == written_at.year
        return f"{move_day(_day_of_year(year, context), shift_days):%y}" if is_own else None
    year = int(found["year"] or 0)
    if short := found["short"]:
        year = 2000 + int(short)
        if year > _LAST_YEAR:
            year -= 100
            if written_at is None or abs(written_at.year - year) > 1:
                return None
        if found["first"] is not None and not _is_year_at_start(found, year, context):
            return None
    moved = move_day(_day_of_year(year, context), shift_days)
    return f"{moved:%y}" if found["short"] else f"{moved:%Y}"


def _moved_named_day(found: re.Match[str], shift_days: int, context: NoteContext) -> str | None:
    """Return a day and a month that are glued together, moved: 18Mar, 03Feb25; ``None`` for a day of more figures."""
    digits = found["named"].rstrip(ascii_letters)
    month_name = found["named"][len(digits) :]
    month, now = month_of(month_name.lower()), context.written_at
    if month is None or now is None:
        return None
    year = found["of"]
    day = date_or_none(full_year(year, now.year), month, int(digits)) if year else nearest_day(month, int(digits), now)
    if day is None:
        return None
    moved = move_day(day, shift_days)
    name = match_case(MONTHS[moved.month - 1][:3].capitalize(), month_name)
    text = f"{moved.day:0{len(digits)}d}{name}{year_like(year, moved.year) if year else ''}"
    return text if len(text) == len(found.group()) else None


def _is_year_at_start(found: re.Match[str], year: int, context: NoteContext) -> bool:
    """Whether two figures that a number begins with are a year: the note's, or behind a label one not long before."""
    if context.written_at is None:
        return False
    years = context.written_at.year - year
    return years == 0 or (
        0 < years <= _YEARS_OF_RECORDS and _LABEL_BEFORE.search(found.string[: found.start()]) is not None
    )


def _day_of_year(year: int, context: NoteContext) -> datetime.date:
    """Return the day from which a year is moved: the note's own, where the number need not be that of other notes."""
    written_at = context.written_at
    if context.is_of_patient or written_at is None or year != written_at.year:
        return datetime.date(year, 7, 1)
    return written_at.date()
