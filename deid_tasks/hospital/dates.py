"""The ways notes write dates and times."""

import datetime
import random
from collections.abc import Callable

MONTHS = tuple(
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT_DAYS = ("Mon", "Tues", "Wed", "Thurs", "Fri", "Sat", "Sun")
_SEASONS = ("winter", "spring", "summer", "fall")
_HOLIDAYS = (
    (1, "New Year's Day"), (2, "Valentine's Day"), (3, "St. Patrick's Day"), (4, "Easter"), (5, "Memorial Day"),
    (5, "Mother's Day"), (6, "Father's Day"), (7, "July 4th"), (7, "Independence Day"), (9, "Labor Day"),
    (10, "Columbus Day"), (10, "Halloween"), (11, "Veterans Day"), (11, "Thanksgiving"), (12, "Christmas Eve"),
    (12, "Christmas Day"), (12, "Christmas"), (12, "New Year's Eve"),
)  # fmt: skip

Date = datetime.date
Style = Callable[[Date, random.Random], str]


def _ordinal(day: int) -> str:
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _holiday(day: Date, rng: random.Random) -> str:
    """Return a holiday of the month, or of the nearest month that has one."""
    nearest = min(min(abs(month - day.month), 12 - abs(month - day.month)) for month, _ in _HOLIDAYS)
    names = [name for month, name in _HOLIDAYS if min(abs(month - day.month), 12 - abs(month - day.month)) == nearest]
    return names[int(rng.random() * len(names))]


def _typo(day: Date, rng: random.Random) -> str:
    """Return a mistyped date: a slash lost or doubled, a digit doubled, an impossible day."""
    month, number, year = str(day.month), str(day.day), day.year % 100
    kind = int(rng.random() * 6)
    if kind == 0:
        return f"{month}{number}/{year:02d}"
    if kind == 1:
        return f"{month}/{30 + day.day % 10 + 2}/{day.year}"
    if kind == 2:
        return f"{month}//{number}/{year:02d}"
    if kind == 3:
        return f"{month}/{number}{number[-1]}/{year:02d}"
    if kind == 4:
        return f"{month}/{number}/{day.year}{day.year % 10}"
    return f"{month}/{number}/{str(day.year)[:3]}"


STYLES: dict[str, Style] = {
    "mdy": lambda d, _: f"{d.month}/{d.day}/{d.year}",
    "mdyy": lambda d, _: f"{d.month}/{d.day}/{d.year % 100:02d}",
    "mmddyyyy": lambda d, _: f"{d.month:02d}/{d.day:02d}/{d.year}",
    "dashes": lambda d, _: f"{d.month:02d}-{d.day:02d}-{d.year}",
    "md": lambda d, _: f"{d.month}/{d.day}",
    "iso": lambda d, _: d.isoformat(),
    "dMony": lambda d, _: f"{d.day}-{MONTHS[d.month - 1][:3]}-{d.year}",
    "dots": lambda d, _: f"{d.month}.{d.day}.{d.year % 100:02d}",
    "typo": _typo,
    "compact": lambda d, _: f"{d.year}{d.month:02d}{d.day:02d}",
    "long": lambda d, _: f"{MONTHS[d.month - 1]} {d.day}, {d.year}",
    "ordinal": lambda d, _: f"{MONTHS[d.month - 1]} {_ordinal(d.day)}, {d.year}",
    "monthday": lambda d, _: f"{MONTHS[d.month - 1]} {d.day}",
    "monthyear": lambda d, _: f"{MONTHS[d.month - 1]} {d.year}",
    "my": lambda d, _: f"{d.month}/{d.year % 100:02d}",
    "year": lambda d, _: str(d.year),
    "weekday": lambda d, _: WEEKDAYS[d.weekday()],
    "season": lambda d, _: f"{_SEASONS[d.month % 12 // 3]} {d.year}",
    "holiday": _holiday,
    "apostrophe": lambda d, _: f"{MONTHS[d.month - 1][:3]} '{d.year % 100:02d}",
    "dayofweek_md": lambda d, _: f"{_SHORT_DAYS[d.weekday()]} {d.month}/{d.day}",
}
"""Every STYLE that gives one DATE; ``stamp``, which adds a TIME, is made by its slot."""

COMMON = ("mdy", "mdy", "mdy", "mmddyyyy", "mmddyyyy", "mdyy", "mdyy", "long", "iso", "dMony", "dashes")
"""What a date is drawn from where the skeleton names no style; the commoner ones stand more than once."""


def time_of_day(moment: datetime.datetime, rng: random.Random) -> str:
    """08:35, 8:35 AM, 8:35am or 0835."""
    hour, minute = moment.hour, moment.minute
    chance = rng.random()
    if chance < 0.45:
        return f"{hour:02d}:{minute:02d}"
    half = "AM" if hour < 12 else "PM"
    if chance < 0.75:
        return f"{(hour - 1) % 12 + 1}:{minute:02d} {half}"
    if chance < 0.87:
        return f"{(hour - 1) % 12 + 1}:{minute:02d}{half.lower()}"
    return f"{hour:02d}{minute:02d}"
