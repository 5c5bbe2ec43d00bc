"""Ages: 92-year-old, 45 y.o., 61yo, age 7, 3 month old, in his 60s, seventy-two years old. The span is the number."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation

OLDEST = 115
"""Ages beyond are numbers of another kind; where "years old" stands behind them, up to 125."""

_TENS = r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_ONES = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_TEENS = r"(?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
_WORDS = rf"(?:(?:one )?hundred(?: and)?(?: {_ONES})?|{_TENS}(?:[- ]{_ONES})?|{_TEENS}|{_ONES})"
_NUMBER = r"[0-9]{1,3}(?: 1/2|\.[0-9]|(?: ?- ?| to | or |/)[0-9]{1,3})?"
OLD_TRIGGER = (
    rf"(?i)(?:\b(?:{_WORDS})|[0-9]{{1,3}}(?: 1/2|\.[0-9]|\+)?)(?:[ -]{{0,2}}(?:and a half|1/2))?[ -]{{0,3}}"
    r"(?:(?:years?|yrs?|y|months?|mos?|m|weeks?|wks?|wk|w|days?|d|hours?|hrs?)[ .-]{0,3}(?:olds?|of age|o\b)"
    r"|y[ ./-]{0,2}o\b|yo[mfwb]?\b|year[ -]ol?d?\b"  # y.o., yo, yom, year-old
    r"|(?:year|yr|y)s?[ -]{1,2}(?:male|female|man|woman|boy|girl|gentleman|lady|m|f|infant)\b"  # 45 year male
    r"|y/o|yr?s?old|-?y-?o-?|m\.?o\.|(?:mo?s?|wks?) [MF]\b"  # y/o, yrold, m.o., mo M, wk M
    r"|mos? (?:male|female|boy|girl|infant)\b)"  # 3 mo boy
)
INFANT_TRIGGER = (
    r"(?i)(?:^|[-*(.;:] ?|\n)[ \t]{0,4}(?:infant|baby|newborn|toddler|sibling|brother|sister|son|daughter)"
    r"(?:,| is|:)? [0-9]{1,2} ?(?:mos?|months?|wks?|weeks?)\b"
)
_INFANT_VALUE = re.compile(r"[0-9]{1,2}(?= ?[A-Za-z]+$)")
_NO_AGE_BEHIND = re.compile(
    r"\.?\s(?:ago|early|premature|preterm|late|post\w*|prior|before|after|later|f/?u|visit|appt|pp\b|of\b|corrected)"
)

_VALUE = re.compile(rf"(?:{_WORDS}|[0-9]{{1,3}}(?: 1/2|\.[0-9])?)", re.IGNORECASE)
_DURATION = re.compile(r"[\s-]{0,3}(?:(?:d|w|m)[\s.-]{0,3}of|(?:d|w)[\s-]{0,3}o)\b(?! age)")
_ONLY_MONTHS = re.compile(r"[ -]{0,3}mo", re.IGNORECASE)
_SEX_BEHIND = re.compile(r" [MF](?![A-Za-z'/])")
_MONTHS_BEFORE = re.compile(
    r"^\s*$"
    r"|(?:^|[^a-z])(?:an?|at|is|was|age|aged|now|infant|baby|boy|girl|son|daughter|child|sibling|toddler)[\s:,(]{1,2}$"
    r"|[0-9]/[0-9]{2,4}[\s,(]{1,6}$"
)
_MONTHS_AFTER = re.compile(
    r"\.?\s(?:f/?u|follow|hx|history|ago|supply|trial|course|recheck|visit|post|check|later|appt|interval|of\b|c/|duration"
    r"|prior|before|after)"
)
"""What stands around "3 mo", which is an age or a span of time."""
_COURSE_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:dapt|plavix|clopidogrel|brilinta|ticagrelor|prasugrel|effient|eliquis|apixaban|xarelto|rivaroxaban"
    r"|warfarin|coumadin|anticoag\w*|a/?c|tamoxifen|herceptin|imatinib|prophylaxis|ppx|chemo)\s[^.\n]{0,24}\bat\s$"
)
"""A course in front of "at 12 mo", at which it ended."""
_OTHER_AGE_BEFORE = re.compile(r"(?<![0-9.])([0-9]{1,3})(?:\s?-\s?| to | or | and )$")


def read_age_with_unit(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a number with its unit: 92-year-old, 3 or 4 months old."""
    match = _VALUE.match(text, start, end)
    if match is None or text[start - 1 : start].isdigit() or text[start - 1 : start].isalpha():
        return
    value = match.group()
    if text[end - 2 : end].lower() == "yo" and text[end : end + 1] in {"u", "U"}:
        return
    if value[0].isdigit() and not 0 <= float(value.split()[0]) <= 125:
        return
    if _DURATION.match(text[match.end() : end].lower()) or _is_span_of_months(text, start, match.end(), end):
        return
    yield Candidate(start, match.end(), Entity.AGE)
    if ahead := _OTHER_AGE_BEFORE.search(text[max(0, start - 10) : start]):
        first = start - len(ahead.group())
        yield Candidate(first, first + len(ahead.group(1)), Entity.AGE)


def read_age_of_infant(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Infant 5 mos and sister, 7 months; not infant 3 weeks early."""
    match = _INFANT_VALUE.search(text, start, end)
    if match and not _NO_AGE_BEHIND.match(text_after(text, end)):
        yield Candidate(*match.span(), Entity.AGE)


def _is_span_of_months(text: str, start: int, unit: int, end: int) -> bool:
    """Whether "3 mo" is a span of time; behind a comma ("Ann, 3mo") and between words of a person it is an age."""
    if not _ONLY_MONTHS.fullmatch(text, unit, end) or _SEX_BEHIND.match(text, end):
        return False
    is_behind_comma = text[unit] == "m" and text[start - 2 : start] == ", "
    is_person = is_behind_comma or _MONTHS_BEFORE.search(text_before(text, start))
    if not is_person or _COURSE_BEFORE.search(text_before(text, start)):
        return True
    return _MONTHS_AFTER.match(text_after(text, end)) is not None


AGED_TRIGGER = (
    r"(?i)\b(?:ages?|aged|age \(?(?:yrs?|years?)\)?|age/sex|age / sex|turned|turning)(?: is| was| of| at)?"
    rf"(?: about| around| approximately)?[ :=~]{{0,4}}(?:{_NUMBER}|{_WORDS})"
)
_AGED_VALUE = re.compile(rf"[0-9]{{1,3}}(?:\.[0-9])?(?=(?: 1/2)?(?:[^0-9.]|\.(?![0-9])|$))|{_WORDS}$", re.IGNORECASE)
_AGED_UNIT = re.compile(r"\s?(?:mg|ml|%|units|times|weeks of gest|weeks gest)")
_FIGURES_AT_END = re.compile(r"[0-9]{1,3}(?:[/-][0-9]{1,3})?$")
_FULL_DATE = re.compile(r"[0-9]{1,2}([/-])[0-9]{1,2}\1(?:[0-9]{4}|[0-9]{2})(?![0-9])")
_MORE_AGES = re.compile(r"(?:(?:,| and|, and| or| &) [0-9]{1,2}(?![0-9/%:]|\.[0-9]| ?(?:mg|weeks ago|days|tabs)))*")


def read_labelled_age(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read ages behind a label: age 7, aged forty, ages 7 and 9."""
    if (text[end : end + 1].isalnum() and text[end - 1].isalpha()) or _AGED_UNIT.match(text_after(text, end)):
        return
    more = _MORE_AGES.match(text, end, end + 40)
    figures = _FIGURES_AT_END.search(text, start, end)
    if figures and _FULL_DATE.match(text, figures.start(), end + 8):
        return  # DOB/Age/Sex: 05/09/1955
    for match in _AGED_VALUE.finditer(text, start, more.end() if more else end):
        if match.group()[0].isalpha() or float(match.group()) <= 125:
            yield Candidate(match.start(), match.end(), Entity.AGE, Strength.LABELLED)


_DECADES = r"(?:[1-9]0'?s|teens|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)"
DECADE_TRIGGER = (
    r"(?i)\b(?:his|her|their|the|my|in|late|early|mid|middle)[ -]"
    rf"(?:(?:early|late|mid|middle|upper|lower)[ -]{{0,2}}(?:to[ -]late[ -])?)?{_DECADES}\b"
)
_DECADE_VALUE = re.compile(rf"{_DECADES}$", re.IGNORECASE)
_PERSON_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:his|her|their|my|the|in|at|s)[\s\-](?:(?:early|late|mid|middle|upper|lower)[\s\-]{0,2})?$"
)
_MEASURE_BEFORE = re.compile(rf"(?:{alternation('dates', 'measures_in_decades')})\b")
_PART_BEFORE = re.compile(r"(?:^|[.,;:] )(?:early|mid|late)[\s\-]$")
_PERSON_BEHIND = re.compile(r"\s(?:[mf]|yo|male|female|man|woman|lady|gentleman|pt)\b")
"""What stands around mid 60's male, which opens a sentence."""
_OWNER = re.compile(r"(?:his|her|their|my)\W")
_PART_OF_DECADE = re.compile(r"(?:in|their|mid|late|early)")
_DECADE_UNIT = re.compile(r"\s?(?:%|bpm|mmhg|on ra)")


def read_decade(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read in his 60s and late forties; not sats in the 90s."""
    match = _DECADE_VALUE.search(text, start, end)
    if match is None:
        return
    ahead, lead = text_before(text, match.start(), 45), text[start : match.start()].lower()
    if not _OWNER.search(lead) and _MEASURE_BEFORE.search(ahead):
        return
    if match.group()[0].isdigit() and lead.startswith("the") and not _PART_OF_DECADE.search(ahead):
        return
    is_person = _PART_BEFORE.search(ahead) and _PERSON_BEHIND.match(text_after(text, end))
    if (_PERSON_BEFORE.search(ahead) or is_person) and not _DECADE_UNIT.match(text_after(text, end)):
        yield Candidate(match.start(), end, Entity.AGE)


AGE_AND_SEX_TRIGGER = r"\b[0-9]{1,3} ?(?:[yY] ?)?/? ?[MF]\b|\b[1-9][0-9]/?[mf]\b|\b[0-9]/[mf]\b"
_SEX_TAIL = re.compile(rf",?\s{{0,2}}(?:{alternation('dates', 'words_after_age_and_sex')})")
_SEX_LEAD = re.compile(r"(?:^|[.:;(]\s?|(?:^|[^a-z])(?:a|an|is|this|pt|patient|sex|age|old|year)[\s:]{1,2})$")
_APART = re.compile(r"^\s*$| {2}$|[.:;,(] $")
"""What separates "83 F" from words that would make it a temperature."""
_NAME_OR_BIRTH_BEFORE = re.compile(
    r"(?:(?:^|[\s])[A-Z][A-Za-z'\-]{1,20}, [A-Z][A-Za-z'\-]{1,20}(?: [A-Z][A-Za-z'\-]{0,14}\.?)?"  # Okafor, Maria T
    r"|[0-9]{1,2}[/\-][0-9]{1,2}[/\-](?:[0-9]{2}){1,2}"  # a date of birth
    r"|\b[A-Z]{2,20}(?: [A-Z]\.?)? [A-Z'\-]{2,20})[ \t,]{1,6}$"  # MARIA OKAFOR
)
_INSTRUMENT_AFTER = re.compile(r"\s?(?:foley|catheter|french|sheath|trocar|tube|drain|dilator|scope|\d)")
_MEASURE_OR_INSTRUMENT_BEFORE = re.compile(
    r"(?:t|temp\w*|tmax|fever\w*|walk\w*|x|ambulat\w*|tube|foley|catheter|drain|sheath|stent|french|fr|scope|[<>=~])\W{0,3}$"
)
_LOWER_SEX_TAIL = re.compile(r" [a-z]{3}|[,;]")
_FIGURES = re.compile(r"[0-9]{1,3}")
_LAST_FIGURES = re.compile(r"[0-9]{1,3}$")


def read_age_and_sex(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read 45F with chest pain, 45/M and Age/Sex 61 / F."""
    match = _FIGURES.match(text, start, end)
    if match is None or int(match.group()) > OLDEST or text[start - 1 : start] in {".", "/", "-", ",", "#"}:
        return
    ahead, behind = text_before(text, start), text_after(text, end)
    if _INSTRUMENT_AFTER.match(behind) or _MEASURE_OR_INSTRUMENT_BEFORE.search(ahead):
        return
    has_name = bool(_NAME_OR_BIRTH_BEFORE.search(text[max(0, start - 40) : start]))
    has_slash = text[end - 2] == "/" and 0 < end - start <= 5
    age = int(match.group())
    if text[end - 1].islower():
        # 17m may be metres, months or minutes; 17f is nothing else.
        is_person = text[end - 1] == "f" or bool(_LOWER_SEX_TAIL.match(behind) and (has_name or age > 19))
    else:
        is_close = end - start <= 3 or (end - start == 4 and _APART.search(ahead))
        is_glued = bool(is_close) and text[end - 1] in "MF" and 25 <= age < 95
        is_person = is_glued or bool(_SEX_LEAD.search(ahead) and _SEX_TAIL.match(behind))
    if has_slash or has_name or is_person:
        yield Candidate(start, match.end(), Entity.AGE)


EVENT_TRIGGER = (
    rf"(?i)\b(?:{alternation('dates', 'events_at_an_age')})"
    r"\W{0,2}(?:of [a-z ]{2,24} )?(?:at|@) (?:about |around |approximately |age )?[0-9]{1,3}\b"  # died at 87
    r"|\b(?:mother|father|mom|dad|brother|sister|m|f|mgm|mgf|pgm|pgf|uncle|aunt|son|daughter|parents?)"
    r"(?:[:,]| is| was)? (?:(?:died|dec(?:eased)?|d\.?|dead|alive|living|a&w)(?:[:,]| at| @)? )?[0-9]{1,3}\b"
)
_EVENT_TAIL = re.compile(rf"\s*(?:{alternation('dates', 'words_after_age_at_an_event')})")
_PERSON_TAIL = re.compile(r" (?:has|had|is|was|also)\b")
_MOST_SIBLINGS = 5
"""A smaller number may count who it is: brother 2 has asthma."""
_EVENT_UNIT = re.compile(r"[.:]\d|\s?(?:weeks|wks|mg|am|pm|%|hours)")
_FRACTION_BEHIND = re.compile(r"/\d{1,2}(?!\d)")
_HIGHEST_SCORE = 30
_ONE_LETTER_PARENT = re.compile(r"[mf]\W")
_FAMILY_HISTORY = re.compile(r"(?i)(?:family|fh|fhx|history|fam)\W|\bm: ")


def read_age_at_event(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read died at 87, living at 74, Mother died 84 and F: dec 65 lung ca."""
    match = _LAST_FIGURES.search(text, start, end)
    is_letter = _ONE_LETTER_PARENT.match(text[start : start + 2].lower())
    if is_letter and not (text[start + 1] == ":" and _FAMILY_HISTORY.search(text[max(0, start - 60) : start])):
        return
    if match is None or not 0 < int(match.group()) <= OLDEST:
        return
    behind = text_after(text, end)
    if int(match.group()) <= _HIGHEST_SCORE and _FRACTION_BEHIND.match(behind):
        return  # the score of a form for parents: parent 7/9
    is_person = _PERSON_TAIL.match(behind) is not None and int(match.group()) > _MOST_SIBLINGS
    if (is_person or _EVENT_TAIL.match(behind)) and not _EVENT_UNIT.match(behind):
        yield Candidate(match.start(), end, Entity.AGE)


PRESENT_AGE_TRIGGER = (
    r"(?i)\b(?:he|she|pt|patient|(?:mr|mrs|ms|miss)\.? [a-z'\-]{2,24}) (?:is|was|just turned) (?:now )?[0-9]{1,3}\b"
)
_PRESENT_TAIL = re.compile(r"(?: now\b| and (?:has|had|lives|works|was|is|in|an?)\b|\.(?:\s|$)|,|$)")


def read_present_age(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read He is 52 now and has a sister."""
    match = _LAST_FIGURES.search(text, start, end)
    if match and 0 < int(match.group()) <= OLDEST and _PRESENT_TAIL.match(text_after(text, end)):
        yield Candidate(match.start(), end, Entity.AGE)
