"""Hospitals, clinics, pharmacies, employers, schools and professions: another name of the same kind."""

import re
from collections.abc import Sequence
from itertools import count

from deid_tasks.obfuscate.cases import match_case
from deid_tasks.obfuscate.scope import Scope
from deid_tasks.obfuscate.words import rewrite_words, words_of
from deid_tasks.reference import fold

_STEMS = [
    "Alder",
    "Amber",
    "Ash",
    "Bell",
    "Birch",
    "Black",
    "Briar",
    "Bridge",
    "Brook",
    "Cedar",
    "Clear",
    "Clover",
    "Copper",
    "Crest",
    "Dun",
    "East",
    "Elm",
    "Fair",
    "Fern",
    "Fox",
    "Glen",
    "Gold",
    "Green",
    "Hart",
    "Hazel",
    "Hill",
    "Iron",
    "Kestrel",
    "King",
    "Lark",
    "Linden",
    "Lock",
    "Maple",
    "Marl",
    "Meadow",
    "Mill",
    "North",
    "Oak",
    "Pine",
    "Quail",
    "Raven",
    "Red",
    "Rose",
    "Sage",
    "Silver",
    "South",
    "Stone",
    "Summer",
    "Thorn",
    "Tide",
    "Wake",
    "West",
    "White",
    "Wild",
    "Willow",
    "Wood",
]
_ENDINGS = [
    "bury",
    "brook",
    "by",
    "crest",
    "dale",
    "field",
    "ford",
    "gate",
    "grove",
    "haven",
    "hurst",
    "lake",
    "leigh",
    "mere",
    "mont",
    "moor",
    "ridge",
    "stead",
    "ton",
    "vale",
    "view",
    "wick",
]
_NAMES = [f"{stem}{ending}" for stem in _STEMS for ending in _ENDINGS if stem.casefold() != ending]
"""Many enough that the places of one institution seldom share one."""
_LONGEST_ABBREVIATION = 5
_KINDS = frozenset(
    [
        "women's",
        "womens",
        "pavilion",
        "realty",
        "sons",
        "credit",
        "orthopedics",
        "transit",
        "authority",
        "hospital",
        "hospitals",
        "medical",
        "center",
        "centre",
        "clinic",
        "clinics",
        "health",
        "healthcare",
        "system",
        "systems",
        "associates",
        "group",
        "institute",
        "nursing",
        "home",
        "rehabilitation",
        "rehab",
        "hospice",
        "care",
        "living",
        "assisted",
        "pharmacy",
        "drug",
        "drugs",
        "university",
        "college",
        "school",
        "elementary",
        "high",
        "middle",
        "academy",
        "church",
        "temple",
        "mosque",
        "synagogue",
        "parish",
        "department",
        "dept",
        "office",
        "services",
        "service",
        "inc",
        "llc",
        "corp",
        "company",
        "co",
        "bank",
        "insurance",
        "construction",
        "manufacturing",
        "foods",
        "farms",
        "market",
        "store",
        "hotel",
        "restaurant",
        "foundation",
        "agency",
        "county",
        "community",
        "regional",
        "memorial",
        "general",
        "childrens",
        "children's",
        "surgery",
        "surgical",
        "imaging",
        "laboratory",
        "lab",
        "cancer",
        "heart",
        "dental",
        "dialysis",
        "urgent",
        "family",
        "practice",
        "physicians",
        "pediatrics",
        "internal",
        "medicine",
        "primary",
        "of",
        "the",
        "and",
        "at",
        "for",
        "&",
        "district",
        "unit",
        "ward",
        "floor",
        "emergency",
        "room",
        "skilled",
        "facility",
        "manor",
        "villa",
        "lodge",
        "house",
        "place",
        "brothers",
        "partners",
        "logistics",
        "trucking",
        "electric",
        "plumbing",
        "roofing",
        "studio",
        "labs",
        "works",
        "union",
        "local",
        "post",
        "police",
        "fire",
        "library",
        "museum",
        "airport",
        "army",
        "navy",
    ]
)
_PROFESSIONS = [
    "accountant",
    "administrative assistant",
    "baker",
    "bank teller",
    "bookkeeper",
    "bus driver",
    "butcher",
    "carpenter",
    "cashier",
    "chef",
    "civil engineer",
    "claims adjuster",
    "cook",
    "custodian",
    "data analyst",
    "dispatcher",
    "draftsman",
    "editor",
    "electrician",
    "farmer",
    "firefighter",
    "florist",
    "forklift operator",
    "graphic designer",
    "hairdresser",
    "insurance agent",
    "janitor",
    "landscaper",
    "librarian",
    "machinist",
    "mail carrier",
    "mason",
    "mechanic",
    "musician",
    "office manager",
    "painter",
    "paralegal",
    "photographer",
    "plumber",
    "police officer",
    "postal worker",
    "realtor",
    "receptionist",
    "roofer",
    "sales manager",
    "seamstress",
    "security guard",
    "social worker",
    "surveyor",
    "tailor",
    "teacher",
    "truck driver",
    "veterinary technician",
    "waiter",
    "warehouse worker",
    "welder",
]


def replace_organization(value: str, scope: Scope) -> str:
    """Another proper name before the words that say what it is; an abbreviation gets other letters.

    An organization is the same in all patients' notes of the institution.
    """
    words = words_of(value)
    is_short = len(value) <= _LONGEST_ABBREVIATION if value.isupper() else len(value) <= 3
    if not words or (len(words) == 1 and is_short):
        return scope.keyed.like(value, "organization", fold(value))
    # Keyed by the distinctive words alone: "Mercy General" and "Mercy General Hospital" stay one place.
    own = [word for word in words if fold(word) not in _KINDS]
    distinctive = " ".join(map(fold, own)) or fold(value)
    name = _case_like(_other(_NAMES, value, scope, "organization", distinctive), value, own)
    named = False

    def rewrite(word: str) -> str | None:
        nonlocal named
        if fold(word) in _KINDS:
            return word
        if any(char.isdigit() for char in word):
            return scope.keyed.like(word, "organization", distinctive)
        if named:
            return None
        named = True
        return name

    text = rewrite_words(value, rewrite)
    if not own:
        text = f"{name} {value}"
    # "Church of Hanover" has lost Hanover to the name in front.
    return re.sub(r"(?:\s+(?:of|at|and|the|for|&))+$", "", text, flags=re.IGNORECASE)


def _case_like(name: str, value: str, own: list[str]) -> str:
    """``name`` in capitals or small letters where all of ``value``, or its proper name, is."""
    if value.isupper() or not own:
        return match_case(name, value)
    return name.lower() if all(word.islower() for word in own) else name


def _other(options: Sequence[str], value: str, scope: Scope, *parts: str) -> str:
    """One of ``options`` that ``value`` does not hold."""
    folded = fold(value)
    for attempt in count():
        made = scope.keyed.choice(options, *parts, str(attempt))
        if fold(made) not in folded:
            return made
    raise AssertionError("unreachable")


def replace_profession(value: str, scope: Scope) -> str:
    """Another profession."""
    made = _other(_PROFESSIONS, value, scope, "profession", scope.patient_id, fold(value))
    return match_case(made.capitalize() if value[:1].isupper() else made, value)
