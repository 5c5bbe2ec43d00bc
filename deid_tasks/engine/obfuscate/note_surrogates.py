"""Surrogates of the spans of one note, from the span's value and from what of its neighbourhood counts for it."""

import re

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.entity_groups import INSTITUTIONAL, NAMES, ORGANIZATIONS, PLACES, TELEPHONES
from deid_tasks.engine.obfuscate.generators import Replacements
from deid_tasks.engine.obfuscate.identifiers import owner_in_record
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.organizations.organization_names import has_only_kind_words
from deid_tasks.engine.obfuscate.people.name_scope import NameScope, remember
from deid_tasks.engine.obfuscate.people.name_text import fold_name, name_parts
from deid_tasks.engine.obfuscate.places import NO_ADDRESS
from deid_tasks.engine.obfuscate.surroundings import Surroundings
from deid_tasks.settings import Mode

_ADDRESSES = PLACES | {Entity.STREET}
_INDEPENDENT = frozenset(Entity) - NAMES - _ADDRESSES - TELEPHONES - ORGANIZATIONS - {Entity.AGE}
"""Entities whose surrogate does not depend on the text around the span."""
_MAX_ABBREVIATION_LENGTH = 8
"""A longer value is not the abbreviation of another name in the note."""
_words = re.compile(r"[^\W\d_]+").findall


class NoteSurrogates:
    """The surrogates of one note; equal spans in equal surroundings are asked for once.

    Args:
        replacements: of the institution.
        context: of the note.
        surroundings: its text and spans.
    """

    def __init__(self, replacements: Replacements, context: NoteContext, surroundings: Surroundings) -> None:
        self._replacements = replacements
        self._context = context
        self._surroundings = surroundings
        self._known: dict[object, str] = {}

    def surrogate(self, original: str, start: int, end: int, entity: Entity, index: int, mode: Mode) -> str:
        """Return the surrogate of the span ``start``–``end``, the ``index``-th of the note."""
        if entity in _INDEPENDENT:
            return self._independent(original, entity, mode)
        if entity in NAMES:
            return self._name(original, start, entity, mode)
        if entity in ORGANIZATIONS:
            return self._organization(original, entity, index, mode)
        if entity in TELEPHONES:
            return self._telephone(original, entity, index, mode)
        if entity in _ADDRESSES:
            return self._address(original, entity, index, mode)
        surrogate = self._remembered((entity, original), original, entity, self._context.patient, mode)
        if surrogate[:4] == "over" and self._surroundings.is_hyphen(end):
            return surrogate.replace("over ", "over-")
        return surrogate

    def _independent(self, original: str, entity: Entity, mode: Mode) -> str:
        question = (entity, original)
        surrogate = self._known.get(question)
        if surrogate is None:
            owner = self._context.staff if entity in INSTITUTIONAL else self._context.patient
            surrogate = self._replacements.surrogate(original, entity, self._context, owner, mode)
            self._known[question] = surrogate
        return surrogate

    def _name(self, original: str, start: int, entity: Entity, mode: Mode) -> str:
        context = self._context
        if entity is Entity.PATIENT and self._is_of_clinician(original):
            entity = Entity.PROVIDER
        question = (entity, original, self._surroundings.title(start))
        surrogate = self._known.get(question)
        if surrogate is not None:
            return surrogate
        memo = context.patient.memo
        if entity is Entity.PROVIDER and context.patient.own_names.isdisjoint(_words(fold(original))):
            memo = context.staff.memo
        surrogate = memo.get(question)
        if surrogate is None:
            owner = context.staff if entity in INSTITUTIONAL else context.patient
            cue = self._surroundings.cue(start, entity)
            surrogate = self._replacements.surrogate(original, entity, context, owner, mode, cue=cue)
            if not cue.read_sex:
                remember(memo, question, surrogate)
        self._known[question] = surrogate
        return surrogate

    def _is_of_clinician(self, original: str) -> bool:
        """Whether a name detected as the patient's is not of the record, and is a clinician's in the note."""
        patient = self._context.patient
        if patient.record is None:
            return False
        words = [fold_name(word) for _, _, word in name_parts(original) if len(word) > 1]
        if not patient.own_names.isdisjoint(words) or self._surroundings.clinicians.isdisjoint(words):
            return False
        return not any(patient.own_spelling(word) in patient.own_names for word in words)

    def _organization(self, original: str, entity: Entity, index: int, mode: Mode) -> str:
        if self._surroundings.is_beside_name(index) and has_only_kind_words(original):
            return original
        staff = self._context.staff
        question = (entity, original)
        long_names = self._surroundings.long_names if len(original) <= _MAX_ABBREVIATION_LENGTH else ()
        if not long_names:
            return self._remembered(question, original, entity, staff, mode)
        surrogate = self._known.get(question)
        if surrogate is None:
            surrogate = self._known[question] = self._replacements.surrogate(
                original, entity, self._context, staff, mode, long_names=long_names
            )
        return surrogate

    def _telephone(self, original: str, entity: Entity, index: int, mode: Mode) -> str:
        context = self._context
        owner = owner_in_record(original, context)
        if owner is None:
            owner = context.staff if self._surroundings.is_of_staff(index) else context.patient
        question = (entity, original, owner is context.staff)
        surrogate = self._known.get(question)
        if surrogate is None:
            surrogate = self._replacements.surrogate(original, entity, context, owner, mode)
            self._known[question] = surrogate
        return surrogate

    def _address(self, original: str, entity: Entity, index: int, mode: Mode) -> str:
        context = self._context
        address = self._surroundings.address(index) if entity in PLACES else NO_ADDRESS
        owner = context.staff if self._surroundings.is_of_organization(index) else context.patient
        question = (entity, original, address, owner is context.staff)
        surrogate = self._known.get(question)
        if surrogate is None:
            surrogate = owner.memo.get(question)
        if surrogate is None:
            surrogate = self._replacements.surrogate(original, entity, context, owner, mode, address)
            remember(owner.memo, question, surrogate)
        self._known[question] = surrogate
        return surrogate

    def _remembered(self, question: object, original: str, entity: Entity, owner: NameScope, mode: Mode) -> str:
        """Return a surrogate that other notes of the owner may have asked for before."""
        surrogate = self._known.get(question)
        if surrogate is None:
            surrogate = owner.memo.get(question)
        if surrogate is None:
            surrogate = self._replacements.surrogate(original, entity, self._context, owner, mode)
            remember(owner.memo, question, surrogate)
        self._known[question] = surrogate
        return surrogate
