"""Times of day: 08:35, 8:35 AM, 8 pm, 0835 hrs, at 0835."""

import re
from collections.abc import Iterator

from deid_tasks.detect.patterns.rule import Found, Rule, Strength, after, before
from deid_tasks.entities import Entity

_TRIGGER = (
    r"(?i)\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]{1,6})?"
    r"|[0-9T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"
    r"|\b[0-9]{1,2}(?:[:.][0-9]{2})? ?(?:[ap]m|[ap]\.m\.?|o'?clock)"
    r"|\b[0-2][0-9][0-5][0-9] ?(?:hrs|hours|h|am|pm)\b"
    r"|(?:\bat|@|time:?|[0-9]{2,4}|around|by) ?\b[0-2][0-9][0-5][0-9]\b|\b0[0-9][0-5][0-9]\b|/[0-9]{1,4},? [0-2][0-9][0-5][0-9]\b|(?m)^[ \t]{0,8}[12][0-9][0-5][0-9] [a-z]"
)
_CLOCK = re.compile(
    r"([01]?[0-9]|2[0-4]):([0-5][0-9])(?::[0-5][0-9])?(?:\.[0-9]{1,6})?(?![0-9]|:[0-9])(?:\s?(?:[ap]m\b|[ap]\.m\.?|[ap]\b|hrs\b|h\b))?",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?:0?[1-9]|1[0-2])(?:[:.][0-5][0-9])?\s?(?:[ap]\.m\.?|[ap]m(?![a-z])|o'?clock)", re.IGNORECASE)
_MILITARY = re.compile(r"(?:[01][0-9]|2[0-3])[0-5][0-9](?![0-9])(?:\s?(?:hrs|hours|h|am|pm)\b)?", re.IGNORECASE)
_TITRE = re.compile(
    r"(?:ana,? which was positive at|titers?|titres?|ana|dilut\w*|ratio|rpr|vdrl|epi|epinephrine|humalog|novolog|lispro|carb\w*|lidocaine|i:e|ie|diluted|concentration|score)\W{0,3}(?:of |at |is |was |\w+ )?$"
)
_UNIT = re.compile(r"\s?(?:mg|ml|mcg|cc|units?|titer|titre|dilution|ratio|%|k\b|calorie)")
_HOUR_BEFORE = re.compile(r"(?:by|until|around|before|after|till?|since|about)\s$")
_HOUR_AFTER = re.compile(r"\s(?:in the|this|tomorrow|today|tonight|yesterday|appointment|appt|am|pm)")
_LINE_START = re.compile(r"^\s*$")
_NO_TIME_BEFORE = re.compile(
    r"(?:ext|x|id|code|pin|pager|pgr|room|rm|bed|box|no|num|number|lot|last four|ending in|zip|unit)\W{0,2}$"
)
_DATE_BEFORE = re.compile(r"[0-9]{1,4}[/.\-][0-9]{1,2}(?:[/.\-][0-9]{2,4})?,? $")


def read_time(text: str, start: int, end: int) -> Iterator[Found]:
    """Judge one clock reading."""
    limit = end + 8
    if not text[start].isdigit() or (text[start : start + 3].isdigit() and text[start + 3 : start + 4] == ":"):
        start = next((i for i in range(start, end) if text[i].isdigit()), end)
        if ":" in text[start:end] and text[start : start + 3].isdigit():
            start += 1 if text[start + 3 : start + 4] == ":" else 0
    is_tail = text[start - 1 : start] in {".", ":"} and text[start - 2 : start - 1].isdigit() and start > 1
    clock = _CLOCK.match(text, start, limit)
    if clock and is_tail:
        return
    if clock:
        ahead = before(text, start)
        has_tail = text[clock.end() - 1].lower() not in "0123456789"
        if not has_tail and (_TITRE.search(ahead) or _UNIT.match(after(text, clock.end()))):
            return
        if text[clock.end() : clock.end() + 1] != "%":
            yield Found(start, clock.end(), Entity.TIME)
        return
    hour = _HOUR.match(text, start, limit)
    if hour and not is_tail:
        if "clock" in hour.group().lower() and not (
            _HOUR_BEFORE.search(before(text, start)) or _HOUR_AFTER.match(after(text, hour.end()))
        ):
            return
        yield Found(start, hour.end(), Entity.TIME)
        return
    for military in _MILITARY.finditer(text, start, limit):
        ahead, value = before(text, military.start()), military.group()
        if text[military.start() - 1 : military.start()].isdigit():
            continue
        told: object = (
            not value.isdigit()
            or re.search(r"(?:^|[^a-z])(?:at|@|time:?|around)\s?$", ahead)
            or _DATE_BEFORE.search(ahead)
            or _LINE_START.search(ahead)
        )
        told = told or (
            value[0] == "0" and re.search(r"(?:[a-z\])]\s|~\s?)$", ahead) and not _NO_TIME_BEFORE.search(ahead)
        )
        if told and not _UNIT.match(after(text, military.end())):
            yield Found(military.start(), military.end(), Entity.TIME, Strength.LABELLED)
            return


RULES = (Rule("time", _TRIGGER, read_time),)
