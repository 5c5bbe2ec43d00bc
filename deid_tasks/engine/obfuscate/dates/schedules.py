"""Days of the week in one or two letters: schedules such as MWF and TTS, and a day alone such as Th."""

import re

SCHEDULE = re.compile(r"(?:M|T[uU]|T|W|T[hH]|R|F|S[aA]|S|S[uU])(?:[/,\s&-]*(?:M|T[uU]|T|W|T[hH]|R|F|S[aA]|S|S[uU]))+")
"""Days of the week in short: MWF, Tu/Th."""
_DAY = re.compile(r"M|T[uU]|T[hH]|T|W|R|F|S[uU]|S[aA]|S")
_DAYS = {"M": 0, "Tu": 1, "T": 1, "W": 2, "Th": 3, "R": 3, "F": 4, "Sa": 5, "S": 5, "Su": 6}
_NAMES = ("M", "T", "W", "Th", "F", "Sa", "Su")
_LETTERS = "MTWTFSS"
_SUNDAY = 6
_TWO_LETTERS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_DAY_ALONE = re.compile(r"(?P<day>Mo|Tu|We|Th|Fr|Sa|Su)(?P<behind>\.?)")
_DAY_BEFORE_DATE = re.compile(r"(?P<day>Mo|Tu|We|Th|Fr|Sa|Su|M|T|W|R|F)(?P<behind>[.,]{0,2} )(?=\d)")


def move_schedule(value: str, days: int) -> str | None:
    """Return days of the week in short, moved together; ``None`` for other values.

    In ``TTS`` the second T is Thursday. Days that would begin anew within the week, or come to a Sunday, stay: dialysis
    is MWF or TTS.
    """
    if SCHEDULE.fullmatch(value) is None:
        return None
    read: list[int] = []
    for day in _DAY.findall(value):
        number = _DAYS[day.capitalize()]
        # "TTS" and "SS" are Tuesday, Thursday and Saturday, and the two days of the weekend.
        read.append({"T": 3, "S": 6}.get(day, number) if number in read else number)
    moved = [(number + days) % 7 for number in read]
    if read == sorted(read) and (moved != sorted(moved) or (_SUNDAY in moved and _SUNDAY not in read)):
        return value
    numbers = iter(moved)
    names = _LETTERS if value.isalpha() and len(value) == len(read) else _NAMES
    return _DAY.sub(lambda _: names[next(numbers)], value)


def move_short_weekday(value: str, days: int) -> tuple[str, str] | None:
    """Return a weekday of one or two letters moved, and the date behind it as it is; ``None`` for other values."""
    found = _DAY_ALONE.fullmatch(value) or _DAY_BEFORE_DATE.match(value)
    if found is None:
        return None
    names = _NAMES if len(found["day"]) == 1 else _TWO_LETTERS
    return names[(_DAYS_OF_SHORT[found["day"]] + days) % 7] + found["behind"], value[found.end() :]


_DAYS_OF_SHORT = {**_DAYS, "Mo": 0, "We": 2, "Fr": 4}
