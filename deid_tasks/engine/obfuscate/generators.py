"""Which family of surrogates an entity belongs to: the one table in which each is registered."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import TermKind
from deid_tasks.engine.obfuscate.dates.ages import replace_age
from deid_tasks.engine.obfuscate.dates.date_shift import shift_date
from deid_tasks.engine.obfuscate.dates.times import replace_time
from deid_tasks.engine.obfuscate.identifiers.internet import replace_email, replace_ip, replace_url
from deid_tasks.engine.obfuscate.identifiers.numbers import replace_number
from deid_tasks.engine.obfuscate.identifiers.telephones import replace_phone
from deid_tasks.engine.obfuscate.masking import NAME_ENTITIES, listed, masked, read_list
from deid_tasks.engine.obfuscate.names.initials import replace_initials, replace_username
from deid_tasks.engine.obfuscate.names.person_names import NO_CUE, replace_name, replace_word
from deid_tasks.engine.obfuscate.note_context import NameCue, NoteContext
from deid_tasks.engine.obfuscate.organizations.organization_names import replace_organization
from deid_tasks.engine.obfuscate.organizations.professions import replace_profession
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.record_names import rewrite_column
from deid_tasks.engine.obfuscate.places.cities import NOTHING, Beside, replace_place
from deid_tasks.engine.obfuscate.places.streets import replace_country, replace_landmark, replace_street
from deid_tasks.engine.obfuscate.same_length import fit_length
from deid_tasks.settings import Mode, ObfuscateSettings, PolicySettings

OF_CONTEXT: dict[Entity, Callable[[str, NoteContext], str]] = {
    Entity.INITIALS: replace_initials,
    Entity.USERNAME: replace_username,
    Entity.DATE: shift_date,
    Entity.TIME: replace_time,
    Entity.EMAIL: replace_email,
    Entity.URL: replace_url,
    Entity.IP: replace_ip,
    Entity.PROFESSION: replace_profession,
}
"""Entities whose surrogate needs the value and the note's context."""
OF_NAME_SCOPE: dict[Entity, Callable[[str, NameScope], str]] = {
    Entity.STREET: replace_street,
    Entity.COUNTRY: replace_country,
    Entity.LOCATION_OTHER: replace_landmark,
}
"""Entities whose surrogate needs the value and whose it is."""
STAFF = frozenset({Entity.FACILITY, Entity.ORGANIZATION, Entity.USERNAME, Entity.PROVIDER})
"""Entities that belong to the institution, whichever patient's note they stand in."""

_ORGANIZED = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_PLACES = {Entity.CITY: "city", Entity.STATE: "state", Entity.ZIP: "zip"}
_TELEPHONES = frozenset({Entity.PHONE, Entity.FAX, Entity.PAGER})
_MEMORABLE = frozenset({Entity.PROVIDER, Entity.FACILITY, Entity.ORGANIZATION})
"""Values that come back in other patients' notes."""


class Families:
    """The surrogates of one institution's settings, whatever the entity."""

    def __init__(self, policy: PolicySettings, settings: ObfuscateSettings) -> None:
        self._policy = policy
        self._stars = settings.stars
        self._same_length = settings.length == "same"
        self._lists = {
            entity: read_list(entity, Path(path))
            for entity, path in settings.lists.items()
            if entity not in NAME_ENTITIES
        }

    def surrogate(
        self,
        value: str,
        entity: Entity,
        context: NoteContext,
        whose: NameScope,
        mode: Mode,
        beside: Beside = NOTHING,
        *,
        part: str = "",
        cue: Callable[[str], NameCue] = NO_CUE,
        long_names: Sequence[str] = (),
    ) -> str:
        """What stands for ``value``; ``whose`` is the patient's scope or the institution's, ``beside`` the rest of its address."""
        if mode == "list" and entity in self._lists:
            made = listed(value, entity, self._lists[entity], whose, same_length=self._same_length)
        else:
            made = self._made(value, entity, context, whose, beside, part, cue, long_names)
        return fit_length(made, value, entity) if self._same_length else made

    def _made(
        self,
        value: str,
        entity: Entity,
        context: NoteContext,
        whose: NameScope,
        beside: Beside,
        part: str,
        cue: Callable[[str], NameCue],
        long_names: Sequence[str],
    ) -> str:
        family = OF_CONTEXT.get(entity)
        if family is not None:
            return family(value, context)
        if entity in NAME_ENTITIES:
            return _part(value, part, whose) if part else replace_name(value, entity, context, cue)
        if entity in _ORGANIZED:
            return replace_organization(value, context, long_names)
        if entity in _PLACES:
            return replace_place(value, _PLACES[entity], whose, context.options, beside)
        if entity in _TELEPHONES:
            return replace_phone(value, whose, context.options)
        if entity is Entity.AGE:
            policy = self._policy
            return replace_age(
                value, context.keyed, context.patient_id, policy.max_kept_age_years, policy.age_form, policy.age_groups
            )
        if entity in OF_NAME_SCOPE:
            return OF_NAME_SCOPE[entity](value, whose)
        return replace_number(value, entity, context)

    def masked(self, value: str, entity: Entity, mode: Mode, context: NoteContext) -> str:
        """What the modes without a surrogate leave of ``value``."""
        return masked(value, entity, mode, context.staff if entity in STAFF else context.patient, self._stars)

    def owner_of_phone(self, value: str, context: NoteContext) -> NameScope | None:
        """The patient's scope where the record has this number; ``None`` where only the text can tell."""
        digits = re.sub(r"\D", "", value)[-10:]
        own = context.patient.of_record(TermKind.PHONE)
        return context.patient if digits and any(re.sub(r"\D", "", phone)[-10:] == digits for phone in own) else None


def _part(value: str, part: str, whose: NameScope) -> str:
    """One column of a name: every word of it is a given name, or every word a surname."""
    is_last = part == "surname"
    return rewrite_column(
        value, lambda word, language: replace_word(word, whose, is_last=is_last, language=language), is_last=is_last
    )
