"""Who lies where: rows of round lists, headers of ward notes, and short readings that name a patient beside age and sex."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    is_everyday_word,
    is_frequent_surname,
    is_plain_name,
    medical_term_words,
    surname_rates,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength
from deid_tasks.engine.detect.patterns.word_lists import split_words

_NAME = r"[A-Za-z][A-Za-z'\-]{1,24}"
_ROOM = r"(?:(?i:rm|room|bed|icu|or|unit) )?[A-Za-z]{0,2}[0-9]{1,5}(?:[A-Za-z]{1,6}[0-9]{0,4})?(?:-[0-9A-Za-z]{1,4})?"
_DATE = r"(?:[0-9]{1,2}[/.\-][0-9]{1,2}[/.\-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2})"


_PLACE_WORDS = split_words("rm room bed icu or unit ward bay floor")


def _is_patient(word: str) -> bool:
    """Whether a word where a patient's name stands is no word of medicine and may be a name."""
    low = word.lower()
    if low in _PLACE_WORDS:
        return False
    return is_frequent_surname(low) or (may_be_name(word) and low not in medical_term_words())


_ROW = rf"\b(?i:rm|room|bed) {{1,2}}{_ROOM} {{2,4}}{_NAME},? [0-9]{{1,3}}(?: {{1,4}}[A-Za-z]|\n)"
_ROW_PARTS = re.compile(
    rf" (?P<room>{_ROOM}) {{2,4}}(?P<name>{_NAME}),? (?P<age>[0-9]{{1,3}})(?:\s{{1,4}}[A-Za-z]|\s)$"
)


def read_row(text: str, start: int, end: int) -> Iterator[Candidate]:
    """rm 412-B  Okafor 63  day 2."""
    match = _ROW_PARTS.search(text, start, end)
    if match is None or int(match["age"]) > 115 or not _is_patient(match["name"]):
        return
    if match["name"].lower() in surname_rates() or not is_everyday_word(match["name"]):
        yield Candidate(*match.span("room"), Entity.LOCATION_OTHER)
        yield Candidate(*match.span("name"), Entity.PATIENT)
        yield Candidate(*match.span("age"), Entity.AGE)


_HEADER = rf"(?m)(?: {{2}}{_NAME} {_ROOM} {{2,4}}{_DATE}|{_DATE} {{2,4}}{_NAME} {_ROOM}[ \t]{{0,4}}$)"
_HEADER_PARTS = re.compile(rf" (?P<name>{_NAME}) (?P<room>{_ROOM})(?=\s|$)")
_TELLING = re.compile(r"[A-Za-z]|-|^[0-9]{4}$")


def read_header(text: str, start: int, end: int) -> Iterator[Candidate]:
    """NURSES NOTES   OKAFOR 5E-74   01-03-2024; SITTER LOG 1.3.24  Okafor ICU 25."""
    match = _HEADER_PARTS.search(text, start, end)
    if match and _TELLING.search(match["room"]) and _is_patient(match["name"]):
        yield Candidate(*match.span("name"), Entity.PATIENT)
        yield Candidate(*match.span("room"), Entity.LOCATION_OTHER)


_SEXED = rf"{_NAME} [0-9]{{1,3}}[MmFf]\b"
_SEXED_PARTS = re.compile(rf"(?P<name>{_NAME}) (?P<age>[0-9]{{1,3}})[MmFf]$")


def read_sexed(text: str, start: int, end: int) -> Iterator[Candidate]:
    """ct head okafor 43m neg for bleed; OKAFOR 71M."""
    match = _SEXED_PARTS.search(text, start, end)
    if match is None or int(match["age"]) > 115:
        return
    name = match["name"]
    if is_plain_name(name) or (is_frequent_surname(name) and (name[0].isupper() or _is_bare(text, start, name))):
        yield Candidate(*match.span("name"), Entity.PATIENT, Strength.WEAK)
        yield Candidate(*match.span("age"), Entity.AGE)


_COLOURS = frozenset(("black", "brown", "gray", "green", "white"))
_NO_NAME_BEFORE = re.compile(r"(?i)(?:^|[^a-z])(?:an?|the|this|is|was|very|too|so|for|x)\s$")


def _is_bare(text: str, start: int, name: str) -> bool:
    """Whether a surname in small letters that is an everyday word too stands where nothing makes it one: ct head woods 61f, not a young 26m."""
    return name.lower() not in _COLOURS and not _NO_NAME_BEFORE.search(text[max(0, start - 6) : start])


_OPERATED = rf"\({_NAME}, [0-9]{{1,2}}/[0-9]{{1,2}}(?:/[0-9]{{2,4}})?\)"
_OPERATED_PARTS = re.compile(rf"\((?P<name>{_NAME}), (?P<date>[0-9/]+)\)")
_OPERATION = re.compile(r"(?i)\b(?:s/p|pod ?#?|status post|by)\b")


def read_operated(text: str, start: int, end: int) -> Iterator[Candidate]:
    """POD#2 s/p right hip replacement (Okafor, 1/7): the surgeon and the day."""
    match = _OPERATED_PARTS.match(text, start, end)
    if match is None or not _is_patient(match["name"]):
        return
    line = text[max(0, start - 90) : start]
    if _OPERATION.search(line[line.rfind("\n") + 1 :]) or is_plain_name(match["name"]):
        yield Candidate(*match.span("name"), Entity.PROVIDER)
        yield Candidate(*match.span("date"), Entity.DATE)


RULES = (
    Rule("row of a round list", _ROW, read_row),
    Rule("header of a ward note", _HEADER, read_header),
    Rule("name, age and sex", _SEXED, read_sexed),
    Rule("surgeon and day", _OPERATED, read_operated),
)
