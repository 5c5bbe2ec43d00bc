"""Cities of other countries: a city that stands with its country becomes one of the country that replaces it."""

from functools import cache

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import without_marks
from deid_tasks.engine.obfuscate.places.place_table import largest_cities
from deid_tasks.engine.obfuscate.places.town_table import town_named
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

_LARGE_CITY_ZIPS = 6


@cache
def _by_country() -> dict[str, tuple[str, ...]]:
    groups = read_grouped_list("places/world_cities.tsv")
    return {fold(country): cities for country, cities in groups.items()}


@cache
def _known() -> frozenset[str]:
    return frozenset(fold(without_marks(city)) for cities in _by_country().values() for city in cities)


def is_world_city(folded: str) -> bool:
    """Whether a city that stands alone is one of another country, and no large one of the United States."""
    return folded in _known() and largest_cities().get(folded, ("", 0))[1] < _LARGE_CITY_ZIPS


def replace_world_city(value: str, country: str, scope: NameScope, own: str) -> str | None:
    """Return a city for one of another country; ``None`` where the list has none.

    Args:
        value: the original.
        country: the surrogate of the country behind it; empty without one.
        scope: whose it is.
        own: the note's country, of which it is no city.
    """
    if country:
        cities = _by_country().get(fold(country), ())
    else:
        everywhere = (city for some in _by_country().values() for city in some)
        cities = tuple(city for city in everywhere if town_named(fold(city), own) is None)
    others = [city for city in cities if fold(without_marks(city)) != fold(without_marks(value))]
    if not others:
        return None
    city = scope.keyed.choice(others, "world city", scope.patient_id, country, fold(value))
    return match_case(without_marks(city) if value.isascii() else city, value)
