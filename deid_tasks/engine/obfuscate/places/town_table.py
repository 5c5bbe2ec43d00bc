"""The public table of towns outside the United States: region, postcodes and area code of each."""

import re
from collections import defaultdict
from functools import cache
from typing import NamedTuple

from deid_tasks.core.reference import fold, read_columns
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

HOME = "US"
"""The country of the table of places; all others have their towns in this table."""


_DISTRICT = re.compile(r"(?P<area>[A-Z]{1,2})(?P<number>\d{1,2})[A-Z]?(?=\b)")
"""The first part of a British postcode."""


class TableTown(NamedTuple):
    """One town with what exists together in it."""

    country: str
    """Two letters of ISO 3166-1."""
    name: str
    region: str
    """County, state or province; empty where the country has none."""
    region_code: str
    """How addresses abbreviate the region; empty where they do not."""
    postcodes: tuple[str, ...]
    """Postcodes, or the first characters of those that have more: districts, sectors, routing keys."""
    area_code: str
    """Telephone area code without the trunk prefix 0."""


@cache
def _rows() -> tuple[TableTown, ...]:
    rows = read_columns("towns.tsv", "country", "town", "region", "region_code", "postcodes", "area_code")
    return tuple(
        TableTown(country, name, region, code, tuple(postcodes.split(",")), area)
        for country, name, region, code, postcodes, area in rows
    )


@cache
def countries() -> frozenset[str]:
    """Return the countries that the table has."""
    return frozenset(town.country for town in _rows())


@cache
def towns_of(country: str) -> tuple[TableTown, ...]:
    """Return the towns of a country, in the order of the table."""
    return tuple(town for town in _rows() if town.country == country)


@cache
def _by_name() -> dict[str, tuple[TableTown, ...]]:
    found: defaultdict[str, list[TableTown]] = defaultdict(list)
    for town in _rows():
        found[fold(town.name)].append(town)
    return {name: tuple(towns) for name, towns in found.items()}


def town_named(folded: str, country: str = "") -> TableTown | None:
    """Return the town of that name: in ``country`` if given, else where only one country has it."""
    towns = _by_name().get(folded, ())
    if country:
        return next((town for town in towns if town.country == country), None)
    return towns[0] if len(towns) == 1 else None


@cache
def _by_postcode(country: str) -> dict[str, TableTown]:
    return {postcode: town for town in reversed(towns_of(country)) for postcode in town.postcodes}


def town_of_postcode(postcode: str, country: str) -> TableTown | None:
    """Return the town of a postcode: the one with the longest beginning in common, of two letters or of one figure."""
    plain = "".join(char for char in postcode.upper() if char.isalnum())
    table = _by_postcode(country)
    if country == "GB" and (district := _DISTRICT.match(postcode.upper().strip())):
        return _nearest_district(district["area"], int(district["number"]))
    for length in range(len(plain), 0 if plain[:1].isdecimal() else 1, -1):
        head = plain[:length]
        if (town := table.get(head)) or (town := next((table[code] for code in table if code.startswith(head)), None)):
            return town
    return None


@cache
def _nearest_district(area: str, number: int) -> TableTown | None:
    """Return the British town of the postcode district with the nearest number in an area: PL22 is near PL25."""
    numbers = {
        int(found["number"]): town
        for code, town in _by_postcode("GB").items()
        if (found := _DISTRICT.match(code)) and found["area"] == area
    }
    return numbers[min(numbers, key=lambda one: (abs(one - number), one))] if numbers else None


@cache
def towns_with_area_code(country: str, area_code: str) -> tuple[TableTown, ...]:
    """Return the towns of a country that an area code serves."""
    return tuple(town for town in towns_of(country) if town.area_code == area_code)


@cache
def area_codes_abroad(country: str, length: int) -> tuple[str, ...]:
    """Return the area codes of that many digits, in order."""
    return tuple(sorted({town.area_code for town in towns_of(country) if len(town.area_code) == length}))


@cache
def _by_region() -> dict[tuple[str, str], TableTown]:
    found: dict[tuple[str, str], TableTown] = {}
    for town in _rows():
        for name in filter(None, (fold(town.region), fold(town.region_code))):
            found.setdefault((town.country, name), town)
    return found


def town_of_region(folded: str, country: str) -> TableTown | None:
    """Return the first town of the region with that name or abbreviation."""
    return _by_region().get((country, folded))


@cache
def _countries_of_regions() -> dict[str, str]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for country, name in _by_region():
        found[name].add(country)
    for country, names in read_grouped_list("places/regions_abroad.tsv").items():
        for name in names:
            found[fold(name)].add(country)
    return {name: next(iter(of_name)) for name, of_name in found.items() if len(of_name) == 1}


def country_of_region(folded: str) -> str:
    """Return the one country that has a region of that name or abbreviation; empty for none and for several.

    Also regions are known in which the table has no town.
    """
    return _countries_of_regions().get(folded, "")
