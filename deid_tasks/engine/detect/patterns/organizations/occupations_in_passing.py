"""Occupations told by what somebody does: she does hair, raises hogs, an OR nurse, husband preaches, a son, an RN."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation, as_word_set

_WHO = (
    r"(?:he|she|they|pt|patient|who|husband|husb|hubby|wife|mom|mother|dad|father|son|daughter|dtr|brother|sister|partner"
    r"|spouse|girlfriend|boyfriend|gf|bf)"
)
_TASK = (
    r"(?:(?:hanging|finishing|taping) drywall|hanging sheet ?rock"
    r"|laying (?:tile|brick|carpet|pipe|floors?|sod)"
    r"|framing houses|pouring concrete|driving (?:a )?(?:truck|bus|taxi|cab|forklift)|waiting tables|bussing tables"
    r"|tending bar"
    r"|(?:mowing|cutting) (?:lawns|grass)|stocking shelves|cleaning (?:houses|offices|rooms|pools)|bagging groceries"
    r"|washing (?:dishes|cars)|flipping burgers|cutting hair|painting houses|hauling (?:hay|trash|logs)|milking cows"
    r"|picking (?:fruit|apples|berries)|pumping gas|delivering (?:pizzas?|papers|packages|mail))"
)
TRADE_TRIGGER = (
    rf"(?i)\b{_WHO} (?:now |also |still )?(?:does|did) (?:hair|nails|lashes|makeup|roofing|drywall|landscaping"
    rf"|construction"
    r"|plumbing|carpentry|masonry|lawn care|tile work|childcare|daycare|data entry|home repairs)\b"
    r"|\b(?:raises|raised|breeds|farms|herds|keeps) (?:\d{1,4} )?(?:hogs|pigs|cattle|goats|sheep|chickens"
    r"|turkeys|bees|alpacas"
    r"|emus|corn|soybeans|tobacco)\b"
    rf"|\b{_WHO} (?:now |also |still )?(?:preaches|doordashes|ubers|welds|bartends|nannies|babysits|ranches"
    rf"|farms|substitutes)\b"
    r"|\b(?:job|work|works?|worked|working|employed|hired(?: on)?) (?:now |again |part[- ]time |full[- ]time )?"
    rf"{_TASK}\b"
    r"|\b(?:occ|occupation|job|works?):? (?:in |does )?(?:nails|hair|roofing|drywall|landscaping|construction)\b"
)
_TRADE = re.compile(rf"(?i:{_TASK}|lawn care|tile work|data entry|home repairs|[A-Za-z]+)$")


def read_trade(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the trade of she does hair, raises hogs, husband preaches and got a job hanging drywall."""
    match = _TRADE.search(text, start, end)
    if match:
        yield Candidate(*match.span(), Entity.PROFESSION, Strength.WEAK)


OPENING_TRIGGER = (
    rf"[.;] {{1,2}}(?i:{alternation('organizations', 'occupations')}), "
    r"(?:says|lives|here|works|denies|married|single|widowed|divorced|retired|reports|still working|on disability)\b"
)
_OPENING = re.compile(r"[A-Z][A-Za-z\-]*(?: [a-z]+)*(?=,)")
_CLINICIANS = as_word_set("nurse doctor physician pharmacist therapist aide paramedic caregiver dentist")


def read_occupation_that_opens(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the occupation that opens a sentence about the patient: Rancher, says a heifer stepped on it."""
    match = _OPENING.search(text, start, end)
    if match and not _CLINICIANS & set(match.group().lower().split()):
        yield Candidate(*match.span(), Entity.PROFESSION, Strength.LABELLED)


NURSE_TRIGGER = (
    r"\b(?i:pt|patient|he|she|wife|husband|mom|mother|dad|father|son|daughter|dtr|sister|brother|partner)"
    r"(?: [A-Z][a-z]{1,14})?(?:(?:,| is| was|, who is|, who was) an? | is )(?i:retired |former )?"
    r"(?:(?:OR|ICU|ER|ED|OB|NICU|PICU|L&D|CCU|PACU|psych|peds|travel|charge|school|hospice|home health|dialysis"
    r"|oncology)"
    r" (?:nurse|RN)|RN|LPN|CNA|EMT|paramedic|nurse|PCA|pharmacist|dentist|vet tech|MA)\b"
    r"|\b(?i:son|daughter|dtr|wife|husband|sister|brother|mom|dad) [A-Z][a-z]{1,14} an? (?:RN|LPN|CNA|EMT|nurse"
    r"|paramedic)\b"
)
_NURSE = re.compile(r"(?:vet tech|[A-Za-z]+)$")


def read_nurse(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read what a patient or a relative is in health care: pt is an OR nurse, son Okafor, an RN."""
    match = _NURSE.search(text, start, end)
    if match:
        yield Candidate(*match.span(), Entity.PROFESSION)


SOCIAL_TRIGGER = (
    r"(?m)^[ \t]*(?:SH|SHx|S/H|SocHx|SOCHX|Soc|SOC|SOCIAL|Social)(?: ?[Hh]x| HX| [Hh]istory| HISTORY)?\b"
    rf"[^\n]{{0,120}}[.;] {{1,2}}(?i:{alternation('organizations', 'occupations')})(?:[.;]|\n|$)"
)
_LAST_OF_LINE = re.compile(r"[.;] {1,2}(?P<job>[A-Za-z][A-Za-z\- ]*)(?:[.;]|\n|$)")


def read_occupation_in_social_history(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the occupation that is a sentence of a social history: SH  no tob. Quilter."""
    jobs = list(_LAST_OF_LINE.finditer(text, start, end))
    if jobs:
        yield Candidate(*jobs[-1].span("job"), Entity.PROFESSION, Strength.LABELLED)
