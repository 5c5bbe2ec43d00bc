"""The registry of surrogate generators: one row an entity, in one table."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from deid_tasks.core.entities import Entity
from deid_tasks.engine.obfuscate.dates import replace_age, replace_time, shift_date
from deid_tasks.engine.obfuscate.entity_groups import INSTITUTIONAL, NAMES
from deid_tasks.engine.obfuscate.identifiers import (
    has_figures,
    is_file_name,
    replace_email,
    replace_ip,
    replace_number,
    replace_path,
    replace_phone,
    replace_spoken_address,
    replace_spoken_number,
    replace_url,
)
from deid_tasks.engine.obfuscate.masking import choose_replacement, mask_value, read_replacements
from deid_tasks.engine.obfuscate.names import replace_initials, replace_name, replace_name_column, replace_username
from deid_tasks.engine.obfuscate.note_context import NO_CUE, NO_NAMES, NameCue, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.organizations import NOBODY, replace_organization, replace_profession
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.obfuscate.people.note_words import frequent_words
from deid_tasks.engine.obfuscate.people.public_names import is_listed_name
from deid_tasks.engine.obfuscate.places import (
    NO_ADDRESS,
    AddressParts,
    area_code_of_address,
    replace_country,
    replace_landmark,
    replace_place,
    replace_street,
    replace_village,
)
from deid_tasks.engine.obfuscate.places.town_table import countries
from deid_tasks.engine.obfuscate.same_length import fit_length
from deid_tasks.settings import Mode, PolicySettings, SurrogateSettings

NamePart = Literal["given", "surname", ""]


class SurrogateRequest(NamedTuple):
    """One value to be replaced, and all that its surrogate may depend on."""

    value: str
    entity: Entity
    context: NoteContext
    owner: NameScope
    """The people whom the value belongs to: the patient's, or the institution's staff."""
    policy: PolicySettings
    address: AddressParts = NO_ADDRESS
    """The address that a city, a state or a ZIP stands in, or that stands beside a telephone number."""
    name_part: NamePart = ""
    """Whether the value is a column of given names or of surnames; empty for a whole name."""
    cue: Callable[[str], NameCue] = NO_CUE
    """Returns what the note says around a name."""
    long_names: Sequence[str] = ()
    """The organizations that the note names in full."""
    names: NoteNames = NO_NAMES
    """What the note's full names say about its other names."""
    surname: Callable[[str], str | None] | None = None
    """Returns the surrogate of a surname of the note's people."""


_MIN_VILLAGE = 4
_MIN_NAME = 3
_WORDS = re.compile(r"[^\W\d_]+")
_OF_FIGURES = frozenset({Entity.AGE, Entity.SSN, Entity.PHONE, Entity.FAX, Entity.PAGER})
"""Entities whose values have figures, and mostly stay where they have none: "her fifties"."""
Generator = Callable[[SurrogateRequest], str]


def _by_context(replace: Callable[[str, NoteContext], str]) -> Generator:
    """Return a generator from a function that reads the value and the note's context."""
    return lambda request: replace(request.value, request.context)


def _by_names(replace: Callable[[str, NoteContext, NoteNames], str]) -> Generator:
    """Return a generator from a function that reads the value, the note's context and its full names."""
    return lambda request: replace(request.value, request.context, request.names)


def _by_owner(replace: Callable[[str, NameScope], str]) -> Generator:
    """Return a generator from a function that reads the value and its owner."""
    return lambda request: replace(request.value, request.owner)


def _name(request: SurrogateRequest) -> str:
    if request.name_part:
        return replace_name_column(request.value, request.name_part, request.owner)
    return replace_name(request.value, request.entity, request.context, request.cue, request.names)


def _place(request: SurrogateRequest) -> str:
    return replace_place(
        request.value, request.entity, request.owner, request.context.options, request.address, request.context.country
    )


def _organization(request: SurrogateRequest) -> str:
    return replace_organization(request.value, request.context, request.long_names, request.surname or NOBODY)


def _or_spoken(
    replace: Generator,
    replace_spoken: Callable[[str, Callable[[str], str]], str | None] = replace_spoken_number,
) -> Generator:
    """Return a generator that also replaces values which are spelled out."""

    def generate(request: SurrogateRequest) -> str:
        spelled = replace_spoken(request.value, lambda written: replace(request._replace(value=written)))
        if spelled is not None:
            return spelled
        made = replace(request)
        if made == request.value and has_figures(made):
            # Figures in words beside other words, which nothing could read.
            return request.owner.keyed.like(made, "spoken", request.owner.patient_id)
        return made

    return generate


def _telephone(request: SurrogateRequest) -> str:
    context, owner = request.context, request.owner
    near = area_code_of_address(request.address, context.country, owner, context.options)
    return replace_phone(request.value, owner, context.options, context.country, near)


def _number(request: SurrogateRequest) -> str:
    if is_file_name(request.value) or (request.entity is Entity.OTHER_ID and _holds_name(request)):
        return replace_path(request.value, request.context, request.names)
    return replace_number(request.value, request.entity, request.context, request.names)


def _holds_name(request: SurrogateRequest) -> bool:
    """Whether a number is a name of a file without its ending: ``RTW_Moss_v2``."""
    parts = request.value.replace("/", "_").split("_")
    return len(parts) > 1 and any(len(part) > 2 and request.names.account(part) for part in parts)


def _street(request: SurrogateRequest) -> str:
    country = request.context.country
    if country in countries() and request.value.isalpha() and len(request.value) > _MIN_VILLAGE:
        # A house is where its village is: "Cloonascragh, Aughrim, Co. Galway".
        return replace_village(request.value, country, "", request.owner)
    return replace_street(request.value, request.owner)


def _age(request: SurrogateRequest) -> str:
    policy, context = request.policy, request.context
    return replace_age(
        request.value,
        context.keyed,
        context.patient_id,
        policy.max_kept_age_years,
        policy.age_form,
        policy.age_groups,
    )


GENERATORS: dict[Entity, Generator] = {
    # Names of people.
    Entity.PATIENT: _name,
    Entity.PROVIDER: _name,
    Entity.RELATIVE: _name,
    Entity.INITIALS: _by_names(replace_initials),
    Entity.USERNAME: _by_names(replace_username),
    # Dates, times and ages.
    Entity.DATE: _by_context(shift_date),
    Entity.TIME: _by_context(replace_time),
    Entity.AGE: _age,
    # Places.
    Entity.CITY: _place,
    Entity.STATE: _place,
    Entity.ZIP: _or_spoken(_place),
    Entity.STREET: _street,
    Entity.COUNTRY: lambda request: replace_country(
        request.value, request.owner, request.context.country if request.context.shows_country else ""
    ),
    Entity.LOCATION_OTHER: _or_spoken(_by_owner(replace_landmark)),
    # Organizations and professions.
    Entity.FACILITY: _organization,
    Entity.ORGANIZATION: _organization,
    Entity.PROFESSION: _by_context(replace_profession),
    # Telephone numbers and electronic addresses.
    Entity.PHONE: _or_spoken(_telephone),
    Entity.FAX: _or_spoken(_telephone),
    Entity.PAGER: _or_spoken(_telephone),
    Entity.EMAIL: _or_spoken(_by_names(replace_email), replace_spoken_address),
    Entity.URL: _or_spoken(_by_names(replace_url), replace_spoken_address),
    Entity.IP: _or_spoken(_by_context(replace_ip)),
    # Numbers.
    Entity.SSN: _or_spoken(_number),
    Entity.MRN: _or_spoken(_number),
    Entity.HEALTH_PLAN: _or_spoken(_number),
    Entity.ACCOUNT: _or_spoken(_number),
    Entity.LICENSE: _or_spoken(_number),
    Entity.VEHICLE: _or_spoken(_number),
    Entity.DEVICE: _or_spoken(_number),
    Entity.BIOMETRIC: _or_spoken(_number),
    Entity.OTHER_ID: _or_spoken(_number),
}
"""The generator of each entity's surrogates."""


def _are_names(value: str) -> bool:
    """Whether all words of a value without figures are people's names, and none is a word of general text."""
    words = _WORDS.findall(value)
    if not words or any(map(str.isdecimal, value)):
        return False
    return all(
        len(word) >= _MIN_NAME and is_listed_name(folded) and folded not in frequent_words()
        for word in words
        for folded in (fold_name(word),)
    )


class Replacements:
    """What replaces the values of one institution: surrogates, entries of its own lists, or masks.

    Args:
        policy: the institution's policy.
        settings: its settings of surrogates.

    Raises:
        InputError: a list of the settings cannot be used.
    """

    def __init__(self, policy: PolicySettings, settings: SurrogateSettings) -> None:
        self._policy = policy
        self._stars = settings.stars
        self._same_length = settings.length == "same"
        self._lists = {
            entity: read_replacements(entity, Path(path))
            for entity, path in settings.lists.items()
            if entity not in NAMES
        }

    def surrogate(
        self,
        value: str,
        entity: Entity,
        context: NoteContext,
        owner: NameScope,
        mode: Mode,
        address: AddressParts = NO_ADDRESS,
        *,
        name_part: NamePart = "",
        cue: Callable[[str], NameCue] = NO_CUE,
        long_names: Sequence[str] = (),
        names: NoteNames = NO_NAMES,
        surname: Callable[[str], str | None] | None = None,
    ) -> str:
        """Return the surrogate of ``value``, or an entry of the institution's list.

        ``SurrogateRequest`` explains the arguments.
        """
        if mode == "list" and entity in self._lists:
            made = choose_replacement(value, entity, self._lists[entity], owner, same_length=self._same_length)
        elif entity in _OF_FIGURES and _are_names(value):
            # A name that was taken for an age or a telephone number.
            made = owner.keyed.like(value, "name", owner.patient_id)
        else:
            request = SurrogateRequest(
                value, entity, context, owner, self._policy, address, name_part, cue, long_names, names, surname
            )
            made = GENERATORS[entity](request)
        return fit_length(made, value, entity) if self._same_length else made

    def masked(self, value: str, entity: Entity, mode: Mode, context: NoteContext) -> str:
        """Return what a mode without surrogates makes of ``value``."""
        owner = context.staff if entity in INSTITUTIONAL else context.patient
        return mask_value(value, entity, mode, owner, self._stars)
