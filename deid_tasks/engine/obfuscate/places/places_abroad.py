"""Towns, regions and postcodes outside the United States: surrogates of the same country that exist together.

An area code becomes another of the same country, by key and by whose it is; where each town has one of its own, another
of the region that replaces its region. A town becomes a town that the surrogate of its area code serves. Region and
postcode are those of the surrogate town. So the parts of an
address and its telephone number agree wherever each of them stands, with nothing looked up or remembered.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import SurrogateOptions
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.address import AddressParts
from deid_tasks.engine.obfuscate.places.place_table import largest_cities
from deid_tasks.engine.obfuscate.places.regions import (
    COUNTRIES_OF_LOCAL_CODES,
    nation_of,
    nation_of_postcode,
    surrogate_local_code,
    surrogate_towns,
)
from deid_tasks.engine.obfuscate.places.states import state_code_of
from deid_tasks.engine.obfuscate.places.town_table import (
    HOME,
    TableTown,
    area_codes_abroad,
    countries,
    country_of_region,
    town_named,
    town_of_postcode,
    town_of_region,
    towns_of,
    towns_with_area_code,
)
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

_LETTERED_POSTCODES = {
    "GB": re.compile(r"([A-Z]{1,2}\d[A-Z\d]?)(?: ?(\d[A-Z]{2}))?", re.IGNORECASE),
    "CA": re.compile(r"([A-Z]\d[A-Z])(?:[ -]?(\d[A-Z]\d))?", re.IGNORECASE),
    "IE": re.compile(r"([AC-FHKNPRTV-Y]\d[\dW]) ?([AC-FHKNPRTV-Y\d]{4})", re.IGNORECASE),
}
"""Postcodes whose form tells the country: the part that a town has, and the part behind it."""
_DIGITS_OF_POSTCODES = {"AU": 4, "NZ": 4, "IN": 6, "SG": 6, "DE": 5, "FR": 5, "ES": 5, "ZA": 4}
_POSTCODE_LETTERS = {"GB": "ABDEFGHJLNPQRSTUWXYZ", "CA": "ABCEGHJKLMNPRSTVWXYZ", "IE": "ACDEFHKNPRTVWXY"}
"""Letters that the second part of a postcode may have: Royal Mail PAF, Canada Post, Eircode."""
_COUNTY = re.compile(r"(?:co\.?|county)\s+", re.IGNORECASE)
_LARGE_CITY_ZIPS = 6
_MIN_TOWNS_OF_AREA = 4
"""Towns of a region that stands for an area of postcodes of which the table has no town."""
_MAX_SALT_DIGITS = 2
"""Digits of a salt from which on a town may move to another region: its own has no town left."""


def country_of_place(value: str, entity: Entity, address: AddressParts, country: str) -> str:
    """Return the country that a city, a state or a ZIP lies in: by its address, its form, its name, then the note.

    Args:
        value: the original.
        entity: which of the three it is.
        address: the address that it stands in.
        country: the note's.
    """
    if lettered := country_of_postcode(address.zip_code or (value if entity is Entity.ZIP else "")):
        return lettered
    if entity is Entity.ZIP:
        return country if len(re.sub(r"\D", "", value)) == _DIGITS_OF_POSTCODES.get(country, 0) else HOME
    region = fold(_COUNTY.sub("", address.state or (value if entity is Entity.STATE else "")))
    if region:
        if country != HOME and town_of_region(region, country):
            return country
        return HOME if state_code_of(region) else country_of_region(region) or country
    return _country_of_city(fold(value), country)


def _country_of_city(folded: str, country: str) -> str:
    """Return the country of a city that stands without a state and a postcode."""
    if country != HOME and town_named(folded, country):
        return country
    _, zips = largest_cities().get(folded, ("", 0))
    if country == HOME:
        town = None if zips else town_named(folded)
        return town.country if town else HOME
    if zips >= _LARGE_CITY_ZIPS:
        return HOME
    # Towns of another country often have the names of towns of this one: Halifax in an English letter.
    return country


def country_of_postcode(value: str) -> str:
    """Return the country of a postcode whose letters tell it; empty for others."""
    for country, form in _LETTERED_POSTCODES.items():
        found = form.fullmatch(value.strip())
        # The first part alone tells no country: "E8" may be anything.
        if found and found[2]:
            return country
    return ""


def replace_place_abroad(
    value: str, entity: Entity, country: str, scope: NameScope, options: SurrogateOptions, address: AddressParts
) -> str:
    """Return the surrogate of a town, a region or a postcode.

    Args:
        value: the original.
        entity: which of the three it is.
        country: the country that it lies in; one of the table of towns.
        scope: whose it is.
        options: the institution's settings.
        address: the address that it stands in.
    """
    if country not in countries():
        return scope.keyed.like(value, "zip", scope.patient_id)
    town = _surrogate_of_address(value, entity, country, scope, options, address)
    if entity is Entity.ZIP:
        return _postcode(value, country, town, scope)
    if entity is Entity.CITY:
        if address.is_suburb and town_named(fold(value), country) is None:
            return replace_village(value, country, town.region, scope)
        return match_case(town.name, value)
    if options.keeps_states:
        return value
    return _region(value, town)


def replace_village(value: str, country: str, region: str, scope: NameScope) -> str:
    """Return another village or another part of a town, named as such are in the country or in its nation.

    Args:
        value: the original.
        country: the country that it lies in; one of the table of towns.
        region: where its surrogate lies, as the table writes it; empty where that does not matter.
        scope: whose it is.
    """
    villages = read_grouped_list("places/villages.tsv")
    named = villages.get(nation_of(region)) or villages[country]
    others = [name for name in named if fold(name) != fold(value)]
    return match_case(scope.keyed.choice(others, "suburb", scope.patient_id, fold(value)), value)


def surrogate_area_code(country: str, area_code: str, scope: NameScope, options: SurrogateOptions) -> str:
    """Return the area code that replaces ``area_code``; itself where there is no other.

    It has the same length, unless each town has a code of its own and the surrogate region has none so long.
    """
    if options.keeps_states or options.kept_zip_digits:
        return area_code
    if country in COUNTRIES_OF_LOCAL_CODES:
        return surrogate_local_code(country, area_code, scope)
    others = [code for code in area_codes_abroad(country, len(area_code)) if code != area_code]
    if not others:
        return area_code
    return scope.keyed.choice(others, "area code", scope.patient_id, country, area_code)


def _surrogate_of_address(
    value: str, entity: Entity, country: str, scope: NameScope, options: SurrogateOptions, address: AddressParts
) -> TableTown:
    city = address.city or (value if entity is Entity.CITY else "")
    postcode = address.zip_code or (value if entity is Entity.ZIP else "")
    region = address.state or (value if entity is Entity.STATE else "")
    town = _town_of_address(city, postcode, region, country)
    if town is None:
        others = _towns_elsewhere(postcode, region, country, scope)
        name = address.salt + fold(city or region or postcode)
        return scope.keyed.choice(others, "town", scope.patient_id, country, name)
    return _surrogate_town(town, scope, options, address.salt)


def _towns_elsewhere(postcode: str, region: str, country: str, scope: NameScope) -> Sequence[TableTown]:
    """Return the towns that may replace one of which the table knows nothing near it.

    "Hants" is Hampshire: a county without a town in the table becomes one with another first letter. All addresses of
    one area of postcodes come into one region.
    """
    nation = nation_of_postcode(postcode) if country == "GB" else ""
    others = [one for one in towns_of(country) if not region or one.region[:1] != region[:1]]
    others = [one for one in others if nation_of(one.region) == nation] or others or list(towns_of(country))
    area = "".join(takewhile(str.isalpha, postcode.upper()))
    if not area:
        return others
    counts = Counter(one.region for one in others)
    large = sorted(one for one in counts if counts[one] >= _MIN_TOWNS_OF_AREA) or sorted(counts)
    replaced = scope.keyed.choice(large, "region", scope.patient_id, country, area)
    return [one for one in others if one.region == replaced]


def _town_of_address(city: str, postcode: str, region: str, country: str) -> TableTown | None:
    """Return the town of the table in which an address lies, or near which; ``None`` where nothing tells."""
    if town := town_named(fold(city), country):
        return town
    of_postcode = town_of_postcode(postcode, country) if postcode else None
    of_region = town_of_region(fold(_COUNTY.sub("", region)), country)
    if of_postcode and of_region and of_postcode.region != of_region.region:
        # Towns near a border have postcodes that are named after a town of the other region.
        return of_region
    return of_postcode or of_region


def area_code_of_address(address: AddressParts, country: str, scope: NameScope, options: SurrogateOptions) -> str:
    """Return the area code of the surrogate of an address; empty where nothing tells where it lies.

    Args:
        address: the original.
        country: the country that it lies in; one of the table of towns.
        scope: whose it is.
        options: the institution's settings.
    """
    town = _town_of_address(address.city, address.zip_code, address.state, country)
    if town is None and address.zip_code[:1].isalpha():
        return _surrogate_of_address(address.city, Entity.CITY, country, scope, options, address).area_code
    return surrogate_area_code(country, town.area_code, scope, options) if town else ""


def _surrogate_town(town: TableTown, scope: NameScope, options: SurrogateOptions, salt: str = "") -> TableTown:
    area_code = surrogate_area_code(town.country, town.area_code, scope, options)
    if town.country in COUNTRIES_OF_LOCAL_CODES:
        served = surrogate_towns(town, area_code, scope)
    else:
        served = towns_with_area_code(town.country, area_code)
    others = [other for other in served if other != town]
    if options.keeps_states:
        others = [other for other in towns_of(town.country) if other != town and other.region == town.region]
    elif salt:
        # Its surrogate is another town's of the note; few towns share an area code, more a region.
        own = _surrogate_town(town, scope, options)
        nation = nation_of(own.region)
        abroad = [one for one in towns_of(town.country) if one not in {town, own} and nation_of(one.region) == nation]
        near = [other for other in abroad if other.region == own.region]
        others = near if near and len(salt) < _MAX_SALT_DIGITS else abroad
    return scope.keyed.choice(others, "town", scope.patient_id, town.country, salt + town.name) if others else town


def _region(value: str, town: TableTown) -> str:
    """Return the region of a town, abbreviated as ``value`` is."""
    if not town.region:
        return value
    if town.region_code and len(re.sub(r"\W", "", value)) <= 3:
        return match_case(town.region_code, value)
    county = _COUNTY.match(value)
    lead = county.group() if county and (town.country == "IE" or _COUNTY.match(town.region)) else ""
    return match_case(lead + (_COUNTY.sub("", town.region) if lead else town.region), value)


def _postcode(value: str, country: str, town: TableTown, scope: NameScope) -> str:
    """Return a postcode of a town, in the form of ``value``."""
    parts = ("zip", scope.patient_id)
    head = scope.keyed.choice(town.postcodes, *parts, value)
    lettered = _LETTERED_POSTCODES.get(country)
    if lettered is None:
        digits = head + "".join(char for char in value if char.isdigit())[len(head) :]
        tail = scope.keyed.like(digits[len(head) :], *parts, value) if len(digits) > len(head) else ""
        stream = iter(head + tail)
        return "".join(next(stream, "") if char.isdigit() else char for char in value)
    match = lettered.fullmatch(value.strip())
    if match is None:
        return scope.keyed.like(value, *parts)
    if match[2] is None:
        return match_case(head, value)
    between = value.strip()[match.end(1) : match.start(2)]
    tail = scope.keyed.like(match[2].upper(), *parts, value, upper=_POSTCODE_LETTERS[country])
    return match_case(head + between + tail, value)
