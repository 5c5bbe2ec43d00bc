"""Places and telephone numbers of one note: whose they are, and the address that each stands in."""

import re
from collections.abc import Callable

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.entity_groups import PLACES
from deid_tasks.engine.obfuscate.generators import Replacements
from deid_tasks.engine.obfuscate.identifiers import owner_in_record
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.people.name_scope import NameScope, remember
from deid_tasks.engine.obfuscate.people.name_text import without_marks
from deid_tasks.engine.obfuscate.places import NO_ADDRESS, AddressParts
from deid_tasks.engine.obfuscate.places.highways import replace_highway
from deid_tasks.engine.obfuscate.places.states import surrogate_state
from deid_tasks.engine.obfuscate.places.town_table import HOME, town_named
from deid_tasks.engine.obfuscate.places.world_cities import is_world_city, replace_world_city
from deid_tasks.engine.obfuscate.surroundings import Surroundings
from deid_tasks.settings import Mode

_US_BEFORE = re.compile(r"\bU\.?S\.? $")


class NoteAddresses:
    """The places and the telephone numbers of one note.

    Args:
        replacements: of the institution.
        context: of the note.
        surroundings: its text and spans.
        of_country: returns the surrogate of a country.
    """

    def __init__(
        self,
        replacements: Replacements,
        context: NoteContext,
        surroundings: Surroundings,
        of_country: Callable[[str, Mode], str],
    ) -> None:
        self._replacements = replacements
        self._context = context
        self._surroundings = surroundings
        self._of_country = of_country
        self._known: dict[object, str] = {}

    def telephone(self, original: str, entity: Entity, index: int, mode: Mode) -> str:
        """Return the surrogate of a telephone number that is the ``index``-th span of the note."""
        context = self._context
        owner = owner_in_record(original, context)
        if owner is None:
            owner = context.staff if self._is_of_staff(self._surroundings.is_of_staff, index) else context.patient
        is_linked = context.country != HOME and not context.is_of_patient
        address = self._surroundings.nearest_address(index) if is_linked else NO_ADDRESS
        if is_linked:
            places = self._surroundings.places
            address = places.completed(address, fold(address.city), context.country)
            address = places.salted(address, lambda i, parts: self._city(i, parts, owner), context.country)
        question = (entity, original, owner is context.staff)
        surrogate = self._known.get(question)
        if surrogate is None:
            surrogate = self._replacements.surrogate(original, entity, context, owner, mode, address)
            self._known[question] = surrogate
        return surrogate

    def highway(self, original: str, start: int) -> str | None:
        """Return another highway of the note's state, in a note that no other one must agree with."""
        if self._context.is_of_patient or self._context.country != HOME or not original[:1].isupper():
            return None
        # "US" in front of "Route 33" may stand outside.
        before = (
            found.group() if (found := _US_BEFORE.search(self._surroundings.text[max(0, start - 5) : start])) else ""
        )
        states, scope = self._surroundings.places.states, self._context.staff
        surrogates = [surrogate_state(one, scope, self._context.options) for one in states]
        made = replace_highway(before + original, states, surrogates, scope)
        return made and made[len(before) :]

    def address(self, original: str, entity: Entity, index: int, mode: Mode) -> str:
        """Return the surrogate of a part of an address that is the ``index``-th span of the note."""
        context = self._context
        address = stated = self._surroundings.address(index) if entity in PLACES else NO_ADDRESS
        owner = context.staff if self._is_of_staff(self._surroundings.is_of_organization, index) else context.patient
        if entity in PLACES and mode == "surrogate" and not context.is_of_patient:
            places = self._surroundings.places
            address = places.completed(address, fold(address.city), context.country)
            address = places.salted(address, lambda i, parts: self._city(i, parts, owner), context.country)
            if context.country == HOME and address.state and not stated.state:
                stated = address  # "Dublin" in a note of Ohio
            if entity is Entity.CITY and (abroad := self._world_city(original, stated, mode)) is not None:
                return abroad
        question = (entity, original, address, owner is context.staff, context.country)
        surrogate = self._known.get(question)
        if surrogate is None:
            surrogate = owner.memo.get(question)
        if surrogate is None:
            surrogate = self._replacements.surrogate(original, entity, context, owner, mode, address)
            remember(owner.memo, question, surrogate)
        self._known[question] = surrogate
        return surrogate

    def _world_city(self, original: str, address: AddressParts, mode: Mode) -> str | None:
        """Return the surrogate of a city of a country that stands behind it, or that it alone tells; else ``None``."""
        country, own = self._surroundings.country_of(fold(original)), self._context.country
        if country and not address.zip_code:
            made = self._of_country(country, mode)
            return replace_world_city(original, made, self._context.patient, own)
        is_alone = not (address.state or address.zip_code) and town_named(fold(original), own) is None
        if is_alone and is_world_city(fold(without_marks(original))):
            return replace_world_city(original, "", self._context.patient, own)
        return None

    def _city(self, index: int, address: AddressParts, owner: NameScope) -> str:
        value = self._surroundings.value(index)
        return self._replacements.surrogate(value, Entity.CITY, self._context, owner, "surrogate", address)

    def _is_of_staff(self, is_of_staff: Callable[[int], bool], index: int) -> bool:
        """Whether a place or a telephone number belongs to the institution.

        All places of a note without a patient belong to one: towns and telephones then agree throughout the note.
        """
        if self._context.is_of_patient:
            return is_of_staff(index)
        return self._surroundings.has_letterhead
