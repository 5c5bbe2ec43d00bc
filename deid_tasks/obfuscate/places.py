"""Places that exist: city, state, ZIP and street of one address stay one address, with nothing looked up or remembered.

A patient's surrogate state is chosen by key from the original state; the surrogate city from that state's places by the original
city; the surrogate ZIP is that city's. A ZIP tells its own city and state through the public table of places, a city on its own
the state that it is best known in, so the three agree wherever each of them stands.
"""

import re
from collections import defaultdict
from functools import cache

from deid_tasks.obfuscate.cases import match_case
from deid_tasks.obfuscate.scope import Scope
from deid_tasks.patient import TermKind
from deid_tasks.reference import fold, read_tsv
from deid_tasks.states import STATE_NAMES

_CODES = {fold(name): code for code, name in STATE_NAMES.items()} | {code.lower(): code for code in STATE_NAMES}
_STREETS = [
    "Alder",
    "Amber",
    "Ashford",
    "Aspen",
    "Bayberry",
    "Beacon",
    "Birch",
    "Bluff",
    "Briar",
    "Brook",
    "Canyon",
    "Cedar",
    "Chestnut",
    "Clover",
    "Copper",
    "Cypress",
    "Dogwood",
    "Fairview",
    "Fern",
    "Garden",
    "Glen",
    "Grove",
    "Harbor",
    "Hawthorn",
    "Hazel",
    "Hickory",
    "Highland",
    "Holly",
    "Juniper",
    "Laurel",
    "Linden",
    "Locust",
    "Magnolia",
    "Maple",
    "Meadow",
    "Mill",
    "Mulberry",
    "Oak",
    "Orchard",
    "Park",
    "Pine",
    "Poplar",
    "Prairie",
    "Quarry",
    "Ridge",
    "River",
    "Sage",
    "Spruce",
    "Summit",
    "Sycamore",
    "Valley",
    "Walnut",
    "Willow",
]
_SUFFIXES = frozenset(
    [
        "street",
        "st",
        "avenue",
        "ave",
        "road",
        "rd",
        "drive",
        "dr",
        "lane",
        "ln",
        "court",
        "ct",
        "boulevard",
        "blvd",
        "way",
        "place",
        "pl",
        "circle",
        "cir",
        "terrace",
        "ter",
        "parkway",
        "pkwy",
        "highway",
        "hwy",
        "trail",
        "trl",
        "square",
        "sq",
        "loop",
        "alley",
        "plaza",
        "row",
        "run",
        "path",
        "pike",
        "route",
        "rte",
        "north",
        "south",
        "east",
        "west",
        "n",
        "s",
        "e",
        "w",
        "ne",
        "nw",
        "se",
        "sw",
        "apt",
        "apartment",
        "unit",
        "suite",
        "ste",
        "floor",
        "fl",
        "lot",
        "building",
        "bldg",
        "room",
        "rm",
        "po",
        "p",
        "o",
        "box",
        "rural",
        "rr",
        "county",
        "state",
        "us",
    ]
)
_COUNTRIES = [
    "Argentina",
    "Australia",
    "Austria",
    "Belgium",
    "Brazil",
    "Canada",
    "Chile",
    "Colombia",
    "Denmark",
    "Ecuador",
    "Egypt",
    "Ethiopia",
    "Finland",
    "France",
    "Germany",
    "Ghana",
    "Greece",
    "Guatemala",
    "Hungary",
    "India",
    "Indonesia",
    "Ireland",
    "Italy",
    "Japan",
    "Kenya",
    "Malaysia",
    "Mexico",
    "Morocco",
    "Nepal",
    "Netherlands",
    "Nigeria",
    "Norway",
    "Peru",
    "Philippines",
    "Poland",
    "Portugal",
    "Romania",
    "Senegal",
    "Spain",
    "Sweden",
    "Thailand",
    "Turkey",
    "Ukraine",
    "Uruguay",
    "Vietnam",
]
_ATTEMPTS = 50
"""A state has so many places that not one of fifty draws is another than the original has no other."""
_LANDMARKS = [
    "Aspen",
    "Bluestone",
    "Cedar",
    "Clearwater",
    "Eastgate",
    "Fairhaven",
    "Granite",
    "Greenfield",
    "Highland",
    "Juniper",
    "Longview",
    "Maple",
    "Oakmont",
    "Pinecrest",
    "Ridgeline",
    "Silver",
    "Stonebrook",
    "Summit",
    "Westbrook",
    "Willow",
]


def replace_place(value: str, kind: str, scope: Scope, city: str = "", state: str = "") -> str:
    """The surrogate of a city, state or ZIP (``kind``); ``city`` and ``state`` are what stands beside it in the note."""
    if kind == "state":
        code = _CODES.get(fold(value).replace(".", ""))
        if code is None:
            return match_case(STATE_NAMES[scope.keyed.choice(sorted(STATE_NAMES), "state", value)], value)
        made = _state(code, scope)
        is_code = len(re.sub(r"\W", "", value)) == 2
        return match_case(made, value) if is_code else match_case(STATE_NAMES[made], value)
    if kind == "zip":
        known = _by_zip().get(value[:5])
        found_city, found_state = known or (fold(city), _code(state, city, scope))
        _, _, made_zip = _place(found_city, found_state, scope)
        rest = scope.keyed.like(value[5:], "zip", scope.patient_id) if len(value) > 5 else ""
        return (scope.keyed.like(made_zip, "zip") if made_zip == value[:5] else made_zip) + rest
    return match_case(_place(fold(value), _code(state, value, scope), scope)[0], value)


def replace_street(value: str, scope: Scope) -> str:
    """Another number and another street; its kind, its unit's kind and its directions stay."""
    parts = ("street", scope.patient_id, fold(re.sub(r"\W+", " ", value)))
    replaced_name = False

    def other(match: re.Match[str]) -> str:
        nonlocal replaced_name
        word = match.group()
        if any(char.isdigit() for char in word):
            digits = scope.keyed.like(re.sub(r"(?:st|nd|rd|th)$", "", word, flags=re.IGNORECASE), *parts)
            return re.sub(r"^0", "1", digits) + (re.search(r"(?:st|nd|rd|th)$", word, re.IGNORECASE) or [""])[0]
        if fold(word) in _SUFFIXES:
            return word if len(word) > 1 or fold(word) in "nsewpo" else scope.keyed.like(word, *parts)
        if replaced_name:
            return ""
        replaced_name = True
        options = [name for name in _STREETS if fold(name) not in fold(value)]
        return match_case(scope.keyed.choice(options, *parts), word)

    return re.sub(r" {2,}", " ", re.sub(r"[^\W_]+(?:['’][^\W_]+)?", other, value)).strip()


def replace_country(value: str, scope: Scope) -> str:
    """Another country."""
    options = [name for name in _COUNTRIES if fold(name) != fold(value)]
    return match_case(scope.keyed.choice(options, "country", scope.patient_id, fold(value)), value)


def replace_landmark(value: str, scope: Scope) -> str:
    """A room keeps its shape with other digits; a park, river or road keeps its last word and gets another name."""
    parts = ("place", "" if any(char.isdigit() for char in value) else scope.patient_id, fold(value))
    if any(char.isdigit() for char in value):
        return re.sub(r"\d+", lambda match: scope.keyed.like(match.group(), *parts), value)
    words = value.split()
    name = scope.keyed.choice([name for name in _LANDMARKS if fold(name) not in fold(value)], *parts)
    return match_case(f"{name} {words[-1]}" if len(words) > 1 else name, value)


def _state(code: str, scope: Scope) -> str:
    if scope.keeps_states:
        return code
    own = {code, *_own(scope, TermKind.STATE)}
    return scope.keyed.choice([other for other in _by_state() if other not in own], "state", scope.patient_id, code)


def _place(city: str, state: str, scope: Scope) -> tuple[str, str, str]:
    """``(city, state, ZIP)`` of the surrogate of ``city`` in ``state``."""
    made_state = _state(state, scope)
    rows = _by_state()[made_state]
    for attempt in range(_ATTEMPTS):
        name, code = scope.keyed.choice(rows, "city", scope.patient_id, city, state, str(attempt))
        if fold(name) != city and fold(name) not in scope.cities:
            break
    return name, made_state, code


def _code(state: str, city: str, scope: Scope) -> str:
    """The state that a city is in: what stands beside it, else the patient's own, else where most places of its name are."""
    beside = _CODES.get(fold(state).replace(".", ""))
    if beside:
        return beside
    if fold(city) in scope.cities and (own := _own(scope, TermKind.STATE)):
        return sorted(own)[0]
    return _best_known().get(fold(city), "OH")


def _own(scope: Scope, kind: TermKind) -> set[str]:
    return {code for term in scope.of_record(kind) if (code := _CODES.get(fold(term)))}


@cache
def _by_state() -> dict[str, tuple[tuple[str, str], ...]]:
    """State → its ``(city, ZIP)`` rows, one ZIP a city."""
    table: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in read_tsv("places.tsv"):
        if row["state"] in STATE_NAMES:
            table[row["state"]].setdefault(row["city"], row["zip"])
    return {state: tuple(sorted(cities.items())) for state, cities in sorted(table.items())}


@cache
def _by_zip() -> dict[str, tuple[str, str]]:
    return {
        row["zip"]: (fold(row["city"]), row["state"]) for row in read_tsv("places.tsv") if row["state"] in STATE_NAMES
    }


@cache
def _best_known() -> dict[str, str]:
    """City → the state with most ZIPs of that city: a large city has many."""
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for city, state in _by_zip().values():
        counts[city][state] += 1
    return {city: max(sorted(states), key=lambda state: states[state]) for city, states in counts.items()}
