"""Times of day: 08:35, 8:35 AM, 8 pm, 0835 hrs, at 0835."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_after, text_before

_TRIGGER = (
    r"(?i)\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]{1,6})?"
    r"|[0-9T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"
    r"|\b[0-9]{1,2}(?:[:.][0-9]{2})? ?(?:[ap]m|[ap]\.m\.?|o'?clock)"
    r"|\b[0-2][0-9][0-5][0-9] ?(?:hrs|hours|h|am|pm)\b"
    r"|(?:\bat|@|time:?|[0-9]{2,4}|around|by) ?\b[0-2][0-9][0-5][0-9]\b|\b0[0-9][0-5][0-9]\b|/[0-9]{1,4},? [0-2][0-9][0-5][0-9]\b|(?m)^[ \t]{0,8}[12][0-9][0-5][0-9] {1,12}[^ \n]"
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
_LINE_OF_TIME = re.compile(r"(?m)^[ \t]{0,8}((?:[01][0-9]|2[0-3])[0-5][0-9])(?=[ \t|:])")
_MORE = re.compile(r"\s?(?:[/,&\-]|and)\s?(?:[01][0-9]|2[0-3])[0-5][0-9](?![0-9/:.%]|-[0-9])")
"""What goes on with a list of times: 0930 / 1000 / 1100."""
_ON_A_DIAL = re.compile(
    r"(?<![a-z])(?:breasts?|br|hst|tears?|o'?clock|areolar?|nipple|lithotomy|retroareolar)\W{1,3}"
    r"(?:(?:left|right|lt|rt|l|r)\W{1,3})?(?:(?:at|the)\s|@\s?)?$"
)
"""What stands in front of a position on a clock's face: L br 2:00, HST @ 11:30."""
_TOLD_HOUR = re.compile(r"(?:^|[^a-z])(?:at|@|by|until|till?|around|time:?)\s?$|[0-9],? $")
_NO_TIME_BEFORE = re.compile(
    r"(?:ext|x|id|code|pin|pager|pgr|room|rm|bed|box|no|num|number|lot|last four|ending in|zip|unit)\W{0,2}$"
)
_DATE_BEFORE = re.compile(r"[0-9]{1,4}[/.\-][0-9]{1,2}(?:[/.\-][0-9]{2,4})?,? $")


def read_time(text: str, start: int, end: int) -> Iterator[Candidate]:
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
        ahead = text_before(text, start)
        has_tail = text[clock.end() - 1].lower() not in "0123456789"
        if not has_tail and (_TITRE.search(ahead) or _UNIT.match(text_after(text, clock.end()))):
            return
        if not has_tail and clock[2] in {"00", "30"} and 1 <= int(clock[1]) <= 12 and _ON_A_DIAL.search(ahead):
            return
        if clock.group()[-1] in "hHsS" and len(clock[1]) == 1 and not _TOLD_HOUR.search(ahead):
            return  # 4:00 h of dialysis
        if text[clock.end() : clock.end() + 1] != "%":
            yield Candidate(start, clock.end(), Entity.TIME)
        return
    hour = _HOUR.match(text, start, limit)
    if hour and not is_tail:
        if "clock" in hour.group().lower() and not (
            _HOUR_BEFORE.search(text_before(text, start)) or _HOUR_AFTER.match(text_after(text, hour.end()))
        ):
            return
        yield Candidate(start, hour.end(), Entity.TIME)
        return
    for military in _MILITARY.finditer(text, start, limit):
        ahead, value = text_before(text, military.start()), military.group()
        if text[military.start() - 1 : military.start()].isdigit():
            continue
        told: object = (
            not value.isdigit()
            or re.search(r"(?:^|[^a-z])(?:at|@|time:?|around)\s?$", ahead)
            or _DATE_BEFORE.search(ahead)
            or (_LINE_START.search(ahead) and _opens_a_row(text, military.start(), military.end()))
        )
        told = told or (
            value[0] == "0" and re.search(r"(?:[a-z\])]\s|~\s?)$", ahead) and not _NO_TIME_BEFORE.search(ahead)
        )
        if told and not _UNIT.match(text_after(text, military.end())):
            yield Candidate(military.start(), military.end(), Entity.TIME, Strength.LABELLED)
            stop = military.end()
            while (more := _MORE.match(text, stop, stop + 12)) and not _UNIT.match(text_after(text, more.end())):
                stop = more.end()
                yield Candidate(stop - 4, stop, Entity.TIME)
            return


def _opens_a_row(text: str, start: int, end: int) -> bool:
    """Whether figures at the beginning of a line are a time: words stand behind them, or the lines around begin with times too."""
    if text[start] == "0" or re.match(r" [A-Za-z]", text[end : end + 2]):
        return True
    value = int(text[start : start + 4])
    for row in _LINE_OF_TIME.finditer(text, max(0, text.rfind("\n", 0, start) - 160), end + 240):
        other = int(row[1])
        if row.start(1) != start and not (1900 <= value <= 2035 and 1900 <= other <= 2035):
            return True
    return False


_HALF = r"\b(?:0?[1-9]|1[0-2])(?::[0-5][0-9])?[ap](?:-(?:0?[1-9]|1[0-2])(?::[0-5][0-9])?[ap])?\b"
_HALF_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:at|@|by|until|till?|around|tomorrow|today|tonight|tmrw|tmw|am|pm|(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)(?:[a-z]{0,5}day)?"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.? [0-9]{1,2})[.,]?\s$|[0-9]{1,2}[/\-][0-9]{1,2}(?:[/\-][0-9]{2,4})?,? $"
)
_NO_HALF_BEFORE = re.compile(
    r"(?:stage|grade|grades|gr|type|class|level|group|figure|fig|pt|ct|item|category|cat|zone|p?t)\W{0,2}$"
)


def read_half(text: str, start: int, end: int) -> Iterator[Candidate]:
    """thurs 7a, 8/22 9a, 7p-6a: hours with nothing but the letter of their half of the day."""
    if text[start - 1 : start] in {".", "/", "-", ":"} or text[end : end + 1] in {"/", "-"}:
        return
    ahead = text_before(text, start)
    dash = text.find("-", start, end)
    if (
        dash > 0
        and not _NO_HALF_BEFORE.search(ahead)
        and (text[dash - 1] != text[end - 1] or _HALF_BEFORE.search(ahead))
    ):
        yield Candidate(start, dash, Entity.TIME)
        yield Candidate(dash + 1, end, Entity.TIME)
    elif dash < 0 and _HALF_BEFORE.search(ahead):
        yield Candidate(start, end, Entity.TIME)


_WITH_H = r"\b(?:[01]?[0-9]|2[0-3])(?:h| h )[0-5][0-9]\b"
_LASTS_BEFORE = re.compile(r"(?:^|[^a-z])(?:over|for|x|q|every|after|lasting|lasted|within|in|than|[<>~])\s?$")
_H_UNIT = re.compile(r"\s?(?:m\b|mn\b|min|mg|ml|mcg|cc|units?|%|/|[.,][0-9])")
_H_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:at|@|a|vers|time:?)\s$|[0-9]{1,4}[/.\-][0-9]{1,2}(?:[/.\-][0-9]{2,4})?,? $|[a-z] [0-9]{1,2} $"
)


def read_with_h(text: str, start: int, end: int) -> Iterator[Candidate]:
    """13h30, 2024-01-22 16 h 45; not 1h30 of surgery."""
    ahead = text_before(text, start)
    if (
        text[start - 1 : start] in {".", "/", "-", ":"}
        or _H_UNIT.match(text_after(text, end))
        or _LASTS_BEFORE.search(ahead)
    ):
        return
    is_told = _H_BEFORE.search(ahead) is not None
    if is_told or (text[start + 2 : start + 3] == "h" and " " not in text[start:end]):
        yield Candidate(start, end, Entity.TIME)


RULES = (
    Rule("time", _TRIGGER, read_time),
    Rule("hour and half", _HALF, read_half),
    Rule("hour with an h", _WITH_H, read_with_h),
)
