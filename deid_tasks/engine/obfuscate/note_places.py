"""Places of one note that belongs to no patient: towns that stand without a state, and towns that would become one."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.places import AddressParts
from deid_tasks.engine.obfuscate.places.place_table import city_by_zip, city_name, state_of_city, states_of_area_code
from deid_tasks.engine.obfuscate.places.states import state_code_of
from deid_tasks.engine.obfuscate.places.town_table import HOME, town_named

_AREA_DIGITS, _LONG_DIGITS = 3, 10
_TELEPHONES = frozenset({Entity.PHONE, Entity.FAX})
_MAX_SALTS = 20


class NotePlaces:
    """The towns of one note. Not retained beyond the note.

    Args:
        text: the note.
        spans: its spans, in order.
        address: returns the address that the span at an index stands in.
    """

    def __init__(self, text: str, spans: Sequence[Span], address: Callable[[int], AddressParts]) -> None:
        self._cities = [
            (fold(text[span.start : span.end]), index, address(index))
            for index, span in enumerate(spans)
            if span.entity is Entity.CITY
        ]
        self._full: dict[str, AddressParts] = {}
        counted: Counter[str] = Counter()
        for city, _, parts in self._cities:
            if parts.state or parts.zip_code:
                self._full.setdefault(city, parts)
        for span in spans:
            value = text[span.start : span.end]
            if span.entity is Entity.STATE and (code := state_code_of(value)):
                counted[code] += 2
            elif span.entity is Entity.ZIP and (known := city_by_zip().get(value[:5])):
                counted[known[1]] += 2
            elif span.entity in _TELEPHONES:
                digits = "".join(filter(str.isdecimal, value))[-_LONG_DIGITS:]
                if len(digits) == _LONG_DIGITS and (states := states_of_area_code(digits[:_AREA_DIGITS])):
                    counted[states[0]] += 1
        self._counted = [code for code, _ in sorted(counted.items(), key=lambda one: (-one[1], one[0]))]
        self._salts: dict[str, str] | None = None

    @property
    def states(self) -> list[str]:
        """The states that the note tells by addresses and telephones, the likeliest first, and those of its towns."""
        of_towns = (state_of_city().get(city, "") for city, _, _ in self._cities)
        return [code for code in dict.fromkeys((*self._counted, *of_towns)) if code]

    def completed(self, parts: AddressParts, city: str, country: str = HOME) -> AddressParts:
        """Return an address without a state with that which the note gives the town elsewhere, or with the note's own.

        A town abroad that the table does not have lies where the note's first address lies.

        Args:
            parts: the address.
            city: its city, folded.
            country: the note's.
        """
        if parts.state or parts.zip_code or not city:
            return parts
        known = self._full.get(city)
        if country != HOME:
            if known is None and town_named(city, country) is None and not parts.is_suburb:
                known = next(iter(self._full.values()), None)
            return (
                parts
                if known is None
                else replace(
                    parts, state=known.state, zip_code=known.zip_code, is_suburb=parts.is_suburb or known.is_suburb
                )
            )
        state = (known.state if known else "") or next((code for code in self._counted if city_name(city, code)), "")
        return replace(parts, state=state) if state else parts

    def salted(
        self, parts: AddressParts, make: Callable[[int, AddressParts], str], country: str = HOME
    ) -> AddressParts:
        """Return an address with the salt of its city, so that no two towns of the note become one.

        Args:
            parts: the address.
            make: returns the surrogate of the city that is the span at an index, in that address.
            country: the note's.
        """
        if len({city for city, _, _ in self._cities}) < 2 or not parts.city:
            return parts
        if self._salts is None:
            self._salts = self._find_salts(make, country)
        salt = self._salts.get(fold(parts.city), "")
        return replace(parts, salt=salt) if salt else parts

    def _find_salts(self, make: Callable[[int, AddressParts], str], country: str) -> dict[str, str]:
        salts: dict[str, str] = {}
        taken: set[str] = set()
        for city, index, parts in self._cities:
            if city in salts:
                continue
            whole = self.completed(parts, city, country)
            for salt in ("", *map(str, range(1, _MAX_SALTS))):
                made = fold(make(index, replace(whole, salt=salt)))
                if made not in taken:
                    break
            salts[city] = salt
            taken.add(made)
        return salts
