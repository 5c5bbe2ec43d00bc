"""Regions abroad: another of the same nation, with the area codes and the towns that replace those of the first.

Where each town has an area code of its own, neighbours stay neighbours only if the region moves as a whole: Nairn and
Inverness become two towns of one region.
"""

from collections import Counter
from functools import cache
from itertools import takewhile

from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.town_table import TableTown, towns_of
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

COUNTRIES_OF_LOCAL_CODES = frozenset({"GB", "IE", "IN", "DE", "CA", "ZA"})
"""Countries in which an area code serves a town and what lies around it."""
_AREAS_OF_NATIONS = {
    "Scotland": ("AB", "DD", "DG", "EH", "FK", "G", "HS", "IV", "KA", "KW", "KY", "ML", "PA", "PH", "TD", "ZE"),
    "Wales": ("CF", "LD", "LL", "NP", "SA"),
    "Northern Ireland": ("BT",),
}
"""Letters of British postcodes; those of border towns are of the nation where most of their towns lie."""
_MIN_TOWNS = 3
"""Towns of a region that may replace another one."""


def surrogate_region(country: str, region: str, scope: NameScope) -> str:
    """Return the region of the same nation that replaces ``region``; itself where the table has no other.

    Args:
        country: two letters of ISO 3166-1.
        region: as the table writes it.
        scope: whose places they are.
    """
    nation = nation_of(region)
    others = [other for other in _large_regions(country) if other != region and nation_of(other) == nation]
    return scope.keyed.choice(others, "region", scope.patient_id, country, region) if others else region


def nation_of(region: str) -> str:
    """Return the nation of a region; empty for the largest one of its country."""
    return _nations().get(region, "")


def nation_of_postcode(postcode: str) -> str:
    """Return the nation of a British postcode by the letters that it begins with; empty for England."""
    area = "".join(takewhile(str.isalpha, postcode.upper()))
    return next((nation for nation, areas in _AREAS_OF_NATIONS.items() if area in areas), "")


def surrogate_local_code(country: str, area_code: str, scope: NameScope) -> str:
    """Return the area code that replaces another one: of the surrogate region, and as long where that has such.

    Args:
        country: one of ``COUNTRIES_OF_LOCAL_CODES``.
        area_code: of the table.
        scope: whose places they are.
    """
    own = _region_of_code(country)[area_code]
    region = surrogate_region(country, own, scope)
    codes = sorted({town.area_code for town in _towns_of_region(country, region)} - {area_code})
    like = [code for code in codes if len(code) == len(area_code)] or codes
    if not like:
        return area_code
    # In the same order, so that no two codes of a region become one while the other region has enough of them.
    first = like.index(scope.keyed.choice(like, "area code", scope.patient_id, country, own))
    siblings = sorted(code for code, of_code in _region_of_code(country).items() if of_code == own)
    return like[(first + siblings.index(area_code)) % len(like)]


def surrogate_towns(town: TableTown, area_code: str, scope: NameScope) -> tuple[TableTown, ...]:
    """Return the towns of the surrogate region that the surrogate of a town's area code serves.

    Args:
        town: the original.
        area_code: what replaces its area code.
        scope: whose places they are.
    """
    region = surrogate_region(town.country, _region_of_code(town.country)[town.area_code], scope)
    return tuple(one for one in _towns_of_region(town.country, region) if one.area_code == area_code)


@cache
def _nations() -> dict[str, str]:
    groups = read_grouped_list("places/nations.tsv")
    return {region: nation for nation, regions in groups.items() for region in regions}


@cache
def _towns_of_region(country: str, region: str) -> tuple[TableTown, ...]:
    return tuple(town for town in towns_of(country) if town.region == region)


@cache
def _large_regions(country: str) -> tuple[str, ...]:
    counts = Counter(town.region for town in towns_of(country))
    return tuple(sorted(region for region, towns in counts.items() if towns >= _MIN_TOWNS))


@cache
def _region_of_code(country: str) -> dict[str, str]:
    """Return the region of each area code in which most of its towns lie."""
    counts: dict[str, Counter[str]] = {}
    for town in towns_of(country):
        counts.setdefault(town.area_code, Counter())[town.region] += 1
    return {code: max(sorted(regions), key=lambda one: regions[one]) for code, regions in counts.items()}
