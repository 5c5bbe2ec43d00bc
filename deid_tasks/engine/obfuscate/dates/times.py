"""Times of day, where the policy transforms them: other hours and minutes in the same form."""

import re

from deid_tasks.engine.obfuscate.note_context import NoteContext

_TIME = re.compile(r"(?P<hour>\d{1,2})(?P<rest>\D?)(?P<minute>\d{2})?")
_TWELVE_HOURS = re.compile(r"[ap]\.?m", re.IGNORECASE)
_TIME_WORDS = ("morning", "noon", "afternoon", "evening")


def replace_time(value: str, context: NoteContext) -> str:
    """Return ``value`` with other digits that are still a time of day; another word for a word."""
    match = _TIME.match(value)
    parts = ("time", context.patient_id, value)
    if match is None:
        return context.keyed.choice(_TIME_WORDS, *parts)
    has_twelve_hours = bool(_TWELVE_HOURS.search(value))
    hour = 1 + context.keyed.number(12, *parts) if has_twelve_hours else context.keyed.number(24, *parts)
    hour_text = f"{hour:02d}" if len(match["hour"]) == 2 else str(hour % 12 or 1)[-1]
    minute = f"{context.keyed.number(60, *parts, 'minute'):02d}" if match["minute"] else ""
    return hour_text + match["rest"] + minute + value[match.end() :]
