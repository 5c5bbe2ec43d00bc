"""Ranges of months that are written as days are: a course of treatment "11/22-6/23"."""

import datetime
import re

from deid_tasks.engine.obfuscate.dates.common_dates import move_day
from deid_tasks.engine.obfuscate.note_context import NoteContext

_RANGE = re.compile(r"(?<![\d/])(\d{1,2})/(\d\d)\s?[-–]\s?(\d{1,2})/(\d\d)(?![\d/])", re.ASCII)
_MAX_LENGTH = 5
_REACH = 9
_MARKS = frozenset(["-", "–", " "])


def month_and_year_in_range(text: str, start: int, end: int, context: NoteContext) -> str | None:
    """Return a month and a year of two digits, moved; ``None`` where ``start``–``end`` is a day, or in no range.

    Read as days, the range would run backwards; read as months and years, it does not, and ends before the note.

    Args:
        text: the note.
        start: where a value such as ``11/22`` begins.
        end: where it ends.
        context: of the note.
    """
    written_at = context.written_at
    if written_at is None or end - start > _MAX_LENGTH or not text[start:end].replace("/", "").isdecimal():
        return None
    if text[end : end + 1] not in _MARKS and text[start - 1 : start] not in _MARKS:
        return None
    for found in _RANGE.finditer(text, max(0, start - _REACH), end + _REACH):
        if start in {found.start(1), found.start(3)}:
            break
    else:
        return None
    first_month, first_year, last_month, last_year = map(int, found.groups())
    is_backwards = (first_month, first_year) > (last_month, last_year)
    is_forwards = (first_year, first_month) < (last_year, last_month)
    if not (is_backwards and is_forwards) or last_year > written_at.year % 100 or max(first_month, last_month) > 12:
        return None
    month, _, year = text[start:end].partition("/")
    if not 1 <= int(month) <= 12:
        return None
    middle = datetime.date(written_at.year - written_at.year % 100 + int(year), int(month), 15)
    moved = move_day(middle, context.shift_days)
    return f"{moved.month:{'02d' if month[0] == '0' else 'd'}}/{moved:%y}"
