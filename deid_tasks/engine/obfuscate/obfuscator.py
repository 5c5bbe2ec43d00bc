"""Puts a surrogate in the place of every span that the policy transforms."""

import datetime
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from deid_tasks.core.entities import GROUP_ENTITIES, Entity
from deid_tasks.core.patient import PatientRecord
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span, check_spans
from deid_tasks.engine.obfuscate.generators import STAFF, Families
from deid_tasks.engine.obfuscate.grammar import MENDED, mend_article, mend_possessive, widen_removal
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.note_context import NoteContext, SurrogateOptions
from deid_tasks.engine.obfuscate.organizations.organization_names import says_no_name
from deid_tasks.engine.obfuscate.people.known_people import KnownPeople
from deid_tasks.engine.obfuscate.people.name_pools import SurrogatePools, public_pools
from deid_tasks.engine.obfuscate.people.name_scope import NameScope, remember
from deid_tasks.engine.obfuscate.people.name_text import fold_name, name_parts
from deid_tasks.engine.obfuscate.places.cities import NOTHING, Beside
from deid_tasks.engine.obfuscate.surroundings import NAMES, PLACES, Surroundings, join_names
from deid_tasks.engine.text import Document
from deid_tasks.settings import Mode, ObfuscateSettings, PolicySettings

_NAME_SCOPES = 4_096
"""Patients whose names are kept at hand; the notes of one stand together in a shard."""
_TELEPHONES = frozenset({Entity.PHONE, Entity.FAX, Entity.PAGER})
_PLACED = PLACES | {Entity.STREET}
_ORGANIZED = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_PLAIN = frozenset(Entity) - NAMES - _PLACED - _TELEPHONES - _ORGANIZED - {Entity.AGE}
"""Nothing beside them counts for what they become."""
_ABBREVIATION = 8
"""Longer ones are no abbreviation of another name in the note."""
_words = re.compile(r"[^\W\d_]+").findall


@dataclass(frozen=True, slots=True)
class Obfuscated:
    """A note with surrogates; ``replaced`` are their ``(start, end)`` in this text, in order."""

    text: str = field(repr=False)
    replaced: tuple[tuple[int, int], ...]
    originals: tuple[tuple[int, int], ...] = ()
    """Of each surrogate, the ``(start, end)`` of what it replaced in the original text: a span, two adjacent ones that are one name,
    or a span with the article or the apostrophe that had to change with it."""
    entities: tuple[Entity, ...] = ()
    """Of each surrogate, what it stands for."""


class Obfuscator:
    """Surrogates of one institution, each a pure function of the key, the patient, the entity and the value.

    No table is kept and no order matters: any worker gives any note the same text at any time.

    Args:
        key: the institution's surrogate key.
        institution: its name.
        policy: which entities are transformed.
        settings: what they become.
        people: the institution's real patients, whom no surrogate person may equal in name and birth date; unchecked where ``None``.

    Raises:
        InputError: a replacement list of the settings cannot be used.
    """

    def __init__(
        self,
        key: bytes,
        institution: str,
        policy: PolicySettings,
        settings: ObfuscateSettings,
        people: KnownPeople | None = None,
    ) -> None:
        self._keyed = KeyedChoices(key, institution)
        self._transformed = GROUP_ENTITIES[policy.group] - frozenset(policy.keep)
        self._settings = settings
        self._options = SurrogateOptions(
            keeps_states=Entity.STATE not in self._transformed or settings.modes.get(Entity.STATE) == "keep",
            keeps_times=Entity.TIME not in self._transformed or settings.modes.get(Entity.TIME) == "keep",
            kept_zip_digits=policy.kept_zip_digits,
            holidays=settings.holidays,
            same_length=settings.length == "same",
            reserved_ranges=settings.reserved_ranges,
        )
        self._families = Families(policy, settings)
        self._people = people
        self._shifts = _shifts(settings)
        own_names = {Path(settings.lists[entity]) for entity in NAMES if entity in settings.lists}
        self._own_pools = {path: SurrogatePools(path) for path in sorted(own_names)}
        self._pools = public_pools()
        self._staff = self._new_name_scope("", None, Entity.PROVIDER)
        self._name_scopes: OrderedDict[str, NameScope] = OrderedDict()
        self._modes: dict[str | None, dict[Entity, Mode]] = {}

    def obfuscate(
        self,
        document: Document,
        spans: Sequence[Span],
        patient: PatientRecord | None,
        note_datetime: datetime.datetime | None,
    ) -> Obfuscated:
        """``document`` with the spans that the policy transforms replaced; everything else stays to the byte.

        Raises:
            ValueError: the spans are out of order, overlap, or lie outside the text.
        """
        text = document.text
        check_spans(spans, len(text))
        context = self._context(document.patient_id, patient, note_datetime)
        modes = self._modes_of(document.note_type)
        around = Surroundings(text, spans)
        known: dict[object, str] = {}
        pieces: list[str] = []
        replaced: list[tuple[int, int]] = []
        originals: list[tuple[int, int]] = []
        entities: list[Entity] = []
        position = length = 0
        for start, end, entity, index in join_names(text, spans):
            mode = modes.get(entity, "surrogate")
            if entity not in self._transformed or mode == "keep":
                continue
            original = text[start:end]
            if mode == "surrogate" or mode == "list":
                surrogate = self._in_note(original, start, end, entity, index, context, around, known, mode)
                if surrogate == original:
                    continue
                begin, stop = start, end
                if entity in MENDED:
                    article = mend_article(text, start, position, original, surrogate)
                    if article:
                        begin = start - (len(article) + (1 if len(article) == 2 else -1))
                        surrogate = article + surrogate
                elif entity in NAMES:
                    ending, width = mend_possessive(text, end, original, surrogate)
                    surrogate, stop = surrogate + ending, end + width
            else:
                surrogate = self._families.masked(original, entity, mode, context)
                begin, stop = start, end
                if mode == "remove":
                    begin, stop = widen_removal(text, start, end, position, is_name=entity in NAMES)
            between = text[position:begin]
            pieces += (between, surrogate)
            length += len(between)
            replaced.append((length, length + len(surrogate)))
            length += len(surrogate)
            originals.append((begin, stop))
            entities.append(entity)
            position = stop
        return Obfuscated("".join((*pieces, text[position:])), tuple(replaced), tuple(originals), tuple(entities))

    def value(
        self,
        value: str,
        entity: Entity,
        patient: PatientRecord | None = None,
        *,
        part: Literal["given", "surname", ""] = "",
        city: str = "",
        state: str = "",
        zip_code: str = "",
    ) -> str:
        """A value of a table as notes have it, by the modes for all notes; as it is where the policy keeps it.

        Args:
            value: the original.
            entity: what it is.
            patient: whose it is; ``None`` for what belongs to the institution: clinicians, places, their towns and telephones.
            part: whether a name of one column is a given name or a surname.
            city: the town in the same row, for a state, a ZIP or a town.
            state: the state in the same row.
            zip_code: the ZIP in the same row.
        """
        mode = self._modes_of(None).get(entity, "surrogate")
        if not value.strip() or entity not in self._transformed or mode == "keep":
            return value
        context = self._context(patient.patient_id if patient else None, patient, None)
        if mode not in {"surrogate", "list"}:
            return self._families.masked(value, entity, mode, context)
        whose = context.patient if patient and entity not in STAFF else context.staff
        return self._families.surrogate(value, entity, context, whose, mode, Beside(city, state, zip_code), part=part)

    def shift_days(self, patient_id: str | None) -> int:
        """Days by which the patient's dates move; never 0. Notes without a patient share one shift."""
        return self._keyed.choice(self._shifts, "shift", patient_id or "")

    def shift_datetime(self, moment: datetime.datetime | None, patient_id: str | None) -> datetime.datetime | None:
        """``moment`` moved as the patient's dates are."""
        return None if moment is None else moment + datetime.timedelta(days=self.shift_days(patient_id))

    def shift_day(self, day: datetime.date | None, patient_id: str | None) -> datetime.date | None:
        """``day`` moved as the patient's dates are."""
        return None if day is None else day + datetime.timedelta(days=self.shift_days(patient_id))

    def pseudonym(self, kind: str, value: str) -> str:
        """The identifier that stands for ``value`` in published tables: 26 characters of base 32."""
        return self._keyed.token("pseudonym", kind, value)

    def _in_note(
        self,
        original: str,
        start: int,
        end: int,
        entity: Entity,
        index: int,
        context: NoteContext,
        around: Surroundings,
        known: dict[object, str],
        mode: Mode,
    ) -> str:
        """The surrogate of a span, by what it is and by what of its neighbourhood counts for it."""
        if entity in _PLAIN:
            plain = known.get((entity, original))
            if plain is None:
                whose = context.staff if entity in STAFF else context.patient
                plain = known[entity, original] = self._families.surrogate(original, entity, context, whose, mode)
            return plain
        if entity is Entity.PATIENT and self._is_of_clinician(original, context, around):
            entity = Entity.PROVIDER
        elif entity in _ORGANIZED and around.is_beside_name(index) and says_no_name(original):
            return original
        whose = context.staff if entity in STAFF else context.patient
        beside = NOTHING
        asked: tuple[object, ...] = (entity, original)
        if entity in NAMES:
            asked = (entity, original, around.has_title(start))
        elif entity in _PLACED:
            beside = around.beside(index) if entity in PLACES else NOTHING
            whose = context.staff if around.is_of_organization(index) else context.patient
            asked = (entity, original, beside, whose is context.staff)
        elif entity in _TELEPHONES:
            whose = self._families.owner_of_phone(original, context) or (
                context.staff if around.is_of_staff(index) else context.patient
            )
            asked = (entity, original, whose is context.staff)
        surrogate = known.get(asked)
        if surrogate is None:
            surrogate = known[asked] = self._remembered(
                original, start, entity, context, whose, around, asked, beside, mode
            )
        if entity is Entity.AGE and surrogate[:4] == "over" and around.is_hyphen(end):
            return surrogate.replace("over ", "over-")
        return surrogate

    @staticmethod
    def _is_of_clinician(original: str, context: NoteContext, around: Surroundings) -> bool:
        """Whether what was taken for the patient's name is nobody's of the record, and a clinician's in the same note."""
        patient = context.patient
        if patient.record is None:
            return False
        words = [fold_name(word) for _, _, word in name_parts(original) if len(word) > 1]
        if not patient.own_names.isdisjoint(words) or around.clinicians.isdisjoint(words):
            return False
        return not any(patient.own_spelling(word) in patient.own_names for word in words)

    def _remembered(
        self,
        original: str,
        start: int,
        entity: Entity,
        context: NoteContext,
        whose: NameScope,
        around: Surroundings,
        asked: tuple[object, ...],
        beside: Beside,
        mode: Mode,
    ) -> str:
        """A surrogate that other notes may have asked for before: of a name, a place or an age; others are made anew."""
        families = self._families
        if entity in NAMES:
            memo = context.patient.memo
            if entity is Entity.PROVIDER and context.patient.own_names.isdisjoint(_words(fold(original))):
                memo = context.staff.memo
            made = memo.get(asked)
            if made is None:
                cue = around.cue(start, entity)
                made = families.surrogate(original, entity, context, whose, mode, cue=cue)
                if not cue.was_asked:
                    remember(memo, asked, made)
            return made
        long_names: tuple[str, ...] = ()
        if entity in _ORGANIZED:
            long_names = around.long_names if len(original) <= _ABBREVIATION else ()
            if long_names:
                return families.surrogate(original, entity, context, whose, mode, long_names=long_names)
        elif entity in _TELEPHONES:
            return families.surrogate(original, entity, context, whose, mode)
        made = whose.memo.get(asked)
        return (
            made
            if made is not None
            else remember(whose.memo, asked, families.surrogate(original, entity, context, whose, mode, beside))
        )

    def _modes_of(self, note_type: str | None) -> dict[Entity, Mode]:
        modes = self._modes.get(note_type)
        if modes is None:
            modes = self._settings.modes_of(note_type)
            if len(self._modes) < 1_000:
                self._modes[note_type] = modes
        return modes

    def _context(
        self, patient_id: str | None, patient: PatientRecord | None, moment: datetime.datetime | None
    ) -> NoteContext:
        scope = self._name_scope(patient_id or "", patient)
        return NoteContext(scope, self._staff, scope.shift_days, moment, self._options)

    def _name_scope(self, patient_id: str, patient: PatientRecord | None) -> NameScope:
        scope = self._name_scopes.get(patient_id)
        if scope is not None and (scope.record is patient or scope.record == patient):
            return scope
        scope = self._name_scopes[patient_id] = self._new_name_scope(patient_id, patient, Entity.PATIENT)
        if len(self._name_scopes) > _NAME_SCOPES:
            self._name_scopes.popitem(last=False)
        return scope

    def _new_name_scope(self, patient_id: str, patient: PatientRecord | None, entity: Entity) -> NameScope:
        path = self._settings.lists.get(entity)
        return NameScope(
            self._keyed,
            patient_id,
            patient,
            self._own_pools[Path(path)] if path else self._pools,
            self._options.same_length,
            self.shift_days(patient_id),
            self._people,
        )


def _shifts(settings: ObfuscateSettings) -> list[int]:
    """The days that a patient's dates may move by; none that leaves day and month, unless there are no others."""
    low, high = settings.date_shift_days
    shifts = [days for days in range(low, high + 1) if days and (settings.weekdays == "moved" or days % 7 == 0)]
    return [days for days in shifts if not _is_whole_years(days)] or shifts


def _is_whole_years(days: int) -> bool:
    """Whether a shift leaves day and month as they are, in leap years or others."""
    years = abs(days) // 365
    return years > 0 and abs(days) % 365 <= years
