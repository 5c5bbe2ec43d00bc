"""What services accept and charge, from a dated table, and what notes would cost before they are sent."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from deid_tasks.core.errors import SettingsError

_TABLE = Path(__file__).parent / "terms.json"


@dataclass(frozen=True, slots=True)
class ServiceTerms:
    """What one request to a service may hold, and what it costs."""

    dated: str
    max_characters: int
    """Of one request, in code points."""
    max_bytes: int
    """Of one request, in UTF-8."""
    is_by_bytes: bool
    """Whether a unit counts bytes of UTF-8; it counts code points otherwise."""
    unit_size: int
    minimum_units: int
    """Of one request."""
    dollars_per_unit: float | None
    """``None`` if the table has no price."""

    def units(self, text: str) -> int:
        """Return the units of one request."""
        size = len(text.encode("utf-8", "surrogatepass")) if self.is_by_bytes else len(text)
        return max(self.minimum_units, math.ceil(size / self.unit_size))

    def dollars(self, units: int) -> float | None:
        """Return the price of some units; ``None`` if it is not known."""
        return None if self.dollars_per_unit is None else units * self.dollars_per_unit


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What some notes would cost."""

    notes: int
    requests: int
    units: int
    dollars: float | None
    dated: str


@cache
def terms_of(service: str, dollars_per_unit: float | None = None) -> ServiceTerms:
    """Return the terms of a service.

    Args:
        service: ``aws``, ``azure`` or ``google``.
        dollars_per_unit: Used instead of the table's price, which is that of a list.

    Raises:
        SettingsError: The table does not have the service.
    """
    table = json.loads(_TABLE.read_text(encoding="utf-8"))
    row = table["services"].get(service)
    if row is None:
        raise SettingsError(f"{service!r} is not a service of {_TABLE.name}")
    price = row["dollars_per_unit"] if dollars_per_unit is None else dollars_per_unit
    return ServiceTerms(
        dated=table["dated"],
        max_characters=row["max_characters"],
        max_bytes=row["max_bytes"],
        is_by_bytes=row["unit"] == "bytes",
        unit_size=row["unit_size"],
        minimum_units=row["minimum_units"],
        dollars_per_unit=price,
    )


def estimate_cost(notes: Iterable[Sequence[str]], terms: ServiceTerms) -> CostEstimate:
    """Return what notes would cost, each given as the texts of its requests. Nothing is sent."""
    count = requests = units = 0
    for parts in notes:
        count += 1
        requests += len(parts)
        units += sum(map(terms.units, parts))
    return CostEstimate(count, requests, units, terms.dollars(units), terms.dated)
