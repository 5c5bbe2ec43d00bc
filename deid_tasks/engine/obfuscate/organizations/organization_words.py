"""Words of the names of organizations: kinds of place, units, and the names that surrogates are drawn from."""

from collections import defaultdict
from functools import cache
from typing import Literal

from deid_tasks.engine.obfuscate.word_lists import read_word_list

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
DIRECTIONS = ("north", "south", "east", "west")
_LOCATIVE_GROUPS = (
    ("Main", "Central", "Downtown", "Midtown", "Uptown"),
    ("Northeast", "Northwest", "Southeast", "Southwest"),
)
_LOCATIVES = {name.lower(): group for group in _LOCATIVE_GROUPS for name in group}

NameTable = Literal["one", "first", "second"]
"""Names of one word; the first words of names of two; the second words of those."""
_FILES: dict[NameTable, str] = {
    "one": "organizations/single_names.txt",
    "first": "organizations/first_words.txt",
    "second": "organizations/second_words.txt",
}


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
