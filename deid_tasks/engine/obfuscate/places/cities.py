"""Cities and ZIPs: the surrogates of one address are one address that exists, with nothing looked up or remembered.

States are exchanged as ``states`` says. The surrogate city is chosen by key from the places of similar size in the
surrogate state; the choice depends on the original city and on whose it is. The surrogate ZIP is one of that city's. A
ZIP determines its city and state through the public table of places, and a city that stands alone gets the state in
which a city of that name is largest: so the surrogates agree wherever each of the originals stands. A patient's places
depend on the patient. The town of a hospital depends on the institution, and is the same in all notes.
"""

import re
from collections.abc import Sequence
from functools import cache

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import TermKind
from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import SurrogateOptions
from deid_tasks.engine.obfuscate.people.name_scope import NameScope, remember
from deid_tasks.engine.obfuscate.places.address import NO_ADDRESS, AddressParts
from deid_tasks.engine.obfuscate.places.area_codes import cities_near, cities_of_area
from deid_tasks.engine.obfuscate.places.place_table import (
    Cities,
    cities_by_state,
    cities_by_zip_area,
    city_by_zip,
    city_name,
    state_of_city,
)
from deid_tasks.engine.obfuscate.places.places_abroad import country_of_place, replace_place_abroad
from deid_tasks.engine.obfuscate.places.restricted_areas import is_restricted_area
from deid_tasks.engine.obfuscate.places.states import replace_state, state_code_of, surrogate_state
from deid_tasks.engine.obfuscate.places.town_table import HOME

_ATTEMPTS = 50
"""A state has so many places that at least one of fifty draws differs from the original, unless it has no other
place."""
_TOWN_ZIPS, _CITY_ZIPS = 2, 6
"""Numbers of ZIPs from which on a place is a town, and a city."""
_MIN_PLACES_OF_SIZE = 4
_AREA_ALONE = re.compile(r"(\d{3})(?:[Xx*]{2})?", re.ASCII)
"""The first three digits of a ZIP, with or without signs for the others."""
_BASE = re.compile(
    r"\b(?:Joint Base|Camp|Navy Yard|Afb|Air Force|Naval|Fpo|Apo|Mcbh|Jbphh|Jber|Jrb|Stc|Arsenal"
    r"|Fort (?:Belvoir|Benning|Bliss|Bragg|Campbell|Drum|Eustis|George|Gordon|Hood|Huachuca|Irwin|Jackson|Johnson|Knox"
    r"|Leavenworth|Lee|Leonard|Monroe|Myer|Polk|Riley|Rucker|Shafter|Sill|Stewart|Wainwright))\b",
    re.IGNORECASE,
)
"""Bases, which are not clinics."""
_DEFAULT_STATE = "OH"
"""The state of a city that the table does not have."""


def replace_place(
    value: str,
    entity: Entity,
    scope: NameScope,
    options: SurrogateOptions,
    address: AddressParts = NO_ADDRESS,
    country: str = HOME,
) -> str:
    """Return the surrogate of a city, a state or a ZIP.

    Args:
        value: the original.
        entity: which of the three it is.
        scope: whose it is: the patient's, or the institution's.
        options: the institution's settings.
        address: the address that it stands in.
        country: the note's.
    """
    if (own := country_of_place(value, entity, address, country)) != HOME:
        return replace_place_abroad(value, entity, own, scope, options, address)
    if entity is Entity.STATE:
        return replace_state(value, scope, options)
    if entity is Entity.ZIP:
        return _replace_zip(value, scope, options, address)
    state = _state_of(address.state, value, scope, address.zip_code)
    name, _ = _surrogate_place(fold(value), state, scope, options, address.zip_code, address.salt)
    return match_case(name, value)


def _replace_zip(value: str, scope: NameScope, options: SurrogateOptions, address: AddressParts) -> str:
    """Return a ZIP of the surrogate city; further digits keep their shape, and so does a foreign code."""
    if options.kept_zip_digits and (area := _AREA_ALONE.fullmatch(value)):
        return "000" + value[3:] if is_restricted_area(area[1]) else value
    if not re.match(r"\d{5}(?!\d{1,3}$)", value, re.ASCII):
        return scope.keyed.like(value, "zip", scope.patient_id)
    if options.kept_zip_digits and is_restricted_area(value[:3]):
        return "00000" + re.sub(r"\d", "0", value[5:])
    known = city_by_zip().get(value[:5])
    city, state = known or (fold(address.city), _state_of(address.state, address.city, scope))
    if known and address.city:
        # Several towns share a ZIP, of which the table names one: Wyndmoor, PA 19038 is Glenside's.
        city = fold(address.city)
    _, surrogate = _surrogate_place(city, state, scope, options, value, address.salt)
    if surrogate == value[:5]:
        surrogate = _other_in_area(surrogate, scope) if options.kept_zip_digits else scope.keyed.like(surrogate, "zip")
    return surrogate + (scope.keyed.like(value[5:], "zip", scope.patient_id) if len(value) > 5 else "")


def _other_in_area(zip_code: str, scope: NameScope) -> str:
    """Return a ZIP with the same first three digits and other ones behind them."""
    step = 1 + scope.keyed.number(99, "zip", scope.patient_id, zip_code)
    return f"{zip_code[:3]}{(int(zip_code[3:5]) + step) % 100:02d}"


def _surrogate_place(
    city: str, state: str, scope: NameScope, options: SurrogateOptions, zip_code: str = "", salt: str = ""
) -> tuple[str, str]:
    """Return ``(city, ZIP)`` of the surrogate of ``city`` in ``state``.

    The original ZIP decides which of the surrogate city's ZIPs it is; ``salt`` makes another choice.
    """
    question = ("place", city, state, zip_code[:3] if options.kept_zip_digits else "", salt)
    name = scope.memo.get(question)
    if options.kept_zip_digits:
        area, table = _kept_area(city, state, zip_code, scope)
    else:
        area, table = cities_near(city_name(city, state), state, scope, options)
    if name is None:
        name = _surrogate_city(city, state, area, table, scope, options, salt)
        if area and fold(name) == city:
            # The area has no other town: its name goes, and the three digits of its ZIP stay.
            name = _surrogate_city(city, state, "", cities_by_state()[state], scope, options)
        remember(scope.memo, question, name)
    zips = table.get(name) or tuple(code for codes in table.values() for code in codes)
    if len(zips) == 1:
        return name, zips[0]
    return name, scope.keyed.choice(zips, "zip", scope.patient_id, zip_code[:5])


def _surrogate_city(
    city: str, state: str, area: str, table: Cities, scope: NameScope, options: SurrogateOptions, salt: str = ""
) -> str:
    """Return a city of ``table`` for ``city``.

    ``area`` is the ZIP area or the telephone area that the table holds, empty for a whole state.
    """
    question = ("city", city, state, area, salt)
    if question in scope.memo:
        return scope.memo[question]
    size = _size_class(len(cities_by_state().get(state, {}).get(city_name(city, state), ())))
    surrogate = surrogate_state(state, scope, options)
    names = _of_size(table, size) if options.kept_zip_digits else _cities_of_size(surrogate, area, size)
    if options.same_length:
        names = tuple(name for name in table if len(name) == len(city)) or names
    cities = sorted(_record_cities(scope))
    # The patient's own cities get surrogates in their order, so that no two get the same one.
    before = cities[: cities.index(city)] if city in cities else []
    taken = {_surrogate_city(other, state, area, table, scope, options) for other in before}
    return remember(scope.memo, question, _draw_city(city, state, names, scope, taken, salt))


def _draw_city(city: str, state: str, names: Sequence[str], scope: NameScope, taken: set[str], salt: str = "") -> str:
    own_cities = _record_cities(scope)
    for attempt in range(_ATTEMPTS):
        name = scope.keyed.choice(names, "city", scope.patient_id, city, state, f"{salt}{attempt}")
        if fold(name) != city and fold(name) not in own_cities and name not in taken and not _BASE.search(name):
            break
    return name


def _record_cities(scope: NameScope) -> frozenset[str]:
    """Return the patient's own cities, folded."""
    return frozenset(map(fold, scope.of_record(TermKind.CITY)))


def _kept_area(city: str, state: str, zip_code: str, scope: NameScope) -> tuple[str, Cities]:
    """Return the three-digit ZIP area of ``city`` and its places.

    An unknown area, and one of 20,000 people or fewer, is empty, and its places are all places of the state.
    """
    own = [code for code in scope.of_record(TermKind.ZIP) if city in _record_cities(scope)]
    of_city = cities_by_state().get(state, {}).get(city_name(city, state), ())
    area = next((code[:3] for code in (zip_code, *own, *of_city) if code), "")
    if not is_restricted_area(area) and (places := cities_by_zip_area().get(area)):
        return area, places
    return "", cities_by_state()[state]


def _state_of(state: str, city: str, scope: NameScope, zip_code: str = "") -> str:
    """Return the state of a city.

    It is the state beside the city, else the ZIP's, else the patient's, else the one with the largest city of that
    name.
    """
    if beside := state_code_of(state):
        return beside
    if known := city_by_zip().get(zip_code[:5]):
        return known[1]
    folded = fold(city)
    if folded in _record_cities(scope) and (own := sorted(_record_states(scope))):
        return next((code for code in own if city_name(folded, code)), own[0])
    return state_of_city().get(folded, _DEFAULT_STATE)


def _record_states(scope: NameScope) -> set[str]:
    return {code for term in scope.of_record(TermKind.STATE) if (code := state_code_of(term))}


def _size_class(zips: int) -> int:
    return 0 if zips < _TOWN_ZIPS else 1 if zips < _CITY_ZIPS else 2


def _of_size(table: Cities, size: int) -> Sequence[str]:
    """Return the places of a size class; the largest places where the table has too few of them."""
    sized = [name for name, zips in table.items() if _size_class(len(zips)) == size]
    if len(sized) >= _MIN_PLACES_OF_SIZE:
        return sized
    largest = sorted(table, key=lambda name: (-len(table[name]), name))[: 3 * _MIN_PLACES_OF_SIZE]
    several = sum(len(table[name]) > 1 for name in largest)
    return largest[: max(several, _MIN_PLACES_OF_SIZE)]


@cache
def _cities_of_size(state: str, area_code: str, size: int) -> Sequence[str]:
    return _of_size(cities_of_area(state, area_code), size)
