"""Telephone area codes and the cities that they serve: surrogates of both exist together.

Area codes that serve the same places ("overlays") count as one, named by the code that serves most. Each becomes the
area code of the surrogate state that the key chooses, and a city becomes a city that the surrogate of its area code
serves. So a number and a city agree wherever either stands.
"""

from collections import Counter, defaultdict
from functools import cache

from deid_tasks.engine.obfuscate.note_context import SurrogateOptions
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.place_table import (
    Cities,
    area_codes_of_state,
    cities_by_state,
    place_rows,
    states_of_area_code,
)
from deid_tasks.engine.obfuscate.places.places_abroad import surrogate_area_code
from deid_tasks.engine.obfuscate.places.states import surrogate_state
from deid_tasks.engine.obfuscate.places.town_table import area_codes_abroad
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

_ZIP_AREA = 3
"""Digits of a ZIP that name its area."""
_SHARED = 0.8
"""Two area codes are of one area where they share at least this part of the places of the smaller one: overlays share
.88 of them or more, neighbours .62 at most."""
_MIN_CITIES = 10
"""Cities of an area that stands for another one, so that no two towns of a note need become one."""
_MIN_PLACES = 20
"""Places of an area code of the United States; fewer have the codes of Canada at the border, which join nothing."""


@cache
def _leading_codes() -> dict[str, str]:
    """Return for each area code the one of its area that serves most places."""
    places: Counter[str] = Counter()
    shared: Counter[tuple[str, str]] = Counter()
    for _, _, state, areas in place_rows():
        codes = [code for code in areas.split(",") if code and states_of_area_code(code)[0] == state]
        places.update(codes)
        shared.update((one, other) for one in codes for other in codes if one < other)
    leading = {code: code for code in places}
    of_border: defaultdict[str, list[str]] = defaultdict(list)
    for (one, other), both in sorted(shared.items()):
        few, many = sorted((one, other), key=lambda code: (places[code], code))
        if places[few] < _MIN_PLACES <= places[many]:
            of_border[few].append(many)
        elif both >= _SHARED * places[few]:
            joined = {leading[one], leading[other]}
            best = max(joined, key=lambda code: (places[code], code))
            leading.update({code: best for code, lead in leading.items() if lead in joined})
    for code, others in of_border.items():
        nearest = max(others, key=lambda other: (shared[min(code, other), max(code, other)], other))
        leading[code] = leading[nearest]
    return leading


@cache
def _overlays_of_canada() -> dict[str, str]:
    """Return the area codes that serve the same places as one of the table of towns, each with that one."""
    groups = read_grouped_list("places/overlays_of_canada.tsv")
    return {overlay: code for code, overlays in groups.items() for overlay in overlays}


@cache
def _codes_of_state(state: str) -> tuple[str, ...]:
    """Return the leading area codes of a state that serve several cities, or any where none serves several."""
    leading = _leading_codes()
    own = {leading[code] for code in area_codes_of_state(state) if code in leading}
    served = {code: len(_cities_by_code().get((state, code), ())) for code in own}
    several = sorted(code for code, cities in served.items() if cities >= _MIN_CITIES)
    return tuple(several or sorted(code for code, cities in served.items() if cities))


@cache
def _main_codes() -> dict[tuple[str, str], str]:
    """Return the leading area code that most ZIPs of each city of a state have.

    Towns at the border of two areas have both codes in the table: Grand Island NE has 308 and 402. The one that more
    places of the same ZIP area have is theirs.
    """
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    near: defaultdict[str, Counter[str]] = defaultdict(Counter)
    areas_of: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    leading = _leading_codes()
    for zip_code, city, state, areas in place_rows():
        codes = {leading[code] for code in areas.split(",") if code in leading}
        counts[city, state].update(codes)
        near[zip_code[:_ZIP_AREA]].update(codes)
        areas_of[city, state].add(zip_code[:_ZIP_AREA])
    return {
        place: max(sorted(found), key=lambda code: (found[code], sum(near[area][code] for area in areas_of[place])))
        for place, found in counts.items()
        if found
    }


@cache
def _cities_by_code() -> dict[tuple[str, str], Cities]:
    """Return the cities of each state and leading area code all of whose ZIPs have that code."""
    leading, main = _leading_codes(), _main_codes()
    codes: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for _, city, state, areas in place_rows():
        codes[city, state].update({leading[code] for code in areas.split(",") if code in leading})
    found: defaultdict[tuple[str, str], dict[str, tuple[str, ...]]] = defaultdict(dict)
    for state, cities in cities_by_state().items():
        for city, zips in cities.items():
            code = main.get((city, state), "")
            if code and codes[city, state][code] == len(zips):
                found[state, code][city] = zips
    return dict(found)


def cities_near(city: str, state: str, scope: NameScope, options: SurrogateOptions) -> tuple[str, Cities]:
    """Return the area code that replaces a city's own, and the cities of the surrogate state that it serves.

    All cities of the state, and no code, where the city is unknown.

    Args:
        city: its name as the table writes it.
        state: the code of its state.
        scope: whose city it is.
        options: the institution's settings.
    """
    surrogate = surrogate_state(state, scope, options)
    own = _main_codes().get((city, state))
    code = surrogate_of_leading_code(own, surrogate, scope) if own else ""
    if (surrogate, code) not in _cities_by_code():
        code = ""
    return code, cities_of_area(surrogate, code)


def cities_of_area(state: str, area_code: str) -> Cities:
    """Return the cities of a state that an area code serves; all cities of the state for an empty code."""
    return _cities_by_code()[state, area_code] if area_code else cities_by_state()[state]


def surrogate_of_leading_code(code: str, state: str, scope: NameScope) -> str:
    """Return the area code of ``state`` that replaces ``code``; ``code`` itself where the state has no other."""
    others = [other for other in _codes_of_state(state) if other != code]
    return scope.keyed.choice(others, "phone", scope.patient_id, "area", code) if others else code


def replace_area_code(area: str, scope: NameScope, options: SurrogateOptions) -> str:
    """Return an area code of the surrogate state, or of Canada for a Canadian one.

    Empty where no state and no province has the code.
    """
    area = _overlays_of_canada().get(area, area)
    if area in area_codes_abroad("CA", len(area)):
        return surrogate_area_code("CA", area, scope, options)
    if area in _leading_codes():
        state = surrogate_state(states_of_area_code(area)[0], scope, options)
        return surrogate_of_leading_code(_leading_codes()[area], state, scope)
    return ""
