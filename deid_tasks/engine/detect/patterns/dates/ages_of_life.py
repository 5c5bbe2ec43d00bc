"""Ages at the events of a life: menarche 11, smoked from 13 until 60, MGM breast ca 38, onset of tics 7, now 16."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates.ages import OLDEST
from deid_tasks.engine.detect.patterns.rule import Candidate, text_after

_WORDS = (
    r"(?:eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty"
    r"|(?:forty|fifty)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
MILESTONE_TRIGGER = (
    r"(?i)\b(?:menarche|thelarche|adrenarche|pubarche|coitarche|sexarche|sexual debut|first (?:coitus|intercourse)"
    r"|menopaus(?:e|al)|(?:first (?:period|menses)|menses (?:began|started)|periods? (?:began"
    r"|started))(?: was)? (?:at|@|age)"
    r")(?: was| at| @| age|:| -| around| about| ~){0,2} ?~?"
    rf"(?:[1-9][0-9]?(?:\.5|-[1-9][0-9]?)?|{_WORDS})\b"
)
_VALUES = re.compile(rf"(?:[0-9]{{1,2}}(?:\.5)?|(?<![a-z]){_WORDS})(?=-[0-9]{{1,2}}$|$)|[0-9]{{1,2}}$", re.IGNORECASE)
_SPAN_BEHIND = re.compile(
    r"[/.:][0-9]|[0-9]| ?(?:%|x\b|years?\b|yrs?\b|y\b|mo\b|months?\b|weeks?\b|wks?\b|days?\b|d\b|am\b|pm\b)"
)
_AGE_BEHIND = re.compile(r" ?(?:years?|yrs?|y)[ /.-]?(?:old|o\b|of age)")


def read_age_at_milestone(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read menarche 11 and menopause 49; not menopause 5 yrs ago."""
    behind = text_after(text, end)
    if _SPAN_BEHIND.match(behind) and not _AGE_BEHIND.match(behind):
        return
    for match in _VALUES.finditer(text, start, end):
        yield Candidate(*match.span(), Entity.AGE)


HABIT_TRIGGER = (
    r"(?i)\b(?:smoked|smoking|smoker|drank|drinking|drinker|vaped|vaping|used|using|chewed|dipped|cutting|worked|underground"
    r"|married)(?: [a-z]{2,12}){0,3} from (?:age )?[1-9][0-9]? (?:until|till|til|to) (?:age )?[1-9][0-9]?\b"
)
_TWO_AGES = re.compile(r"(?P<one>[0-9]{1,2}) (?:until|till|til|to) (?:age )?(?P<two>[0-9]{1,2})$", re.IGNORECASE)
_QUANTITY_BEHIND = re.compile(
    r"[/.:][0-9]|[0-9]| ?(?:%|ppd|pk|packs?|cig|drinks?|beers?|cans?|units?|mg|ml|am\b|pm\b|a\b|p\b|x\b|times"
    r"|hours?|hrs?"
    r"|days?|weeks?|months?|oz|shots?|glasses|per\b|a (?:day|week)|/d|/wk|bottles?|pipes?|joints?|pouches|tins?)"
)
_YOUNGEST = 8


def read_ages_of_habit(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read smoked from 13 until 60; not drinking from 9 to 5, nor from 2 to 3 packs."""
    match = _TWO_AGES.search(text, start, end)
    if match is None or _QUANTITY_BEHIND.match(text_after(text, end)):
        return
    if _YOUNGEST <= int(match["one"]) < int(match["two"]):
        yield Candidate(*match.span("one"), Entity.AGE)
        yield Candidate(*match.span("two"), Entity.AGE)


_KIN = (
    r"(?:mother|father|mom|dad|brother|sister|bro|sis|half-?sister|half-?brother|son|daughter|dtr|aunt|uncle|cousin|niece"
    r"|nephew|grandmother|grandfather|grandma|grandpa|gma|gpa|twin"
    r"|(?:mat|pat|maternal|paternal)\.? (?:gm|gf|grandmother|grandfather|aunt|uncle|cousin))"
)
_ILLNESS = (
    r"(?:(?:breast|ovarian|ovary|colon|rectal|prostate|pancreatic|pancreas|uterine|endometrial|gastric|stomach|thyroid|renal"
    r"|kidney|lung|bladder|cervical|brain|liver)(?: ca| cancer|ca)?|br ?ca|ov ?ca|melanoma|crc|leukemia"
    r"|lymphoma|mi|cva|stroke"
    r"|stent|cabg|cad|scd|sudden death|dementia|dm1|dm2|dvt|pe)"
)
FAMILY_TRIGGER = (
    rf"(?i)\b(?:{_KIN}|(?-i:MGM|MGF|PGM|PGF|MAunt|PAunt|MA|PA|MU|PU))"
    rf"(?: (?:with|w/|had|has|hx|of)){{0,2}} {_ILLNESS}(?: at| @| age| dx| dx'd){{0,2}} [1-9][0-9]\b"
)
_AGE_AT_END = re.compile(r"[0-9]{2}$")
_END_OF_RELATIVE = re.compile(r" ?(?:[,;)]|\.(?![0-9])|$)| (?:and|&|alive|living|dec)\b")
_OTHER_RELATIVE = re.compile(
    rf"[,;] (?:d\.|died|(?:{_KIN}|(?-i:MGM|MGF|PGM|PGF))(?: {_ILLNESS})?) (?P<age>[1-9][0-9])(?=[,;)]|\.(?![0-9])|$)",
    re.IGNORECASE,
)


def read_age_in_family_history(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read MGM breast ca 38 and aunt ovarian 51."""
    match = _AGE_AT_END.search(text, start, end)
    if match is None or int(match.group()) > OLDEST or not _END_OF_RELATIVE.match(text_after(text, end)):
        return
    yield Candidate(*match.span(), Entity.AGE)
    while other := _OTHER_RELATIVE.match(text, end, end + 60):
        yield Candidate(*other.span("age"), Entity.AGE)
        end = other.end()


ONSET_TRIGGER = (
    r"(?i)\b(?:onset|began|started|dx|diagnosed)(?: of [a-z ]{2,20}?)?(?: at| @)?"
    r" [1-9][0-9]?(?:\.5)?[,;] now [1-9][0-9]?\b"
)
_ONSET_AND_NOW = re.compile(r" (?P<one>[0-9]{1,2}(?:\.5)?)[,;] now (?P<two>[0-9]{1,2})$", re.IGNORECASE)


def read_age_at_onset(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read onset of tics 7.5, now 16."""
    match = _ONSET_AND_NOW.search(text, start, end)
    if match is None or _QUANTITY_BEHIND.match(text_after(text, end)):
        return
    yield Candidate(*match.span("one"), Entity.AGE)
    yield Candidate(*match.span("two"), Entity.AGE)
