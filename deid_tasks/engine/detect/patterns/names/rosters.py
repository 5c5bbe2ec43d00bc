"""Patients in rows of round lists, in headers of ward notes, and beside age and sex: rm 412-B  Okafor 63."""

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
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import as_word_set

_NAME = r"[A-Za-z][A-Za-z'\-]{1,24}"
_ROOM = r"(?:(?i:rm|room|bed|icu|or|unit) )?[A-Za-z]{0,2}[0-9]{1,5}(?:[A-Za-z]{1,6}[0-9]{0,4})?(?:-[0-9A-Za-z]{1,4})?"
_DATE = r"(?:[0-9]{1,2}[/.\-][0-9]{1,2}[/.\-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2})"
_ROOM_WORDS = as_word_set("rm room bed icu or unit ward bay floor")


def _may_be_patient(word: str) -> bool:
    """Whether a word where a patient's name stands may be one: it is not a medical word."""
    low = word.lower()
    if low in _ROOM_WORDS:
        return False
    return is_frequent_surname(low) or (may_be_name(word) and low not in medical_term_words())


def _is_everyday_in_small_letters(word: str) -> bool:
    return word.islower() and is_everyday_word(word) and not is_frequent_surname(word)


ROW_TRIGGER = rf"\b(?i:rm|room|bed) {{1,2}}{_ROOM} {{2,4}}{_NAME},? [0-9]{{1,3}}(?: {{1,4}}[A-Za-z]|\n)"
_ROW_PARTS = re.compile(
    rf" (?P<room>{_ROOM}) {{2,4}}(?P<name>{_NAME}),? (?P<age>[0-9]{{1,3}})(?:\s{{1,4}}[A-Za-z]|\s)$"
)


def read_roster_row(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read rm 412-B  Okafor 63  day 2."""
    match = _ROW_PARTS.search(text, start, end)
    if match is None or int(match["age"]) > 115 or not _may_be_patient(match["name"]):
        return
    if match["name"].lower() in surname_rates() or not is_everyday_word(match["name"]):
        yield Candidate(*match.span("room"), Entity.LOCATION_OTHER)
        yield Candidate(*match.span("name"), Entity.PATIENT)
        yield Candidate(*match.span("age"), Entity.AGE)


WARD_HEADER_TRIGGER = rf"(?m)(?: {{2}}{_NAME} {_ROOM} {{2,4}}{_DATE}|{_DATE} {{2,4}}{_NAME} {_ROOM}[ \t]{{0,4}}$)"
_WARD_HEADER_PARTS = re.compile(rf" (?P<name>{_NAME}) (?P<room>{_ROOM})(?=\s|$)")
_FORM_OF_ROOM = re.compile(r"[A-Za-z]|-|^[0-9]{4}$")


def read_ward_header(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read NURSES NOTES   OKAFOR 5E-74   01-03-2024 and SITTER LOG 1.3.24  Okafor ICU 25."""
    match = _WARD_HEADER_PARTS.search(text, start, end)
    if match is None or _is_everyday_in_small_letters(match["name"]):
        return  # Wed 03/07/2024   arrived 1015
    if _FORM_OF_ROOM.search(match["room"]) and _may_be_patient(match["name"]):
        yield Candidate(*match.span("name"), Entity.PATIENT)
        yield Candidate(*match.span("room"), Entity.LOCATION_OTHER)


NAME_AGE_SEX_TRIGGER = rf"{_NAME} [0-9]{{1,3}}[MmFf]\b"
_NAME_AGE_SEX_PARTS = re.compile(rf"(?P<name>{_NAME}) (?P<age>[0-9]{{1,3}})[MmFf]$")
_COLOURS = frozenset({"black", "brown", "gray", "green", "white"})
_NO_NAME_BEFORE = re.compile(r"(?i)(?:^|[^a-z])(?:an?|the|this|is|was|very|too|so|for|x)\s$")


def read_name_age_sex(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read ct head okafor 43m neg for bleed and OKAFOR 71M."""
    match = _NAME_AGE_SEX_PARTS.search(text, start, end)
    if match is None or int(match["age"]) > 115:
        return
    name = match["name"]
    is_surname = is_frequent_surname(name) and (name[0].isupper() or _is_bare(text, start, name))
    if is_plain_name(name) or is_surname:
        yield Candidate(*match.span("name"), Entity.PATIENT, Strength.WEAK)
        yield Candidate(*match.span("age"), Entity.AGE)


def _is_bare(text: str, start: int, name: str) -> bool:
    """Whether no article makes a surname in small letters a word: ct head woods 61f, not a young 26m."""
    return name.lower() not in _COLOURS and not _NO_NAME_BEFORE.search(text[max(0, start - 6) : start])


OPERATION_TRIGGER = rf"\({_NAME}, [0-9]{{1,2}}/[0-9]{{1,2}}(?:/[0-9]{{2,4}})?\)"
_OPERATION_PARTS = re.compile(rf"\((?P<name>{_NAME}), (?P<date>[0-9/]+)\)")
_OPERATION_BEFORE = re.compile(r"(?i)\b(?:s/p|pod ?#?|status post|by)\b")


def read_surgeon_and_day(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the surgeon and the day of POD#2 s/p right hip replacement (Okafor, 1/7)."""
    match = _OPERATION_PARTS.match(text, start, end)
    if match is None or not _may_be_patient(match["name"]):
        return
    line = text[max(0, start - 90) : start]
    if _OPERATION_BEFORE.search(line[line.rfind("\n") + 1 :]) or is_plain_name(match["name"]):
        yield Candidate(*match.span("name"), Entity.PROVIDER)
        yield Candidate(*match.span("date"), Entity.DATE)
