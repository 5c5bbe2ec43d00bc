"""Three-digit ZIP areas that Safe Harbor writes as 000."""

from functools import cache

from deid_tasks.core.reference import read_columns
from deid_tasks.engine.obfuscate.places.place_table import cities_by_zip_area


@cache
def _listed_areas() -> frozenset[str]:
    return frozenset(prefix for (prefix,) in read_columns("restricted_zip_prefixes.tsv", "prefix"))


def is_restricted_area(prefix: str) -> bool:
    """Whether the area of a three-digit ZIP prefix has 20,000 people or fewer, or no place is known in it."""
    return prefix in _listed_areas() or prefix not in cities_by_zip_area()
