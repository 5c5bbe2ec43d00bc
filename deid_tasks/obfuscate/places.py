"""Places that exist: city, state, ZIP and street of one address stay one address, with nothing looked up or remembered.

A patient's surrogate state is chosen by key from the original state; the surrogate city from that state's places by the original
city; the surrogate ZIP is that city's. A ZIP tells its own city and state through the public table of places, a city on its own
the state that it is best known in, so the three agree wherever each of them stands.
"""

import re
from collections import defaultdict
from functools import cache
from itertools import count

from deid_tasks.obfuscate.cases import match_case
from deid_tasks.obfuscate.scope import Scope
from deid_tasks.obfuscate.words import rewrite_words
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
_SHORTEST_BEGINNING = 3
_LONGEST_CODE = 3
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
        return _replace_state(value, scope)
    if kind == "zip":
        return _replace_zip(value, scope, city, state)
    return match_case(_place(fold(value), _code(state, value, scope), scope)[0], value)


def _replace_state(value: str, scope: Scope) -> str:
    code = _state_code(value)
    if code is None:
        return match_case(STATE_NAMES[scope.keyed.choice(sorted(STATE_NAMES), "state", value)], value)
    made = _state(code, scope)
    if len(re.sub(r"\W", "", value)) != 2:
        return match_case(STATE_NAMES[made], value)
    letters = iter(match_case(made, value))
    return "".join(next(letters) if char.isalnum() else char for char in value)


def _replace_zip(value: str, scope: Scope, city: str, state: str) -> str:
    """Five figures that the surrogate city has; the same figures behind them keep their shape, a foreign code all of it."""
    if not re.match(r"\d{5}(?!\d{1,3}$)", value, re.ASCII):
        return scope.keyed.like(value, "zip", scope.patient_id)
    known = _by_zip().get(value[:5])
    found_city, found_state = known or (fold(city), _code(state, city, scope))
    made = _place(found_city, found_state, scope)[2]
    rest = scope.keyed.like(value[5:], "zip", scope.patient_id) if len(value) > 5 else ""
    return (scope.keyed.like(made, "zip") if made == value[:5] else made) + rest


def replace_street(value: str, scope: Scope) -> str:
    """Another number and another street; its kind, its unit's kind and its directions stay."""
    parts = ("street", scope.patient_id, fold(re.sub(r"\W+", " ", value)))
    folded = fold(value)
    name = next(
        made
        for attempt in count()
        if fold(made := scope.keyed.choice(_STREETS, *parts, "name", str(attempt))) not in folded
    )
    named = False

    def rewrite(word: str) -> str | None:
        nonlocal named
        if any(char.isdigit() for char in word):
            return _other_number(word, parts, scope)
        if fold(word) in _SUFFIXES:
            return word if len(word) > 1 or fold(word) in "nsewpo" else scope.keyed.like(word, *parts)
        if named:
            return None
        named = True
        return match_case(name, word)

    made_street = rewrite_words(value, rewrite)
    return made_street if made_street != value else scope.keyed.like(value, *parts)


def _other_number(word: str, parts: tuple[str, ...], scope: Scope) -> str:
    """Other figures, with a letter or an ordinal ending that fits behind them."""
    ordinal = re.fullmatch(r"(\d+)(st|nd|rd|th)", word, re.IGNORECASE)
    made = re.sub(r"^0", "1", scope.keyed.like(ordinal[1] if ordinal else word, *parts))
    if made == word:
        made = "2" + made[1:]
    if not ordinal:
        return made
    ending = "th" if made[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(made[-1], "th")
    return made + match_case(ending, ordinal[2])


def replace_country(value: str, scope: Scope) -> str:
    """Another country."""
    folded = fold(value)
    draws = (scope.keyed.choice(_COUNTRIES, "country", scope.patient_id, folded, str(attempt)) for attempt in count())
    made = next(name for name in draws if fold(name) not in folded)
    # Letters that stand for a country (U.K., USA) give way to a name, which is not written in capitals.
    return made if sum(map(str.isalpha, value)) <= _LONGEST_CODE and value.isupper() else match_case(made, value)


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
    beside = _state_code(state)
    if beside:
        return beside
    if fold(city) in scope.cities and (own := _own(scope, TermKind.STATE)):
        return sorted(own)[0]
    return _best_known().get(fold(city), "OH")


def _state_code(name: str) -> str | None:
    """The code of a state by its code, its name or a beginning of it that no other state shares (Mass., Calif)."""
    folded = fold(name).replace(".", "")
    if (code := _CODES.get(folded)) or len(folded) < _SHORTEST_BEGINNING:
        return code
    codes = {code for other, code in _CODES.items() if other.startswith(folded)}
    return codes.pop() if len(codes) == 1 else None


def _own(scope: Scope, kind: TermKind) -> set[str]:
    return {code for term in scope.of_record(kind) if (code := _state_code(term))}


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
