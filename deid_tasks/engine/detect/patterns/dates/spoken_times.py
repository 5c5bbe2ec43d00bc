"""Times of day in words, half past nine and seventeen oh-two; and the hours of a schedule: 8a/2p/8p."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, text_after, text_before

_HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|midnight|noon|1[0-2]|[1-9])"
CLOCK_IN_WORDS_TRIGGER = (
    rf"(?i)\b(?:half[ \-]past {_HOUR}|(?:a )?quarter (?:past|after|to|till?|'til|until|before|of) {_HOUR}"
    r"|(?:five|ten|twenty|twenty[ \-]five) (?:minutes (?:past|after|to|till?|'til|until|before)|past|till?|'til)"
    rf" {_HOUR}"
    rf"|(?:curfew|bedtime|lights[ \-]out)\b[^.;,\n]{{0,24}} (?:is|at|by) {_HOUR})\b"
)
_RULE_OF_HOUSE = re.compile(r"curfew|bedtime|lights", re.IGNORECASE)
_LAST_WORD = re.compile(rf"{_HOUR}$", re.IGNORECASE)
_AMOUNT_BEHIND = re.compile(
    r"[ \-](?:tab|pill|cup|dose|half|halves|third|quarter|mg|m?c?g\b|ml|units?|inch|cm|mm|lb|hours?|minutes?|days?)"
    r"|[./][0-9]|%"
)


def read_clock_in_words(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read half past nine, quarter til 9, and the hour of a curfew; not a quarter of one tablet."""
    if _AMOUNT_BEHIND.match(text_after(text, end)):
        return
    hour = _LAST_WORD.search(text, start, end) if _RULE_OF_HOUSE.match(text, start) else None
    yield Candidate(hour.start() if hour else start, end, Entity.TIME)


_TEENS = r"(?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
_UNITS = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_HOURS_OF_DAY = rf"(?:(?:oh|zero)[ \-]{_UNITS}|{_TEENS}|twenty(?:[ \-](?:one|two|three))?)"
_MINUTES = rf"(?:oh[ \-]{_UNITS}|{_TEENS}|(?:twenty|thirty|forty|fifty)(?:[ \-]{_UNITS})?)"
MILITARY_IN_WORDS_TRIGGER = (
    rf"(?i)\b{_HOURS_OF_DAY}[ \-]hundred(?: hours| hrs)\b"  # oh six hundred hours
    rf"|\b(?:at|since|until|till?|by|around|before|after|tod|time|time:|called|pronounced|expired)"
    rf" (?:of death:? )?{_HOURS_OF_DAY}[ \-](?:hundred|{_MINUTES})\b"  # ToD seventeen oh-two
)
_MILITARY = re.compile(
    rf"{_HOURS_OF_DAY}[ \-](?:hundred(?: hours| hrs)?|{_MINUTES})$",
    re.IGNORECASE,
)
_MORE_WORDS = re.compile(
    rf"[ \-](?:{_UNITS}|{_TEENS}|zero|oh|hundred|thousand|percent|minutes?|hours? (?:of|later|ago)|days?|weeks?|months?"
    r"|years?|mg|milligrams?|units?|ccs?|ml|feet|pounds|people|of)\b|%",
    re.IGNORECASE,
)


def read_military_in_words(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read ToD seventeen oh-two and at oh six hundred; not after twenty thirty-minute sessions."""
    match = _MILITARY.search(text, start, end)
    if match and not _MORE_WORDS.match(text, end, end + 16):
        yield Candidate(*match.span(), Entity.TIME)


_HALF = r"(?:1[0-2]|[1-9])(?::[0-5][0-9])?[ap]m?"
SCHEDULE_TRIGGER = rf"\b{_HALF}(?: ?[/,&] ?{_HALF}){{1,5}}\b"
_ONE_HOUR = re.compile(_HALF)
_STAGE_BEFORE = re.compile(
    r"(?:stage|grade|gr|type|class|level|figs?|figures?|group|zone|item|pt|ct|step|c|t|n)s?\W{0,2}$"
)


def read_schedule(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the hours of feeds and doses, 8a/2p/8p; not stages, which have one letter: 2a/2b, 3a/4a."""
    hours = list(_ONE_HOUR.finditer(text, start, end))
    halves = {hour.group().rstrip("m")[-1] for hour in hours}
    has_m = any(hour.group().endswith("m") for hour in hours)
    is_schedule = has_m or len(halves) > 1 or len(hours) > 2
    if (
        is_schedule
        and text[start - 1 : start] not in {".", "-", "/", ":"}
        and not _STAGE_BEFORE.search(text_before(text, start))
    ):
        for hour in hours:
            yield Candidate(*hour.span(), Entity.TIME)
