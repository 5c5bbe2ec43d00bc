"""Ages of every size: 92-year-old, 45 y.o., 61yo, age 7, 3 month old, in his 60s, seventy-two years old. The span is the number."""

import re
from collections.abc import Iterator

from deid_tasks.detect.patterns.rule import Found, Rule, Strength, after, before
from deid_tasks.entities import Entity

_TENS = r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_ONES = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_TEENS = r"(?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
_WORDS = rf"(?:(?:one )?hundred(?: and)?(?: {_ONES})?|{_TENS}(?:[- ]{_ONES})?|{_TEENS}|{_ONES})"
_NUMBER = r"[0-9]{1,3}(?: 1/2|\.[0-9]|(?: ?- ?| to | or |/)[0-9]{1,3})?"

_OLD = (
    rf"(?i)(?:\b(?:{_WORDS})|[0-9]{{1,3}}(?: 1/2|\.[0-9])?)(?:[ -]{{0,2}}(?:and a half|1/2))?[ -]{{0,3}}"
    r"(?:(?:years?|yrs?|y|months?|mos?|m|weeks?|wks?|wk|w|days?|d)[ .-]{0,3}(?:olds?|of age|o\b)|y[ ./-]{0,2}o\b|yo[mfwb]?\b|year[ -]ol?d?\b"
    r"|(?:year|yr|y)s?[ -]{1,2}(?:male|female|man|woman|boy|girl|gentleman|lady|m|f|infant)\b|y/o|yr?s?old|-?y-?o-?)"
)
_VALUE = re.compile(rf"(?:{_WORDS}|[0-9]{{1,3}}(?: 1/2|\.[0-9])?)", re.IGNORECASE)


def read_old(text: str, start: int, end: int) -> Iterator[Found]:
    """A number with its unit and "old"."""
    match = _VALUE.match(text, start, end)
    if match is None or text[start - 1 : start].isdigit() or text[start - 1 : start].isalpha():
        return
    value = match.group()
    if value[0].isdigit() and not 0 <= float(value.split()[0]) <= 125:
        return
    if re.match(r"[\s-]{0,3}(?:d|w|m)[\s.-]{0,3}(?:of|o\b)", text[match.end() : end].lower()):
        return
    ahead = re.search(r"(?<![0-9.])([0-9]{1,3})(?:\s?-\s?| to | or | and )$", text[max(0, start - 10) : start])
    yield Found(start, match.end(), Entity.AGE)
    if ahead:
        yield Found(start - len(ahead.group()), start - len(ahead.group()) + len(ahead.group(1)), Entity.AGE)


_AGED = rf"(?i)\b(?:ages?|aged|age \(?(?:yrs?|years?)\)?|age/sex|age / sex|turned|turning)(?: is| was| of| at)?(?: about| around| approximately)?[ :=~]{{0,4}}(?:{_NUMBER}|{_WORDS})"
_AGED_VALUE = re.compile(rf"[0-9]{{1,3}}(?:\.[0-9])?(?=(?: 1/2)?(?:[^0-9.]|\.(?![0-9])|$))|{_WORDS}$", re.IGNORECASE)
_AGED_UNIT = re.compile(r"\s?(?:mg|ml|%|units|times|weeks of gest|weeks gest)")


def read_aged(text: str, start: int, end: int) -> Iterator[Found]:
    """age 7, aged forty, ages 7 and 9."""
    if (text[end : end + 1].isalnum() and text[end - 1].isalpha()) or _AGED_UNIT.match(after(text, end)):
        return
    more = re.compile(
        r"(?:(?:,| and|, and| or| &) [0-9]{1,2}(?![0-9/%:]|\.[0-9]| ?(?:mg|weeks ago|days|tabs)))*"
    ).match(text, end, end + 40)
    stop = more.end() if more else end
    for match in _AGED_VALUE.finditer(text, start, stop):
        if match.group()[0].isalpha() or float(match.group()) <= 125:
            yield Found(match.start(), match.end(), Entity.AGE, Strength.LABELLED)


_DECADE = (
    r"(?i)\b(?:his|her|their|the|my|in|late|early|mid|middle)[ -](?:(?:early|late|mid|middle|upper|lower)[ -]{0,2}(?:to[ -]late[ -])?)?"
    r"(?:[1-9]0'?s|teens|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)\b"
)
_DECADE_VALUE = re.compile(
    r"(?:[1-9]0'?s|teens|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)$", re.IGNORECASE
)
_PERSON = re.compile(
    r"(?:^|[^a-z])(?:his|her|their|my|the|in|at|s)[\s\-](?:(?:early|late|mid|middle|upper|lower)[\s\-]{0,2})?$"
)
_MEASURE = re.compile(
    r"(?:sats?|saturation|bp|pressures?|hr|rate|o2|spo2|systolics?|diastolics?|glucose|sugars?|bg|map|temp\w*|fio2|%|bs|degrees|ran|runs?|running|values)\b"
)


def read_decade(text: str, start: int, end: int) -> Iterator[Found]:
    """in his 60s, late forties."""
    match = _DECADE_VALUE.search(text, start, end)
    if match is None:
        return
    ahead = before(text, match.start(), 45)
    if not re.search(r"(?:his|her|their|my)\W", text[start : match.start()].lower()) and _MEASURE.search(ahead):
        return
    if (
        match.group()[0].isdigit()
        and text[start : match.start()].lower().startswith("the")
        and not re.search(r"(?:in|their|mid|late|early)", ahead)
    ):
        return
    if _PERSON.search(ahead) and re.match(r"\s?(?:%|bpm|mmhg|on ra)", after(text, end)) is None:
        yield Found(match.start(), end, Entity.AGE)


_SEXED = r"\b[0-9]{1,3} ?(?:[yY] ?)?/? ?[MF]\b|\b[2-9][0-9][mf] [a-z]"
_SEXED_TAIL = re.compile(
    r",?\s{0,2}(?:with|w/|w\b|who|presents?|presenting|hx|h/o|s/p|p/w|c/o|admitted|pmh|here|for|in\b|is\b|was|status|smoker|pt|patient|transferred|found|brought|seen|known|former|underwent|on\b|and\b|,|\)|$)"
)
_SEXED_LEAD = re.compile(r"(?:^|[.:;(]\s?|(?:^|[^a-z])(?:a|an|is|this|pt|patient|sex|age|old|year)[\s:]{1,2})$")


def read_sexed(text: str, start: int, end: int) -> Iterator[Found]:
    """45F with chest pain; 45/M; Age/Sex 61 / F."""
    match = re.compile(r"[0-9]{1,3}").match(text, start, end)
    if match is None or int(match.group()) > 115 or text[start - 1 : start] in {".", "/", "-", ",", "#"}:
        return
    ahead, tail = before(text, start), after(text, end)
    if re.match(r"\s?(?:foley|catheter|french|sheath|trocar|tube|drain|dilator|scope|\d)", tail):
        return
    glued = (
        end - start <= 4
        and text[end - 1] in "MF"
        and 25 <= int(match.group()) < 95
        and not re.search(r"(?:t|temp\w*|tmax|fever\w*)\W{0,3}$", ahead)
    )
    if text[end - 1].islower() or glued or (_SEXED_LEAD.search(ahead) and _SEXED_TAIL.match(tail)):
        yield Found(start, match.end(), Entity.AGE)


_DIED = r"(?i)\b(?:died|deceased|passed away|passed|diagnosed|dx'?d?|onset|mi|ca|menopause|menarche|smoking|surgery|expired|started|quit|seizure|stroke|delivered|born|since|d\.)\W{0,2}(?:of [a-z ]{2,24} )?(?:at|@) (?:about |around |approximately |age )?[0-9]{1,3}\b"
_DIED_TAIL = re.compile(r"\s*(?:[.,;)]|$|from|of|due|with|and|secondary|years? old|y)")


def read_died(text: str, start: int, end: int) -> Iterator[Found]:
    """died at 87."""
    match = re.compile(r"[0-9]{1,3}$").search(text, start, end)
    if (
        match
        and 0 < int(match.group()) <= 115
        and _DIED_TAIL.match(after(text, end))
        and not re.match(r"[.:]\d|\s?(?:weeks|wks|mg|am|pm|%|hours)", after(text, end))
    ):
        yield Found(match.start(), end, Entity.AGE)


_PRESENT = r"(?i)\b(?:he|she|pt|patient) (?:is|was|just turned) (?:now )?[0-9]{1,3}\b"
_PRESENT_TAIL = re.compile(r"(?: now\b| and (?:has|lives|works|was|is)\b|\.(?:\s|$)|,|$)")


def read_present(text: str, start: int, end: int) -> Iterator[Found]:
    """He is 52 now and has a sister."""
    match = re.compile(r"[0-9]{1,3}$").search(text, start, end)
    if match and 0 < int(match.group()) <= 115 and _PRESENT_TAIL.match(after(text, end)):
        yield Found(match.start(), end, Entity.AGE)


RULES = (
    Rule("old", _OLD, read_old),
    Rule("age at present", _PRESENT, read_present),
    Rule("aged", _AGED, read_aged),
    Rule("decade", _DECADE, read_decade),
    Rule("age and sex", _SEXED, read_sexed),
    Rule("age at an event", _DIED, read_died),
)
