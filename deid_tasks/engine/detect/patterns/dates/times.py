"""Times of day: 08:35, 8:35 AM, 8 pm, 0835 hrs, at 0835; and stamps, which are a date and a time in one word."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation

TIME_TRIGGER = (
    r"(?i)\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]{1,6})?"  # 8:35, 08:35:20.5
    r"|[0-9T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"  # behind a date: T08:35
    r"|\b[0-9]{1,2}(?:[:.][0-9]{2})? ?(?:[ap]m|[ap]\.m\.?|o'?clock)"  # 8 pm, 8.35 am, 8 o'clock
    r"|\b[0-2][0-9][0-5][0-9] ?(?:hrs|hours|h|am|pm)\b"  # 0835 hrs
    r"|(?:\bat|@|time:?|[0-9]{2,4}|around|by|xmit) ?\b[0-2][0-9][0-5][0-9]\b"  # at 0835, 2021 0835
    r"|\b0[0-9][0-5][0-9]\b"  # 0835
    r"|/[0-9]{2,3} \([0-2][0-9][0-5][0-9]\)"  # behind a pressure: 164/102 (0321)
    r"|/[0-9]{1,4},? [0-2][0-9][0-5][0-9]\b"  # 3/14 1530
    r"|\b[0-2][0-9][0-5][0-9] (?:9[4-9]|10[0-4]|3[5-9]|4[01])\.[0-9] [0-9]{2,3} [0-9]{1,2} "  # 1200 98.4 72 16
    r"|\b(?:a?ptt|PTT|xa|anti-?xa) [0-2][0-9][0-5][0-9] [0-9]"  # PTT 1540 68
    r"|(?m)^[ \t]{0,8}[12][0-9][0-5][0-9] {1,12}[^ \n]"  # 1530 at the beginning of a line
)
_ZONE = r"(?:\s?(?-i:UTC|GMT|BST|CES?T|EES?T|[ECMP][SD]T|AK[SD]T|HST|A[CE][SD]T|AWST|NZ[SD]T|SAST|PHT|HKT|Uhr)\b)?"
"""A zone behind a time: 20:04 PST. Not PT or CT, which are a therapy and a scan."""
_CLOCK = re.compile(
    r"([01]?[0-9]|2[0-4]):([0-5][0-9])"
    r"(?::[0-5][0-9](?:\.[0-9]{1,9})?(?:Z\b|[+\-](?:0[0-9]|1[0-4]):?[0-5][0-9]\b)?)?"  # seconds, fraction, zone
    r"(?:\.[0-9]{1,6})?(?![0-9]|:[0-9])"
    r"(?:\s?(?:[ap]m\b|[ap]\.m\.?|[ap]\b|hrs\b|h\b))?"
    rf"{_ZONE}",
    re.IGNORECASE,
)
_HOUR = re.compile(
    rf"(?:0?[1-9]|1[0-2])(?:[:.][0-5][0-9])?\s?(?:[ap]\.m\.?|[ap]m(?![a-z])|o'?clock){_ZONE}", re.IGNORECASE
)
_MILITARY = re.compile(
    r"(?:[01][0-9]|2[0-3])[0-5][0-9](?![0-9]|-[0-9]{2}-[0-9]{2})(?:\s?(?:hrs|hours|h|am|pm)\b)?"
    rf"{_ZONE}",
    re.IGNORECASE,
)
_TITRE_BEFORE = re.compile(rf"(?:{alternation('dates', 'titres_and_ratios')})\W{{0,3}}(?:of |at |is |was |\w+ )?$")
_UNIT = re.compile(r"\s?(?:mg|ml|mcg|cc|units?|titer|titre|dilution|ratio|%|k\b|calorie)")
_HOUR_BEFORE = re.compile(r"(?:by|until|around|before|after|till?|since|about)\s$")
_HOUR_AFTER = re.compile(r"\s(?:in the|this|tomorrow|today|tonight|yesterday|appointment|appt|am|pm)")
_LINE_START = re.compile(r"^\s*$")
_LINE_OF_TIME = re.compile(r"(?m)^[ \t]{0,8}((?:[01][0-9]|2[0-3])[0-5][0-9])(?=[ \t|:])")
_NEXT_OF_LIST = re.compile(r"\s?(?:[/,&\-]|and)\s?(?:[01][0-9]|2[0-3])[0-5][0-9](?![0-9/:.%]|-[0-9])")
"""The next time of a list: 0930 / 1000 / 1100."""
_ON_A_DIAL = re.compile(
    r"(?<![a-z])(?:breasts?|br|hst|tears?|o'?clock|areolar?|nipple|lithotomy|retroareolar)\W{1,3}"
    r"(?:(?:left|right|lt|rt|l|r)\W{1,3})?(?:(?:at|the)\s|@\s?)?$"
)
"""What stands in front of a position on a clock's face: L br 2:00, HST @ 11:30."""
_ANNOUNCED_HOUR = re.compile(r"(?:^|[^a-z])(?:at|@|by|until|till?|around|time:?)\s?$|[0-9],? $")
_ANNOUNCED_FIGURES = re.compile(r"(?:^|[^a-z])(?:at|@|time:?|around|xmit|transmitted)\s?$")
_WORD_BEFORE = re.compile(r"(?:[a-z\])]\s|~\s?)$")
_NO_TIME_BEFORE = re.compile(
    r"(?:ext|x|id|code|pin|pager|pgr|room|rm|bed|box|no|num|number|lot|last four|ending in|zip|unit)\W{0,2}$"
)
_DATE_BEFORE = re.compile(r"[0-9]{1,4}[/.\-][0-9]{1,2}(?:[/.\-][0-9]{2,4})?,? $")
_PRESSURE_BEFORE = re.compile(r"[0-9]{2,3}/[0-9]{2,3} \($")
_TIMED_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:a?ptt|xa|anti-?xa) $|(?:at|@) [0-2][0-9][0-5][0-9]\b[^\n]{0,24}[;,] [0-9]{2,3}(?:\.[0-9])? $"
)
"""A level that is drawn at times, and the next reading of a row with times: FS 212 at 0730, 4 u; 188 1130."""
_LAST_OF_BRACKET = re.compile(r"\([a-z][^()\n]{1,28}, $")
"""Behind the analyser and what else stands in a bracket: (GEM 5000, 0820)."""
_VITALS_BEHIND = re.compile(r" (?:9[4-9]|10[0-4]|3[5-9]|4[01])\.[0-9] [0-9]{2,3} [0-9]{1,2} ")
_GAP_BEFORE = re.compile(
    r"\[(?:inaudible|unintelligible|indiscernible|crosstalk|unclear|garbled|pause|noise|blank)[ ,]{1,2}(?:at |@ ?)?$"
)
"""In front of where a recording could not be heard: [inaudible 0:48]."""
_WORD_BEHIND = re.compile(r" [A-Za-z]")


def read_time(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read one time of day in any of its three forms."""
    limit = end + 14
    start = _first_figure(text, start, end)
    is_tail = text[start - 1 : start] in {".", ":"} and text[start - 2 : start - 1].isdigit() and start > 1
    if clock := _CLOCK.match(text, start, limit):
        if not is_tail and _is_clock(text, clock):
            yield Candidate(start, clock.end(), Entity.TIME)
    elif (hour := _HOUR.match(text, start, limit)) and not is_tail:
        if "clock" not in hour.group().lower() or _is_hour_of_day(text, hour):
            yield Candidate(start, hour.end(), Entity.TIME)
    else:
        yield from _military(text, start, limit)


def _first_figure(text: str, start: int, end: int) -> int:
    """Return where the time begins in a match that may begin with a word or with the last figure of a date."""
    is_third_figure = text[start : start + 3].isdigit() and text[start + 3 : start + 4] == ":"
    if text[start].isdigit() and not is_third_figure:
        return start
    start = next((i for i in range(start, end) if text[i].isdigit()), end)
    if ":" in text[start:end] and text[start : start + 3].isdigit() and text[start + 3 : start + 4] == ":":
        return start + 1
    return start


def _is_clock(text: str, clock: re.Match[str]) -> bool:
    """Whether hours and minutes are a time: not a titre, a position on a clock's face or a duration."""
    ahead = text_before(text, clock.start())
    if _GAP_BEFORE.search(ahead) and text[clock.end() : clock.end() + 1] == "]":
        return False
    has_half = text[clock.end() - 1].lower() not in "0123456789"
    if not has_half and (_TITRE_BEFORE.search(ahead) or _UNIT.match(text_after(text, clock.end()))):
        return False
    is_position = not has_half and clock[2] in {"00", "30"} and 1 <= int(clock[1]) <= 12
    if is_position and _ON_A_DIAL.search(ahead):
        return False
    if clock.group()[-1] in "hHsS" and len(clock[1]) == 1 and not _ANNOUNCED_HOUR.search(ahead):
        return False  # 4:00 h of dialysis
    return text[clock.end() : clock.end() + 1] != "%"


def _is_hour_of_day(text: str, hour: re.Match[str]) -> bool:
    """Whether 3 o'clock is a time and not a position."""
    if _HOUR_BEFORE.search(text_before(text, hour.start())):
        return True
    return _HOUR_AFTER.match(text_after(text, hour.end())) is not None


def _military(text: str, start: int, limit: int) -> Iterator[Candidate]:
    """Read four figures without a colon, and the list of times that they begin."""
    for match in _MILITARY.finditer(text, start, limit):
        if text[match.start() - 1 : match.start()].isdigit() or not _is_military(text, match):
            continue
        stop = match.end()
        if _UNIT.match(text_after(text, stop)):
            continue
        yield Candidate(match.start(), stop, Entity.TIME, Strength.LABELLED)
        while (more := _NEXT_OF_LIST.match(text, stop, stop + 12)) and not _UNIT.match(text_after(text, more.end())):
            stop = more.end()
            yield Candidate(stop - 4, stop, Entity.TIME)
        return


def _is_military(text: str, match: re.Match[str]) -> bool:
    """Whether four figures are a time: by the word or the date in front, or because a line begins with them."""
    ahead, value = text_before(text, match.start()), match.group()
    if not value.isdigit() or _ANNOUNCED_FIGURES.search(ahead) or _DATE_BEFORE.search(ahead):
        return True
    if _TIMED_BEFORE.search(ahead) or _VITALS_BEHIND.match(text, match.end()):
        return True
    if _PRESSURE_BEFORE.search(ahead):
        return text[match.end() : match.end() + 1] == ")"
    if _LINE_START.search(ahead) and _opens_a_row(text, match.start(), match.end()):
        return True
    if value[0] == "0" and text[match.end() : match.end() + 1] == ")" and _LAST_OF_BRACKET.search(ahead):
        return True
    return value[0] == "0" and bool(_WORD_BEFORE.search(ahead)) and not _NO_TIME_BEFORE.search(ahead)


def _opens_a_row(text: str, start: int, end: int) -> bool:
    """Whether figures at the beginning of a line are a time: words follow, or the lines around begin with times too."""
    if text[start] == "0" or _WORD_BEHIND.match(text[end : end + 2]):
        return True
    value = int(text[start : start + 4])
    for row in _LINE_OF_TIME.finditer(text, max(0, text.rfind("\n", 0, start) - 160), end + 240):
        other = int(row[1])
        if row.start(1) != start and not (1900 <= value <= 2035 and 1900 <= other <= 2035):
            return True
    return False


STAMP_TRIGGER = (
    r"\b(?:19|20)[0-9]{2}(?:-[0-9]{2}-[0-9]{2}|[0-9]{4})[Tt]"  # 2021-03-14T
    r"(?:[01][0-9]|2[0-4])(?::?[0-5][0-9]){1,2}"  # 08:35:00
    r"(?:[.,][0-9]{1,9})?(?:[Zz]\b|[+\-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?\b|\b)"  # .123+05:30
)


def read_stamp(_text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a date and a time of day as computers write them (ISO 8601), with fraction and zone, as one date."""
    yield Candidate(start, end, Entity.DATE, Strength.LABELLED)


HALF_OF_DAY_TRIGGER = r"\b(?:0?[1-9]|1[0-2])(?::[0-5][0-9])?[ap](?:-(?:0?[1-9]|1[0-2])(?::[0-5][0-9])?[ap])?\b"
_HALF_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:at|@|by|until|till?|around|tomorrow|today|tonight|tmrw|tmw|am|pm"
    r"|(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)(?:[a-z]{0,5}day)?"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.? [0-9]{1,2})[.,]?\s$"
    r"|[0-9]{1,2}[/\-][0-9]{1,2}(?:[/\-][0-9]{2,4})?,? $"
)
_NO_HALF_BEFORE = re.compile(
    r"(?:stage|grade|grades|gr|type|class|level|group|figure|fig|pt|ct|item|category|cat|zone|p?t)\W{0,2}$"
)


def read_half_of_day(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read hours with one letter for their half of the day: thurs 7a, 8/22 9a, 7p-6a."""
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


SPOKEN_HOUR_TRIGGER = (
    r"\b(?:[Aa]t|[Uu]ntil|[Tt]ill|[Bb]efore|[Aa]fter|[Ss]ince|[Aa]round|[Aa]bout|[Bb]y|[Ff]rom)"
    r" (?:[1-9]|1[0-2])(?: or (?:[1-9]|1[0-2]))?"
    r" (?:(?:this|tomorrow|yesterday|in the) (?:morning|afternoon|evening)|tonight|last night|at night)\b"
)
_HOURS = re.compile(r"[0-9]{1,2}")


def read_spoken_hour(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read an hour in words of speech: at 7 this morning, until 8 or 9 at night."""
    for match in _HOURS.finditer(text, start, end):
        yield Candidate(*match.span(), Entity.TIME)


HOUR_WITH_H_TRIGGER = r"\b(?:[01]?[0-9]|2[0-3])(?:h| h )[0-5][0-9]\b"
_LASTS_BEFORE = re.compile(r"(?:^|[^a-z])(?:over|for|x|q|every|after|lasting|lasted|within|in|than|[<>~])\s?$")
_H_UNIT = re.compile(r"\s?(?:m\b|mn\b|min|mg|ml|mcg|cc|units?|%|/|[.,][0-9])")
_H_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:at|@|a|vers|time:?)\s$|[0-9]{1,4}[/.\-][0-9]{1,2}(?:[/.\-][0-9]{2,4})?,? $|[a-z] [0-9]{1,2} $"
)


def read_hour_with_h(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read hours and minutes with an h: 13h30, 2024-01-22 16 h 45; not 1h30 of surgery."""
    ahead = text_before(text, start)
    if (
        text[start - 1 : start] in {".", "/", "-", ":"}
        or _H_UNIT.match(text_after(text, end))
        or _LASTS_BEFORE.search(ahead)
    ):
        return
    is_announced = _H_BEFORE.search(ahead) is not None
    if is_announced or (text[start + 2 : start + 3] == "h" and " " not in text[start:end]):
        yield Candidate(start, end, Entity.TIME)


AWAKE_TRIGGER = r"\b(?:[Uu]p|[Aa]wake) since [1-9]\b"
_AWAKE_BEHIND = re.compile(r"[/:.\-][0-9]|\s?(?:d\b|days?|wks?|weeks?|mos?|months?|y|am|pm|[ap]\b)")


def read_awake(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the hour at which somebody woke: up since 4."""
    if not _AWAKE_BEHIND.match(text_after(text, end)):
        yield Candidate(text.rindex(" ", start, end) + 1, end, Entity.TIME)
