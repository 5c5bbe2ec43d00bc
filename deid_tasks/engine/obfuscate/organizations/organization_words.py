"""Words of the names of organizations: kinds of place, units, and the names that surrogates are drawn from."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Literal

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.word_lists import read_word_list
from deid_tasks.engine.obfuscate.word_rewriting import WORD

KINDS = frozenset(read_word_list("organizations/kind_words.txt"))
"""Words that say what kind of place an organization is, and not which one."""
UNITS = frozenset(read_word_list("organizations/unit_names.txt"))
"""Units that every hospital has; they identify no hospital."""
SPECIALTIES = frozenset(read_word_list("organizations/specialty_words.txt"))
"""Specialities. A department named by one alone identifies no hospital."""
DEPARTMENT_WORDS = frozenset(
    [
        *("clinic", "clinics", "department", "dept", "service", "services", "unit", "ward", "consult", "consults"),
        *("outpatient", "inpatient", "new", "return", "patient", "visit", "team", "and", "of", "the", "&", "for"),
    ]
)
"""Words that stand beside a speciality in the name of a department or in the heading of a note."""
SMALL_WORDS = frozenset(["of", "the", "and", "at", "for", "in", "on", "&"])
SMALL_WORDS_AT_END = re.compile(r"(?:\s+(?:of|at|and|the|for|in|on|&))+$", re.IGNORECASE)
HYPHENATED = frozenset(["co-op", "vo-tech", "dial-a-ride", "drive-in", "check-in", "walk-in"])
"""Words of kind that a hyphen joins, folded."""
LEGAL_FORMS = frozenset(
    ["ltd", "inc", "llc", "llp", "pllc", "plc", "pc", "pa", "pty", "gmbh", "ag", "corp", "co", "lp", "limited", "pvt"]
)
"""What stands behind the name of a firm, folded, without full stops."""
ORGANIZATION_WORD = re.compile(
    rf"(?<![^\W_])(?:(?:[A-Z]\.)+[A-Z]\.?(?![^\W_])|(?i:{'|'.join(HYPHENATED)})s?(?![^\W_]))|{WORD.pattern}"
)
"""A word of an organization's name; letters with full stops (A.M.E.) are one word."""
_ATTEMPTS = 50
_MAX_AMBIGUOUS = 2
"""Letters of a legal form that may be an organization's initials, or a state."""
INSTITUTIONS = frozenset(
    [
        *("academy", "ambulance", "associates", "bank", "centre", "center", "clinic", "clinics", "clinique", "college"),
        *("corp", "court", "dental", "diagnostics", "elementary", "ems", "foundation", "gmbh", "healthcare", "hospice"),
        *("hospital", "hospitals", "hosp", "hopital", "imaging", "inc", "institute", "kindergarten", "klinik"),
        *("klinikum", "krankenhaus", "lab", "laboratory", "labs", "library", "llc", "ltd", "montessori", "museum"),
        *("nursery", "pathology", "pediatrics", "peds", "pharmacy", "physicians", "police", "preschool", "primary"),
        *("prison", "rehab", "rehabilitation", "rehaklinik", "school", "schools", "surgicenter", "university"),
    ]
)
"""Words that an institution's name ends with, or begins with, and a person's does not."""
_LANDSCAPES = frozenset(["downs", "plains", "flats", "sands", "rapids", "marsh", "acres", "bluffs", "moor", "fen"])
"""Further words that stand at the end of the names of places, and say nothing of an organization."""
DIRECTIONS = ("north", "south", "east", "west")
_LOCATIVE_GROUPS = (
    ("Main", "Central", "Downtown", "Midtown", "Uptown"),
    ("Northeast", "Northwest", "Southeast", "Southwest"),
    ("Northern", "Southern", "Eastern", "Western"),
    ("Northeastern", "Northwestern", "Southeastern", "Southwestern"),
)
_LOCATIVES = {name.lower(): group for group in _LOCATIVE_GROUPS for name in group}

NameTable = Literal["one", "first", "second"]
"""Names of one word; the first words of names of two; the second words of those."""
_FILES: dict[NameTable, str] = {
    "one": "organizations/single_names.txt",
    "first": "organizations/first_words.txt",
    "second": "organizations/second_words.txt",
}


def is_kind(folded: str) -> bool:
    """Whether a folded word says what kind of place an organization is."""
    return folded in KINDS or folded in HYPHENATED or ("." in folded and folded.replace(".", "") in KINDS)


def is_legal_form(folded: str, *, is_behind_name: bool = False) -> bool:
    """Whether a word is the legal form of a firm and nothing else: "Ltd", and "PA" only behind the firm's name."""
    plain = folded.replace(".", "")
    return plain in LEGAL_FORMS and (is_behind_name or len(plain) > _MAX_AMBIGUOUS)


def has_digit(word: str) -> bool:
    """Whether a word holds a digit."""
    return any(char.isdigit() for char in word)


def choose_other(options: Sequence[str], folded: str, keyed: KeyedChoices, *parts: str) -> str:
    """Return one of ``options`` that is not a part of ``folded``."""
    for attempt in range(_ATTEMPTS):
        option = keyed.choice(options, *parts, folded, str(attempt))
        if fold(option) not in folded:
            return option
    return options[0]


@cache
def drawn_words() -> frozenset[str]:
    """Return the words that surrogate names are drawn from, folded, and their plurals: none says what a place is."""
    words = {fold(name) for table in _FILES for names in names_by_letter(table).values() for name in names}
    return frozenset(words | {f"{word}s" for word in words} | _LANDSCAPES)


def is_locative(folded: str) -> bool:
    """Whether a word says where an organization or a part of it lies ("north", "downtown")."""
    return folded in DIRECTIONS or folded in _LOCATIVES


def other_locatives(folded: str) -> tuple[str, ...]:
    """Return the words that may replace a word such as "north" or "downtown"; empty for other words."""
    if folded in DIRECTIONS:
        return tuple(name.title() for name in DIRECTIONS if name != folded)
    return tuple(name for name in _LOCATIVES.get(folded, ()) if name.lower() != folded)


@cache
def names_by_letter(table: NameTable) -> dict[str, tuple[str, ...]]:
    """Return the names of a table by their first letter, in lower case."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for name in read_word_list(_FILES[table]):
        names[name[0].lower()].append(name)
    return {letter: tuple(found) for letter, found in names.items()}


@cache
def letters_of(table: NameTable) -> tuple[str, ...]:
    """Return the first letters of the names of a table, each as often as it occurs."""
    names = names_by_letter(table)
    return tuple(letter for letter in sorted(names) for _ in names[letter])
