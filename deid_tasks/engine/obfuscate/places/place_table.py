"""The public table of places, indexed by state, ZIP, three-digit ZIP area, city and telephone area code."""

from collections import defaultdict
from functools import cache

from deid_tasks.core.reference import fold, read_columns
from deid_tasks.core.us_states import STATE_NAMES

Cities = dict[str, tuple[str, ...]]
"""City, as the table writes it → its ZIPs."""


@cache
def place_rows() -> list[tuple[str, str, str, str]]:
    """Return ``(ZIP, city, state, area codes)`` of every place in a state; the area codes are separated by commas."""
    rows = read_columns("places.tsv", "zip", "city", "state", "area_codes")
    return [(zip_code, city, state, areas) for zip_code, city, state, areas in rows if state in STATE_NAMES]


@cache
def cities_by_state() -> dict[str, Cities]:
    """Return the cities of each state, in the order of their names."""
    table: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for zip_code, city, state, _ in place_rows():
        table[state][city].append(zip_code)
    return {
        state: {city: tuple(zips) for city, zips in sorted(cities.items())} for state, cities in sorted(table.items())
    }


@cache
def cities_by_zip_area() -> dict[str, Cities]:
    """Return the cities of each three-digit ZIP area, in the order of the table."""
    table: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for zip_code, city, _, _ in place_rows():
        table[zip_code[:3]][city].append(zip_code)
    return {area: {city: tuple(zips) for city, zips in cities.items()} for area, cities in table.items()}


@cache
def city_by_zip() -> dict[str, tuple[str, str]]:
    """Return ``(city, folded; state)`` of each ZIP."""
    folded = {city: fold(city) for _, city, _, _ in place_rows()}
    return {zip_code: (folded[city], state) for zip_code, city, state, _ in place_rows()}


@cache
def _city_names() -> dict[tuple[str, str], str]:
    return {(fold(city), state): city for _, city, state, _ in place_rows()}


def city_name(folded: str, state: str) -> str:
    """Return a city's name as the table writes it; empty where the state has no such city."""
    return _city_names().get((folded, state), "")


@cache
def largest_cities() -> dict[str, tuple[str, int]]:
    """Return for each city, folded, the state in which a city of that name has most ZIPs, and how many: large cities
    have many."""
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for city, state in city_by_zip().values():
        counts[city][state] += 1
    largest = {city: max(sorted(states), key=lambda state: states[state]) for city, states in counts.items()}
    return {city: (state, counts[city][state]) for city, state in largest.items()}


@cache
def state_of_city() -> dict[str, str]:
    """Return for each city, folded, the state in which a city of that name has most ZIPs."""
    return {city: state for city, (state, _) in largest_cities().items()}


@cache
def _area_code_tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the states of each area code, and the area codes of each state.

    An area code belongs to the state with most places that use it; a state where few do has it from a neighbour.
    """
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for _, _, state, areas in place_rows():
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
    """Return the telephone area codes in use in the United States."""
    return tuple(sorted(_area_code_tables()[0]))


def states_of_area_code(area: str) -> tuple[str, ...]:
    """Return the states that use a telephone area code, the one with most places first; empty where no state does."""
    return _area_code_tables()[0].get(area, ())


def area_codes_of_state(code: str) -> tuple[str, ...]:
    """Return the telephone area codes of a state."""
    return _area_code_tables()[1].get(code, ())
