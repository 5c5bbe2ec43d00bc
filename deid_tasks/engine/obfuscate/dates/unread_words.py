"""Words that were detected as dates and say nothing of a calendar: Mass, Ramadi, "market day"."""

import re

from deid_tasks.engine.obfuscate.dates.calendar_terms import MONTHS, WEEKDAYS
from deid_tasks.engine.obfuscate.note_context import NoteContext

_MONTH_BEFORE = re.compile(r"\b(?:in|during|early|late|mid|month of|back in)[ -]$", re.IGNORECASE)
_YEAR_BEHIND = re.compile(r",?(?: of)? (?:['’]\d\d|(?:19|20)\d\d)(?!\d)")
_REACH = 12


def replace_unread_word(value: str, context: NoteContext, *, is_month: bool = False) -> str:
    """Return a weekday, or a month, for words that name no day.

    A weekday may stand behind most of what words of time stand behind: on, after, since, last, next, every.
    """
    name = context.keyed.choice(MONTHS if is_month else WEEKDAYS, "date", context.patient_id, value).capitalize()
    return name.upper() if value.isupper() and len(value) > 1 else name


def is_beside_month(text: str, start: int, end: int) -> bool:
    """Whether a month fits where a word stands better than a weekday does: "in …", "… 2004"."""
    return bool(_MONTH_BEFORE.search(text, max(0, start - _REACH), start) or _YEAR_BEHIND.match(text, end))
