"""Days in six figures without separators: 240603, 060324, 030624."""

import datetime

from deid_tasks.engine.obfuscate.dates.common_dates import move_day
from deid_tasks.engine.obfuscate.note_context import NoteContext

_YEAR_FIRST, _MONTH_FIRST, _DAY_FIRST = "%y%m%d", "%m%d%y", "%d%m%y"
_MAX_DAYS_FROM_NOTE = 400


def move_compact_day(digits: str, shift_days: int, context: NoteContext) -> str | None:
    """Return six figures that are a day near the note, moved; ``None`` for others.

    They are read with the year first, and then in the note's own order of day and month.

    Args:
        digits: six figures.
        shift_days: days to move by.
        context: of the note, which tells when it was written and its order of day and month.
    """
    orders = (_DAY_FIRST, _MONTH_FIRST) if context.is_day_first else (_MONTH_FIRST, _DAY_FIRST)
    for form in (_YEAR_FIRST, *orders):
        try:
            day = datetime.datetime.strptime(digits, form).date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
        if is_near_note(day, context):
            return f"{move_day(day, shift_days):{form}}"
    return None


def is_near_note(day: datetime.date, context: NoteContext) -> bool:
    """Whether a day lies so near to the note's own that figures which may mean it do."""
    written_at = context.written_at
    return written_at is not None and abs((written_at.date() - day).days) <= _MAX_DAYS_FROM_NOTE
