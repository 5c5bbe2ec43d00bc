"""Places that exist: city, state, ZIP and telephone area of one address stay one address, with nothing looked up or remembered.

States change places with states of like size, the same ones in the whole institution; the surrogate city is chosen by key from the
surrogate state's places of like size by the original city and whose it is; the surrogate ZIP is that city's. A ZIP tells its own city and state through the public table of places, a city on its
own the state that it is best known in, so they agree wherever each of them stands. The patient's places belong to the patient; the
town of a hospital belongs to the institution, and is the same in all notes.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from deid_tasks.core.patient import TermKind
from deid_tasks.core.reference import fold, read_columns
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import SurrogateOptions
from deid_tasks.engine.obfuscate.people.name_scope import NameScope, remember

_CODES = {fold(name): code for code, name in STATE_NAMES.items()} | {code.lower(): code for code in STATE_NAMES}
_ATTEMPTS = 50
"""A state has so many places that not one of fifty draws is another than the original has no other."""
_SHORTEST_BEGINNING = 3
_TOWN, _CITY = 2, 6
"""ZIPs from which on a place is a town and a city."""
_LEAST_OF_SIZE = 4
_RESTRICTED = frozenset(
    [
        "036",
        "059",
        "063",
        "102",
        "203",
        "556",
        "692",
        "790",
        "821",
        "823",
        "830",
        "831",
        "878",
        "879",
        "884",
        "890",
        "893",
    ]
)
"""Three-digit ZIP areas of 20,000 people or fewer, which Safe Harbor has written as 000 (Census 2000; HHS guidance of 2012)."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What of an address stands beside a place in the note; empty where nothing does."""

    city: str = ""
    state: str = ""
    zip_code: str = ""


NOTHING = Beside()


def replace_place(value: str, kind: str, scope: NameScope, options: SurrogateOptions, beside: Beside = NOTHING) -> str:
    """The surrogate of a city, state or ZIP (``kind``) of the patient's scope or the institution's."""
    if kind == "state":
        return _replace_state(value, scope, options)
    if kind == "zip":
        return _replace_zip(value, scope, options, beside)
    made = _place(fold(value), _code(beside.state, value, scope, beside.zip_code), scope, options, beside.zip_code)
    return match_case(made[0], value)


def _replace_state(value: str, scope: NameScope, options: SurrogateOptions) -> str:
    code = _state_code(value)
    if code is None:
        return match_case(STATE_NAMES[scope.keyed.choice(sorted(STATE_NAMES), "state", value)], value)
    made = surrogate_state(code, scope, options)
    if len(re.sub(r"\W", "", value)) != 2:
        return match_case(STATE_NAMES[made], value)
    letters = iter(match_case(made, value))
    return "".join(next(letters) if char.isalnum() else char for char in value)


def _replace_zip(value: str, scope: NameScope, options: SurrogateOptions, beside: Beside) -> str:
    """Five figures that the surrogate city has; the same figures behind them keep their shape, a foreign code all of it."""
    if not re.match(r"\d{5}(?!\d{1,3}$)", value, re.ASCII):
        return scope.keyed.like(value, "zip", scope.patient_id)
    if options.kept_zip_digits and value[:3] in _RESTRICTED:
        return "00000" + re.sub(r"\d", "0", value[5:])
    known = _by_zip().get(value[:5])
    city, state = known or (fold(beside.city), _code(beside.state, beside.city, scope))
    made = _place(city, state, scope, options, value)[2]
    if made == value[:5]:
        made = (value[:3] if options.kept_zip_digits else "") + scope.keyed.like(made, "zip")[
            3 if options.kept_zip_digits else 0 :
        ]
    return made + (scope.keyed.like(value[5:], "zip", scope.patient_id) if len(value) > 5 else "")


def surrogate_state(code: str, scope: NameScope, options: SurrogateOptions) -> str:
    """The state that stands for ``code``: one of like size, the same in all notes, so that patients live where their clinics are."""
    return code if options.keeps_states or options.kept_zip_digits else _states(scope.keyed).get(code, code)


@lru_cache(maxsize=64)
def _states(keyed: KeyedChoices) -> dict[str, str]:
    """Each state's surrogate: of a scope that the states of like size stand in, the next. No two share one, and none is its own."""
    ranked = sorted(_by_state(), key=lambda state: (-len(_by_state()[state]), state))
    third = len(ranked) // 3
    made: dict[str, str] = {}
    for states in (ranked[:third], ranked[third : 2 * third], ranked[2 * third :]):
        ring = sorted(states, key=lambda state: keyed.number(1 << 64, "state", state))
        made.update(zip(ring, (*ring[1:], ring[0]), strict=True))
    return made


def surrogate_state_name(folded: str, scope: NameScope) -> str | None:
    """The name of the state that stands for the state named ``folded``; ``None`` where it names none."""
    code = _CODES.get(folded) if len(folded) > 2 else None
    return STATE_NAMES[surrogate_state(code, scope, SurrogateOptions())] if code else None


def states_of_area(area: str) -> tuple[str, ...]:
    """The states that a telephone area code is used in, the one with most places first."""
    return _areas()[0].get(area, ())


def areas_of_state(code: str) -> tuple[str, ...]:
    """The telephone area codes of a state."""
    return _areas()[1].get(code, ())


def _place(
    city: str, state: str, scope: NameScope, options: SurrogateOptions, zip_code: str = ""
) -> tuple[str, str, str]:
    """``(city, state, ZIP)`` of the surrogate of ``city`` in ``state``; its ZIP is one of the city's by the original ZIP."""
    asked = ("place", city, state, zip_code[:3] if options.kept_zip_digits else "")
    name = scope.memo.get(asked)
    made_state = surrogate_state(state, scope, options)
    table = _kept_area(city, state, zip_code, scope) if options.kept_zip_digits else _by_state()[made_state]
    if name is None:
        name = remember(scope.memo, asked, _city(city, state, table, scope, options))
    zips = table[name]
    return (
        name,
        made_state,
        scope.keyed.choice(zips, "zip", scope.patient_id, zip_code[:5]) if len(zips) > 1 else zips[0],
    )


def _city(city: str, state: str, table: dict[str, tuple[str, ...]], scope: NameScope, options: SurrogateOptions) -> str:
    asked = ("city", city, state, len(table))
    if asked in scope.memo:
        return scope.memo[asked]
    size = _size(len(_by_state().get(state, {}).get(_title(city, state), ())))
    names = (
        _of_size(table, size)
        if options.kept_zip_digits
        else _state_of_size(surrogate_state(state, scope, options), size)
    )
    if options.same_length:
        names = tuple(name for name in table if len(name) == len(city)) or names
    cities = sorted(record_cities(scope))
    # The patient's own cities are settled in their order, so that no two become one.
    before = cities[: cities.index(city)] if city in cities else []
    taken = {_city(other, state, table, scope, options) for other in before}
    return remember(scope.memo, asked, _draw_city(city, state, names, scope, taken))


def _draw_city(city: str, state: str, names: Sequence[str], scope: NameScope, taken: set[str]) -> str:
    cities = record_cities(scope)
    for attempt in range(_ATTEMPTS):
        name = scope.keyed.choice(names, "city", scope.patient_id, city, state, str(attempt))
        if fold(name) != city and fold(name) not in cities and name not in taken:
            break
    return name


def record_cities(scope: NameScope) -> frozenset[str]:
    """The patient's own cities, folded."""
    return frozenset(map(fold, scope.of_record(TermKind.CITY)))


def _kept_area(city: str, state: str, zip_code: str, scope: NameScope) -> dict[str, tuple[str, ...]]:
    """The places of the three-digit ZIP area that ``city`` lies in, each with its ZIPs."""
    own = [code for code in scope.of_record(TermKind.ZIP) if city in record_cities(scope)]
    its = _by_state().get(state, {}).get(_title(city, state), ())
    area = next((code[:3] for code in (zip_code, *own, *its) if code), "")
    return _by_area().get(area) or _by_state()[state]


def _code(state: str, city: str, scope: NameScope, zip_code: str = "") -> str:
    """The state that a city is in: what stands beside it, else the patient's own, else where most places of its name are."""
    if beside := _state_code(state):
        return beside
    if known := _by_zip().get(zip_code[:5]):
        return known[1]
    folded = fold(city)
    if folded in record_cities(scope) and (own := sorted(_own_states(scope))):
        return next((code for code in own if _title(folded, code)), own[0])
    return _best_known().get(folded, "OH")


def _state_code(name: str) -> str | None:
    """The code of a state by its code, its name or a beginning of it that no other state shares (Mass., Calif)."""
    folded = fold(name).replace(".", "")
    if (code := _CODES.get(folded)) or len(folded) < _SHORTEST_BEGINNING:
        return code
    codes = {code for other, code in _CODES.items() if other.startswith(folded)}
    return codes.pop() if len(codes) == 1 else None


def _own_states(scope: NameScope) -> set[str]:
    return {code for term in scope.of_record(TermKind.STATE) if (code := _state_code(term))}


def _size(zips: int) -> int:
    return 0 if zips < _TOWN else 1 if zips < _CITY else 2


def _of_size(table: dict[str, tuple[str, ...]], size: int) -> Sequence[str]:
    sized = [name for name, zips in table.items() if _size(len(zips)) == size]
    if len(sized) >= _LEAST_OF_SIZE:
        return sized
    # A state without so many cities of that size has its largest places.
    return sorted(table, key=lambda name: (-len(table[name]), name))[: 3 * _LEAST_OF_SIZE]


@cache
def _state_of_size(state: str, size: int) -> Sequence[str]:
    return _of_size(_by_state()[state], size)


@cache
def _rows() -> list[tuple[str, str, str, str]]:
    """``(ZIP, city, state, area codes)`` of every place in a state."""
    rows = read_columns("places.tsv", "zip", "city", "state", "area_codes")
    return [(zip_code, city, state, areas) for zip_code, city, state, areas in rows if state in STATE_NAMES]


@cache
def _by_state() -> dict[str, dict[str, tuple[str, ...]]]:
    """State → city → its ZIPs."""
    table: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for zip_code, city, state, _ in _rows():
        table[state][city].append(zip_code)
    return {
        state: {city: tuple(zips) for city, zips in sorted(cities.items())} for state, cities in sorted(table.items())
    }


@cache
def _titles() -> dict[tuple[str, str], str]:
    return {(fold(city), state): city for _, city, state, _ in _rows()}


def _title(folded: str, state: str) -> str:
    """A city's name as the table writes it; empty where the state has none of that name."""
    return _titles().get((folded, state), "")


@cache
def _by_area() -> dict[str, dict[str, tuple[str, ...]]]:
    """Three-digit ZIP area → city → its ZIPs."""
    table: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for zip_code, city, _, _ in _rows():
        table[zip_code[:3]][city].append(zip_code)
    return {area: {city: tuple(zips) for city, zips in cities.items()} for area, cities in table.items()}


@cache
def _by_zip() -> dict[str, tuple[str, str]]:
    folded = {city: fold(city) for _, city, _, _ in _rows()}
    return {zip_code: (folded[city], state) for zip_code, city, state, _ in _rows()}


@cache
def _areas() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Area code → its states; state → its area codes. One that few places of a state have is its neighbour's."""
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for _, _, state, areas in _rows():
        for area in areas.split(","):
            if area:
                counts[area][state] += 1
    states = {area: tuple(sorted(found, key=lambda state: (-found[state], state))) for area, found in counts.items()}
    codes: defaultdict[str, list[str]] = defaultdict(list)
    for area, found in sorted(states.items()):
        codes[found[0]].append(area)
    return states, {state: tuple(found) for state, found in codes.items()}


@cache
def area_codes() -> tuple[str, ...]:
    """The area codes in use in the United States."""
    return tuple(sorted(_areas()[0]))


@cache
def _best_known() -> dict[str, str]:
    """City → the state with most ZIPs of that city: a large city has many."""
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for city, state in _by_zip().values():
        counts[city][state] += 1
    return {city: max(sorted(states), key=lambda state: states[state]) for city, states in counts.items()}
