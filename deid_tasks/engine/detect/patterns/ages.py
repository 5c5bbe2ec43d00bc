"""Ages of every size: 92-year-old, 45 y.o., 61yo, age 7, 3 month old, in his 60s, seventy-two years old. The span is the number."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    is_frequent_surname,
    is_given_name,
    is_plain_name,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_after, text_before

_TENS = r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_ONES = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_TEENS = r"(?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
_WORDS = rf"(?:(?:one )?hundred(?: and)?(?: {_ONES})?|{_TENS}(?:[- ]{_ONES})?|{_TEENS}|{_ONES})"
_NUMBER = r"[0-9]{1,3}(?: 1/2|\.[0-9]|(?: ?- ?| to | or |/)[0-9]{1,3})?"

_OLD = (
    rf"(?i)(?:\b(?:{_WORDS})|[0-9]{{1,3}}(?: 1/2|\.[0-9]|\+)?)(?:[ -]{{0,2}}(?:and a half|1/2))?[ -]{{0,3}}"
    r"(?:(?:years?|yrs?|y|months?|mos?|m|weeks?|wks?|wk|w|days?|d|hours?|hrs?)[ .-]{0,3}(?:olds?|of age|o\b)|y[ ./-]{0,2}o\b|yo[mfwb]?\b|year[ -]ol?d?\b"
    r"|(?:year|yr|y)s?[ -]{1,2}(?:male|female|man|woman|boy|girl|gentleman|lady|m|f|infant)\b|y/o|yr?s?old|-?y-?o-?|m\.?o\.|mo?s? [MF]\b|mos? (?:male|female|boy|girl|infant)\b)"
)
_VALUE = re.compile(rf"(?:{_WORDS}|[0-9]{{1,3}}(?: 1/2|\.[0-9])?)", re.IGNORECASE)


_ONLY_MONTHS = re.compile(r"[ -]{0,3}mo", re.IGNORECASE)
_MONTHS_BEFORE = re.compile(
    r"^\s*$|(?:^|[^a-z])(?:an?|at|is|was|age|aged|now|infant|baby|boy|girl|son|daughter|child|sibling|toddler)[\s:,(]{1,2}$|[0-9]/[0-9]{2,4}[\s,(]{1,6}$"
)
_MONTHS_AFTER = re.compile(
    r"\.?\s(?:f/?u|follow|hx|history|ago|supply|trial|course|recheck|visit|post|check|later|appt|interval|of\b|c/|duration|prior|before|after)"
)
"""Around "3 mo", which is an age or a span of time."""


def read_old(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A number with its unit and "old"."""
    match = _VALUE.match(text, start, end)
    if match is None or text[start - 1 : start].isdigit() or text[start - 1 : start].isalpha():
        return
    value = match.group()
    if text[end - 2 : end].lower() == "yo" and text[end : end + 1] in {"u", "U"}:
        return
    if value[0].isdigit() and not 0 <= float(value.split()[0]) <= 125:
        return
    if re.match(r"[\s-]{0,3}(?:(?:d|w|m)[\s.-]{0,3}of|(?:d|w)[\s-]{0,3}o)\b(?! age)", text[match.end() : end].lower()):
        return
    if _ONLY_MONTHS.fullmatch(text, match.end(), end) and not (
        (
            _MONTHS_BEFORE.search(text_before(text, start))
            or (text[match.end()] == "m" and text[start - 2 : start] == ", ")
        )
        and not _MONTHS_AFTER.match(text_after(text, end))
    ):
        return  # a span of time
    ahead = re.search(r"(?<![0-9.])([0-9]{1,3})(?:\s?-\s?| to | or | and )$", text[max(0, start - 10) : start])
    yield Candidate(start, match.end(), Entity.AGE)
    if ahead:
        yield Candidate(start - len(ahead.group()), start - len(ahead.group()) + len(ahead.group(1)), Entity.AGE)


_AGED = rf"(?i)\b(?:ages?|aged|age \(?(?:yrs?|years?)\)?|age/sex|age / sex|turned|turning)(?: is| was| of| at)?(?: about| around| approximately)?[ :=~]{{0,4}}(?:{_NUMBER}|{_WORDS})"
_AGED_VALUE = re.compile(rf"[0-9]{{1,3}}(?:\.[0-9])?(?=(?: 1/2)?(?:[^0-9.]|\.(?![0-9])|$))|{_WORDS}$", re.IGNORECASE)
_AGED_UNIT = re.compile(r"\s?(?:mg|ml|%|units|times|weeks of gest|weeks gest)")


def read_aged(text: str, start: int, end: int) -> Iterator[Candidate]:
    """age 7, aged forty, ages 7 and 9."""
    if (text[end : end + 1].isalnum() and text[end - 1].isalpha()) or _AGED_UNIT.match(text_after(text, end)):
        return
    more = re.compile(
        r"(?:(?:,| and|, and| or| &) [0-9]{1,2}(?![0-9/%:]|\.[0-9]| ?(?:mg|weeks ago|days|tabs)))*"
    ).match(text, end, end + 40)
    stop = more.end() if more else end
    for match in _AGED_VALUE.finditer(text, start, stop):
        if match.group()[0].isalpha() or float(match.group()) <= 125:
            yield Candidate(match.start(), match.end(), Entity.AGE, Strength.LABELLED)


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


def read_decade(text: str, start: int, end: int) -> Iterator[Candidate]:
    """in his 60s, late forties."""
    match = _DECADE_VALUE.search(text, start, end)
    if match is None:
        return
    ahead = text_before(text, match.start(), 45)
    if not re.search(r"(?:his|her|their|my)\W", text[start : match.start()].lower()) and _MEASURE.search(ahead):
        return
    if (
        match.group()[0].isdigit()
        and text[start : match.start()].lower().startswith("the")
        and not re.search(r"(?:in|their|mid|late|early)", ahead)
    ):
        return
    if _PERSON.search(ahead) and re.match(r"\s?(?:%|bpm|mmhg|on ra)", text_after(text, end)) is None:
        yield Candidate(match.start(), end, Entity.AGE)


_SEXED = r"\b[0-9]{1,3} ?(?:[yY] ?)?/? ?[MF]\b|\b[1-9][0-9]/?[mf]\b|\b[0-9]/[mf]\b"
_SEXED_TAIL = re.compile(
    r",?\s{0,2}(?:with|w/|w\b|who|presents?|presenting|hx|h/o|s/p|p/w|c/o|admitted|pmh|here|for|in\b|is\b|was|status|smoker|pt|patient|transferred|found|brought|seen|known|former|underwent|on\b|and\b|,|\)|$)"
)
_SEXED_LEAD = re.compile(r"(?:^|[.:;(]\s?|(?:^|[^a-z])(?:a|an|is|this|pt|patient|sex|age|old|year)[\s:]{1,2})$")


_APART = re.compile(r"^\s*$| {2}$|[.:;,(] $")
"""What parts "83 F" from words that would make it a temperature."""
_NAME_LEAD = re.compile(
    r"(?:(?:^|[\s])[A-Z][A-Za-z'\-]{1,20}, [A-Z][A-Za-z'\-]{1,20}(?: [A-Z][A-Za-z'\-]{0,14}\.?)?|[0-9]{1,2}[/\-][0-9]{1,2}[/\-](?:[0-9]{2}){1,2}|\b[A-Z]{2,20}(?: [A-Z]\.?)? [A-Z'\-]{2,20})[ \t,]{1,6}$"
)
"""A name in the order of a register, a name in capitals, or a date of birth: what stands in front of an age and sex."""


def read_sexed(text: str, start: int, end: int) -> Iterator[Candidate]:
    """45F with chest pain; 45/M; Age/Sex 61 / F."""
    match = re.compile(r"[0-9]{1,3}").match(text, start, end)
    if match is None or int(match.group()) > 115 or text[start - 1 : start] in {".", "/", "-", ",", "#"}:
        return
    ahead, tail = text_before(text, start), text_after(text, end)
    if re.match(r"\s?(?:foley|catheter|french|sheath|trocar|tube|drain|dilator|scope|\d)", tail):
        return
    if re.search(
        r"(?:t|temp\w*|tmax|fever\w*|walk\w*|x|ambulat\w*|tube|foley|catheter|drain|sheath|stent|french|fr|scope|[<>=~])\W{0,3}$",
        ahead,
    ):
        return
    is_low = text[end - 1].islower()
    slashed = text[end - 2] == "/" and 0 < end - start <= 5
    is_close = end - start <= 3 or (end - start == 4 and _APART.search(ahead))
    glued = is_close and text[end - 1] in "MF" and 25 <= int(match.group()) < 95
    told = bool(_SEXED_LEAD.search(ahead) and _SEXED_TAIL.match(tail))
    named = bool(_NAME_LEAD.search(text[max(0, start - 40) : start]))
    if is_low:
        # 17m may be metres, months or minutes; 17f is nothing else.
        told = text[end - 1] == "f" or (
            re.match(r" [a-z]{3}|[,;]", tail) is not None and (named or int(match.group()) > 19)
        )
    if slashed or glued or told or named:
        yield Candidate(start, match.end(), Entity.AGE)


_DIED = (
    r"(?i)\b(?:died|deceased|passed away|passed|diagnosed|dx'?d?|onset|mi|ca|menopause|menarche|smoking|surgery|expired|started|quit|seizure|stroke|delivered|born|since|d\."
    r"|living|alive|married|divorced|widowed|retired|graduated|left (?:school|home)|dropped out|suicide|attack|cancer|dementia|diabetes|disease|chf|cva|cabg|failure|aneurysm|lymphoma|leukemia|melanoma|hysterectomy|accident|overdose|fracture)"
    r"\W{0,2}(?:of [a-z ]{2,24} )?(?:at|@) (?:about |around |approximately |age )?[0-9]{1,3}\b"
    r"|\b(?:mother|father|mom|dad|brother|sister|m|f|mgm|mgf|pgm|pgf|uncle|aunt|son|daughter|parents?)(?:[:,]| is| was)? (?:(?:died|dec(?:eased)?|d\.?|dead|alive|living|a&w)(?:[:,]| at| @)? )?[0-9]{1,3}\b"
)
_DIED_TAIL = re.compile(
    r"\s*(?:[.,;)]|$|from|of|due|with|and|secondary|years? old|y|/|alive|living|healthy|well|a&w|died|w/|dm|htn|chf|cad|mi|cva|ca|copd|stroke|lung|breast|colon|prostate|heart|alz)"
)


def read_died(text: str, start: int, end: int) -> Iterator[Candidate]:
    """died at 87; living at 74; Mother died 84; F: dec 65 lung ca."""
    match = re.compile(r"[0-9]{1,3}$").search(text, start, end)
    if re.match(r"[mf]\W", text[start : start + 2].lower()) and not (
        text[start + 1] == ":"
        and re.search(r"(?i)(?:family|fh|fhx|history|fam)\W|\bm: ", text[max(0, start - 60) : start])
    ):
        return
    if (
        match
        and 0 < int(match.group()) <= 115
        and _DIED_TAIL.match(text_after(text, end))
        and not re.match(r"[.:]\d|\s?(?:weeks|wks|mg|am|pm|%|hours)", text_after(text, end))
    ):
        yield Candidate(match.start(), end, Entity.AGE)


_PRESENT = (
    r"(?i)\b(?:he|she|pt|patient|(?:mr|mrs|ms|miss)\.? [a-z'\-]{2,24}) (?:is|was|just turned) (?:now )?[0-9]{1,3}\b"
)
_PRESENT_TAIL = re.compile(r"(?: now\b| and (?:has|had|lives|works|was|is|in|an?)\b|\.(?:\s|$)|,|$)")


def read_present(text: str, start: int, end: int) -> Iterator[Candidate]:
    """He is 52 now and has a sister."""
    match = re.compile(r"[0-9]{1,3}$").search(text, start, end)
    if match and 0 < int(match.group()) <= 115 and _PRESENT_TAIL.match(text_after(text, end)):
        yield Candidate(match.start(), end, Entity.AGE)


_NAMED = (
    r"(?:\b(?:Mr|Mrs|Ms|Miss|MR|MRS|MS|Pt|PT|Mx)\.? )?\b[A-Z][A-Za-z'\-]{1,24}(?:, \(?| {1,6}\()[0-9]{1,3}\b"
    r"|(?i)\b(?:sister|brother|mother|father|son|daughter|husband|wife|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|grandson|granddaughter|partner|spouse|twin|half-sister|half-brother|decedent)s?(?: [a-z]{2,15})?, [0-9]{1,3}\b"
)
_NAMED_TAIL = re.compile(r"(?:, ?(?![0-9])|\)(?! ?(?:mg|ml))|\.(?:\s|$)|;|$| years?,| yrs?,)")


def read_named(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Ms. Okafor, 59, was …; Maria Okafor (64); sister, 49, healthy."""
    match = re.compile(r"[0-9]{1,3}$").search(text, start, end)
    if match is None or int(match.group()) > 115 or not _NAMED_TAIL.match(text, end, end + 12):
        return
    lead = text[start : match.start()]
    if "(" in lead and text[end : end + 1] != ")":
        return
    words = re.findall(r"[A-Za-z'\-]+", lead)
    if not words[0][0].isupper():
        yield Candidate(match.start(), end, Entity.AGE)
        return
    titled = words[0].lower() in {"mr", "mrs", "ms", "miss", "mx", "pt"} and len(words) > 1
    line = text[max(0, start - 40) : start]
    earlier = re.search(r"(?:^|[\s(:])([A-Z][A-Za-z'\-]{0,24}\.?,?) $", line)
    paired = earlier is not None and not earlier.group(1).isupper() and is_name_of_person(earlier.group(1).rstrip(".,"))
    if re.match(r"[,;] ?(?:in|on|at) |, (?:[12][0-9]{3}|Inc|LLC)", text[end : end + 7]):
        return
    is_name = is_name_of_person(words[-1]) or (
        paired and may_be_name(words[-1]) and words[-1].lower() not in medical_term_words()
    )
    if titled or (is_name and (paired or (not words[-1].isupper() and is_plain_name(words[-1])))):
        yield Candidate(match.start(), end, Entity.AGE, Strength.WEAK)


def is_name_of_person(word: str) -> bool:
    """Whether a capitalised word is a name, alone or as one that many bear."""
    return is_plain_name(word) or is_frequent_surname(word) or (len(word) == 1 and word.isupper())


_BORN = r"(?i)\b(?:dob|d\.o\.b\.?|born|birth ?date|date of birth):? {0,3}(?:[0-9]{1,2}[/.\-][0-9]{1,2}[/.\-][0-9]{2,4}|[0-9]{1,2}[ \-]?[a-z]{3,9}[ \-]?[0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2}),? {0,6}(?:\([0-9]{1,3} ?(?:y|yrs?|yo|y/o|years?|mos?|months?)?\)|[0-9]{1,3} ?(?:y|yrs?|yo|y/o|years?|mos?|months?)\b)"
_BORN_VALUE = re.compile(r"([0-9]{1,3}) ?[A-Za-z/]{0,6}\)?$")


def read_born(text: str, start: int, end: int) -> Iterator[Candidate]:
    """DOB 01/07/1960 (63); DOB 3/9/17  7 yrs."""
    match = _BORN_VALUE.search(text, start, end)
    if re.match(r"\s(?:early|premature|preterm|before|late|ago)", text_after(text, end)):
        return
    if match and int(match[1]) <= 115 and text[match.start() - 1] in " (":
        yield Candidate(*match.span(1), Entity.AGE, Strength.LABELLED)


_IN_HEADER = r"(?im)^[ \t]{0,4}[a-z][a-z'\-]{1,20}, ?[a-z][a-z'\-]{1,20}(?: [a-z]\.?)? {2,8}[0-9]{1,3} {2,8}(?:[0-9]{1,2}[/\-][0-9]{1,2}[/\-]|mrn|dob|acct|rm |room |[mf] )"


_IN_HEADER_PARTS = re.compile(
    r"(?P<name>[A-Za-z'\-]{2,21}, ?(?P<first>[A-Za-z'\-]{2,21})(?: [A-Za-z]\.?)?) {2,8}(?P<age>[0-9]{1,3}) "
)


def read_in_header(text: str, start: int, end: int) -> Iterator[Candidate]:
    """okafor, maria   34   10/3/22: a number between a name in the order of a register and the next field."""
    match = _IN_HEADER_PARTS.search(text, start, end)
    if match and int(match["age"]) <= 115 and is_given_name(match["first"]):
        yield Candidate(*match.span("name"), Entity.PATIENT)
        yield Candidate(*match.span("age"), Entity.AGE)


_VISIT = r"(?i)\b[0-9]{1,2}[ \-](?:months?|mo|years?|yr)s?[ \-](?:old )?(?:well|wcc|wcv|infant|toddler|shots|vaccines|immunizations)\b|\bwell[ -]?child[^\n]{0,24}?[ \-][0-9]{1,2} (?:year|yr|month|mo)|\b[0-9]{1,3} ?(?:years?|yrs?|yr|y)(?:,|/| ) ?[MF]\b|\b[0-9]{1,2} (?:yr|mo) {3,}"


def read_visit(text: str, start: int, end: int) -> Iterator[Candidate]:
    """WELL CHILD VISIT - 5 YEAR; 50 years, F."""
    match = re.search(r"[0-9]{1,3}(?=[ \-]?(?:y|m))", text[start:end], re.IGNORECASE)
    if match and int(match.group()) <= 115:
        yield Candidate(start + match.start(), start + match.end(), Entity.AGE)


_CHILDREN = (
    r"(?i)\b(?:children|kids|sons|daughters|siblings|brothers|sisters|grandchildren|boys|girls)[ ,:(]{1,3}(?:ages? |aged )?"
    r"[0-9]{1,2}(?:(?:, ?and|,| and| &|/) ?[0-9]{1,2}){1,5}\b"
)


def read_children(text: str, start: int, end: int) -> Iterator[Candidate]:
    """three children, 12, 14 and 17."""
    if re.match(r"\s?(?:weeks|months|years ago|/|%|\.[0-9])", text_after(text, end)):
        return
    for match in re.finditer(r"[0-9]{1,2}", text[start:end]):
        yield Candidate(start + match.start(), start + match.end(), Entity.AGE)


RULES = (
    Rule("age behind a birth date", _BORN, read_born),
    Rule("age in a header", _IN_HEADER, read_in_header),
    Rule("ages of children", _CHILDREN, read_children),
    Rule("old", _OLD, read_old),
    Rule("age at present", _PRESENT, read_present),
    Rule("aged", _AGED, read_aged),
    Rule("decade", _DECADE, read_decade),
    Rule("age and sex", _SEXED, read_sexed),
    Rule("age at an event", _DIED, read_died),
    Rule("age behind a name", _NAMED, read_named),
    Rule("age of a visit", _VISIT, read_visit),
)
