"""Facilities and other organizations by the kind at the end of their name, and employers by the words in front."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.reference_words import (
    is_everyday_word,
    is_frequent_surname,
    is_plain_name,
    medical_term_words,
    us_towns,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_before
from deid_tasks.engine.detect.patterns.word_lists import GENERIC_PLACE_WORDS, NOT_NAMES, alternation, as_word_set

_FACILITY = (
    r"(?:Regional |Community |General |Memorial |University |Children's |Veterans |Specialty )?"  # Regional
    r"(?:Medical|Health|Healthcare|Surgery|Surgical|Cancer|Heart|Dialysis|Rehab|Rehabilitation|Care|Nursing|Trauma"
    r"|Wellness|Birth|Eye|Imaging|Breast|Wound|Kidney|Pain|Spine|Sleep|Vein|Infusion|Endoscopy|Behavioral Health) "
    r"(?:Center|Centre|Ctr|Cntr|Campus|System|Group|Associates|Facility|Home|Institute|Clinic|Partners|Network|Services|Pavilion)"
    rf"|{alternation('organizations', 'facility_kinds')}"
)
FIRM_TRIGGER = (
    r"\b[A-Z][A-Za-z'\-]{1,24}(?:, [A-Z][A-Za-z'\-]{1,24}){0,3},? (?:&|and) [A-Z][A-Za-z'\-]{1,24},? "
    r"(?:P\.A\.|P\.C\.|LLP|L\.L\.P\.|LLC|PLLC|Ltd\.?|Inc\.?)"
)
ORGANIZATION_TRIGGER = rf"\b(?:{_FACILITY}|{alternation('organizations', 'organization_kinds')})\b"
_WORDS_IN_FRONT = re.compile(
    r"(?<![\w'’.])(?:(?:[A-Z][A-Za-z'\-]{0,24}|St\.|Mt\.|Ft\.|[A-Z]\.|&|of|the|and|de)[ ]){1,6}$"
)
_FACILITY_AT = re.compile(_FACILITY + "$")
_WORD = re.compile(r"\S+")
_LARGE = frozenset({"Memorial", "General", "Community", "University", "Regional", "Children's", "County"})
"""Ordinary words that in front of a hospital are its name."""
_CONNECTORS = frozenset({"of", "the", "and", "de", "&", "at"})
_SAINTS = frozenset({"st.", "mt.", "ft."})
_NEVER_IN_NAME = as_word_set(
    "to from in seen admitted attends attended visits works worked call called she he they patient patient's his her"
    " their your our my dr at via per with"
    " for summary note notes report addendum"
)
_NEVER_FIRST = _CONNECTORS | as_word_set("a an any this that new old local previous referring preferred")
_KIND_BEHIND = re.compile(r" (?:Center|Hospital|System|Group|Clinic|Campus|Home|Health|Facility|Residence|Village)\b")
_KINDS_AND_WORDS = frozenset({"Medical", "Health", "Rehab", "Rehabilitation", "Drugs", "Temple", "Bank"})
"""Kinds that are ordinary words too: they need a preposition in front or another kind behind."""
_KINDS_OF_TOWNS = frozenset({"University", "College", "Church", "Hospital"})
"""Kinds with a town behind them: University of Ann Arbor."""
_PREPOSITION_BEFORE = re.compile(r"(?:at|to|from|by|with|of|via|the|per|called|for)\s$")
_TOWN_TAIL = re.compile(r" (?:of|at) (?:the )?[A-Z][A-Za-z'\-]{2,20}(?: [A-Z][A-Za-z'\-]{2,20})?")


_BEHIND_A_LABEL = re.compile(
    r"(?:[A-Z][\w'’\-]{0,24} |[A-Z][a-z]{0,3}\. |(?:of|and|the|&|de|for) ){1,4}?"
    rf"(?:(?P<facility>{_FACILITY}|{alternation('organizations', 'practices_behind_a_label')})"
    rf"|{alternation('organizations', 'organization_kinds')}|{alternation('organizations', 'kinds_behind_a_label')})"
    r"(?![\w'’])"
)


def organization_behind_label(text: str, start: int) -> tuple[int, Entity] | None:
    """Return the end and the kind of an organization whose name begins at ``start``; ``None`` where no kind is named.

    Only where a label such as From: is in front: there a kind in the name is enough. Bradford Crown Court.
    """
    match = _BEHIND_A_LABEL.match(text, start, start + 90)
    if match is None:
        return None
    return match.end(), Entity.FACILITY if match["facility"] else Entity.ORGANIZATION


def read_firm(_text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the names of partners with the form of their firm: Haugen & Pell, P.A."""
    yield Candidate(start, end, Entity.ORGANIZATION, Strength.LABELLED)


def read_organization(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read capitalised words that end in a kind of organization; one of them at least must not be an ordinary word."""
    head = text[start:end]
    words = _words_of_name(text, start)
    if head.isupper() or not _is_name_of_organization(words, head) or _is_department(words, head):
        return
    first = words[0][0]
    kind_behind = _KIND_BEHIND.match(text[end : end + 12])
    is_word = head in _KINDS_AND_WORDS and not kind_behind
    if is_word and not _PREPOSITION_BEFORE.search(text_before(text, first, 10)):
        return
    stop = end + kind_behind.end() if kind_behind else end
    tail = _TOWN_TAIL.match(text, stop, stop + 50) if head in _KINDS_OF_TOWNS else None
    if tail and not _is_generic(tail.group()):
        stop = tail.end()
    yield Candidate(first, stop, Entity.FACILITY if _FACILITY_AT.match(head) else Entity.ORGANIZATION)


def _words_of_name(text: str, start: int) -> list[tuple[int, str]]:
    """Return the words in front of a kind that may belong to the name, each with its start."""
    left = _WORDS_IN_FRONT.search(text[max(0, start - 90) : start])
    if left is None:
        return []
    begin = start - len(left.group())
    words: list[tuple[int, str]] = []
    for match in reversed(list(_WORD.finditer(left.group()))):
        is_before_name = any(not word.isupper() for _, word in words)
        if _ends_name(match.group().lower()) or (is_before_name and _is_of_heading(match.group())):
            break
        words.insert(0, (begin + match.start(), match.group()))
    while words and words[0][1].lower() in _NEVER_FIRST and words[0][1] not in {"New", "Old"}:
        words.pop(0)
    return words


def _ends_name(low: str) -> bool:
    """Whether a word in lower case cannot be part of the name of an organization."""
    if low in _NEVER_IN_NAME:
        return True
    is_part = low in _CONNECTORS or low in GENERIC_PLACE_WORDS or low in _SAINTS
    return not is_part and low.rstrip(".") in NOT_NAMES


def _is_of_heading(word: str) -> bool:
    """Whether a word is an ordinary one in capitals: in front of a capitalised name it is of the heading before it."""
    low = word.lower()
    return word.isupper() and len(word) > 1 and (is_everyday_word(low) or low in medical_term_words())


def _is_name_of_organization(words: list[tuple[int, str]], head: str) -> bool:
    """Whether one of the words is not an ordinary one, or is one that hospitals are named with: Memorial Hospital."""
    if any(
        word.lower() not in GENERIC_PLACE_WORDS and word.lower() not in _CONNECTORS and len(word) > 1
        for _, word in words
    ):
        return True
    is_hospital = head.startswith(("Hospital", "Medical Center"))
    return is_hospital and any(word in _LARGE for _, word in words)


def _is_department(words: list[tuple[int, str]], head: str) -> bool:
    """Whether several findings or devices are what a clinic is for: Pacemaker & Arrhythmia Clinic."""
    plain = [word.lower() for _, word in words if word.lower() not in _CONNECTORS]
    if head != "Clinic" or len(plain) < 2 or len(plain) == len(words):
        return False
    return all(
        word in medical_term_words() and not (is_plain_name(word) or is_frequent_surname(word) or word in us_towns())
        for word in plain
    )


def _is_generic(tail: str) -> bool:
    return any(word.lower() in NOT_NAMES for word in tail.split()[1:] if word not in {"of", "at", "the"})


SAINT_TRIGGER = r"\b(?:St\.?|Saint|Mt\.?|Mount) [A-Z][a-z]{2,15}(?:'s)?(?: (?:ER|ED|ICU))?\b"
_SAINT_BEFORE = re.compile(r"(?:^|[^a-z])(?:at|to|from|via|admitted to|transferred to|seen at|ed at|er at)\s$")
_CELL_BEFORE = re.compile(r"\|\s{0,3}$")
_CELL_BEHIND = re.compile(r"[ \t]{0,3}\|")
_NOT_SAINTS = frozenset({"Elevation", "Depression", "Segment", "Changes", "John's", "Abnormality", "Johns"})
_UNIT_AT_END = re.compile(r" (?:ER|ED|ICU)$")


def read_saint(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read at St. Luke's, and St. Luke's alone in a cell of a table; not ST elevation."""
    value = text[start:end]
    is_cell = _CELL_BEFORE.search(text_before(text, start)) and _CELL_BEHIND.match(text, end)
    if (is_cell or _SAINT_BEFORE.search(text_before(text, start))) and value.split()[1] not in _NOT_SAINTS:
        yield Candidate(start, start + len(_UNIT_AT_END.sub("", value)), Entity.FACILITY)


AIR_AMBULANCE_TRIGGER = (
    r"\b(?:[A-Z][A-Za-z]{2,15} ){1,2}(?:Life ?(?:[Ff]light|[Ss]tar|[Nn]et|[Gg]uard|[Ff]orce)|Air ?(?:[Mm]ed|[Ee]vac)"
    r"|Med ?[Ff]light|Star ?[Ff]light|Air Ambulance|Flight For Life)\b"
)


def read_air_ambulance(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read BigSky LifeFlight; not Via LifeFlight."""
    words = list(_WORD.finditer(text, start, end))
    while words and words[0].group().lower() in _NEVER_IN_NAME | NOT_NAMES:
        words.pop(0)
    if words and words[0].end() < end and not words[0].group().startswith(_AIR):
        yield Candidate(words[0].start(), end, Entity.ORGANIZATION)


_AIR = ("Life", "Air", "Med", "Star", "Flight")
EMPLOYER_TRIGGER = (
    r"(?i)\b(?:(?:works?|worked|working|employed|employment|job) (?:at|for|with|by)|employer(?: name)?:|employed:"
    r"|retired from|attends|attending school at|enrolled at|studies at|student at)(?-i: (?:the )?[A-Z])"
)
_EMPLOYER_NAME = re.compile(
    r"(?:[A-Z][A-Za-z0-9.'\-]{1,24}|[A-Z]{2,10})(?:(?: (?:&|and|of) | )(?:[A-Z][A-Za-z0-9'\-]{1,24}|[A-Z]\.)){0,4}"
)


def read_employer(text: str, _start: int, end: int) -> Iterator[Candidate]:
    """Read the employer of works at Okafor & Sons and employer: Okafor."""
    match = _EMPLOYER_NAME.match(text, end - 1, end + 80)
    if match is None:
        return
    first = match.group().split()[0].lower()
    if first in NOT_NAMES or (first in GENERIC_PLACE_WORDS and " " not in match.group()):
        return
    stop = match.end() - (text[match.end() - 1] in ".'-")
    yield Candidate(match.start(), stop, Entity.ORGANIZATION)
