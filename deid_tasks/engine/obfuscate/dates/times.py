"""Times of day, where a policy asks for them to change: other minutes and hours in the same form."""

import re

from deid_tasks.engine.obfuscate.note_context import NoteContext


def replace_time(value: str, context: NoteContext) -> str:
    """``value`` with other digits that are still a time of day."""
    match = re.match(r"(?P<hour>\d{1,2})(?P<rest>\D?)(?P<minute>\d{2})?", value)
    parts = ("time", context.patient_id, value)
    if match is None:
        return context.keyed.choice(("morning", "noon", "afternoon", "evening"), *parts)
    is_twelve = bool(re.search(r"[ap]\.?m", value, re.IGNORECASE))
    hour = 1 + context.keyed.number(12, *parts) if is_twelve else context.keyed.number(24, *parts)
    written = f"{hour:02d}" if len(match["hour"]) == 2 else str(hour % 12 or 1)[-1]
    minute = f"{context.keyed.number(60, *parts, 'minute'):02d}" if match["minute"] else ""
    return written + match["rest"] + minute + value[match.end() :]
