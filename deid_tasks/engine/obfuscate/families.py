"""Which family of surrogates an entity belongs to: the one table in which each is registered."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import TermKind
from deid_tasks.engine.obfuscate.addresses import replace_email, replace_ip, replace_url
from deid_tasks.engine.obfuscate.ages import replace_age
from deid_tasks.engine.obfuscate.circle import Circle
from deid_tasks.engine.obfuscate.contacts import replace_phone
from deid_tasks.engine.obfuscate.dates import shift_date
from deid_tasks.engine.obfuscate.initials import replace_initials, replace_username
from deid_tasks.engine.obfuscate.lengths import fit
from deid_tasks.engine.obfuscate.modes import NAME_ENTITIES, listed, masked, read_list
from deid_tasks.engine.obfuscate.names import NO_CUE, replace_name, replace_word
from deid_tasks.engine.obfuscate.numbers import replace_number
from deid_tasks.engine.obfuscate.organizations import replace_organization
from deid_tasks.engine.obfuscate.places import NOTHING, Beside, replace_place
from deid_tasks.engine.obfuscate.professions import replace_profession
from deid_tasks.engine.obfuscate.record_names import rewrite_column
from deid_tasks.engine.obfuscate.scope import Cue, Scope
from deid_tasks.engine.obfuscate.streets import replace_country, replace_landmark, replace_street
from deid_tasks.engine.obfuscate.times import replace_time
from deid_tasks.settings.rewriting import Mode, ObfuscateSettings, PolicySettings

OF_SCOPE: dict[Entity, Callable[[str, Scope], str]] = {
    Entity.INITIALS: replace_initials,
    Entity.USERNAME: replace_username,
    Entity.DATE: shift_date,
    Entity.TIME: replace_time,
    Entity.EMAIL: replace_email,
    Entity.URL: replace_url,
    Entity.IP: replace_ip,
    Entity.PROFESSION: replace_profession,
}
"""Entities whose surrogate needs the value and the note's scope."""
OF_CIRCLE: dict[Entity, Callable[[str, Circle], str]] = {
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
        scope: Scope,
        whose: Circle,
        mode: Mode,
        beside: Beside = NOTHING,
        *,
        part: str = "",
        cue: Callable[[str], Cue] = NO_CUE,
        long_names: Sequence[str] = (),
    ) -> str:
        """What stands for ``value``; ``whose`` is the patient's circle or the institution's, ``beside`` the rest of its address."""
        if mode == "list" and entity in self._lists:
            made = listed(value, entity, self._lists[entity], whose, same_length=self._same_length)
        else:
            made = self._made(value, entity, scope, whose, beside, part, cue, long_names)
        return fit(made, value, entity) if self._same_length else made

    def _made(
        self,
        value: str,
        entity: Entity,
        scope: Scope,
        whose: Circle,
        beside: Beside,
        part: str,
        cue: Callable[[str], Cue],
        long_names: Sequence[str],
    ) -> str:
        family = OF_SCOPE.get(entity)
        if family is not None:
            return family(value, scope)
        if entity in NAME_ENTITIES:
            return _part(value, part, whose) if part else replace_name(value, entity, scope, cue)
        if entity in _ORGANIZED:
            return replace_organization(value, scope, long_names)
        if entity in _PLACES:
            return replace_place(value, _PLACES[entity], whose, scope.options, beside)
        if entity in _TELEPHONES:
            return replace_phone(value, whose, scope.options)
        if entity is Entity.AGE:
            policy = self._policy
            return replace_age(
                value, scope.keyed, scope.patient_id, policy.max_kept_age_years, policy.age_form, policy.age_groups
            )
        if entity in OF_CIRCLE:
            return OF_CIRCLE[entity](value, whose)
        return replace_number(value, entity, scope)

    def masked(self, value: str, entity: Entity, mode: Mode, scope: Scope) -> str:
        """What the modes without a surrogate leave of ``value``."""
        return masked(value, entity, mode, scope.staff if entity in STAFF else scope.patient, self._stars)

    def owner_of_phone(self, value: str, scope: Scope) -> Circle | None:
        """The patient's circle where the record has this number; ``None`` where only the text can tell."""
        digits = re.sub(r"\D", "", value)[-10:]
        own = scope.patient.of_record(TermKind.PHONE)
        return scope.patient if digits and any(re.sub(r"\D", "", phone)[-10:] == digits for phone in own) else None


def _part(value: str, part: str, whose: Circle) -> str:
    """One column of a name: every word of it is a given name, or every word a surname."""
    is_last = part == "surname"
    return rewrite_column(
        value, lambda word, language: replace_word(word, whose, is_last=is_last, language=language), is_last=is_last
    )
