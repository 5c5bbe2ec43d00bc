"""The obfuscator: it replaces every span that the policy transforms and leaves every other byte as it is."""

import datetime
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from deid_tasks.core.entities import Entity
from deid_tasks.core.forms import IdentifierForm
from deid_tasks.core.patient import PatientRecord
from deid_tasks.core.span import Span, check_spans
from deid_tasks.engine.obfuscate.dates.season_words import keeps_season, tells_season
from deid_tasks.engine.obfuscate.dates.working_days import offsets_of_week
from deid_tasks.engine.obfuscate.entity_groups import INSTITUTIONAL, NAMES
from deid_tasks.engine.obfuscate.generators import NamePart, Replacements
from deid_tasks.engine.obfuscate.grammar import WITH_ARTICLE, mend_article, mend_possessive, widen_removal
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.names.note_people import NotePeople
from deid_tasks.engine.obfuscate.names.note_person import NameMention
from deid_tasks.engine.obfuscate.note_context import NoteContext, SurrogateOptions
from deid_tasks.engine.obfuscate.note_locale import NoteLocale, read_locale
from deid_tasks.engine.obfuscate.note_surrogates import NoteSurrogates
from deid_tasks.engine.obfuscate.people.known_people import KnownPeople
from deid_tasks.engine.obfuscate.people.name_pools import SurrogatePools, public_pools
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.note_words import NO_WORDS, NoteWords
from deid_tasks.engine.obfuscate.places import AddressParts
from deid_tasks.engine.obfuscate.policy import FormPolicy
from deid_tasks.engine.obfuscate.span_agreement import agree_spans
from deid_tasks.engine.obfuscate.surroundings import Surroundings, join_names
from deid_tasks.engine.text import Document
from deid_tasks.settings import Mode, PolicySettings, SurrogateSettings

_MAX_NAME_SCOPES = 4_096
"""Patients whose names are cached. The notes of one patient stand together in a shard."""
_MAX_NOTE_TYPES = 1_000
_NOTE_OF_A_SEASON = "note of a season "
"""The beginning of the subject of a note without a patient whose words tell the season."""
_OFFSETS = "by days of the week "
_NOTE_OF_WEEKDAYS = re.compile(rf"note (?:of a season )?{_OFFSETS}(?P<offsets>\d+) ")
"""The same of one whose working days stay working days."""
_THE_BEFORE = re.compile(r"\b[Tt]he $")
_WITH_ARTICLE = re.compile(r"(?:Fourth|4th|Fifth|5th|Feast) of\b", re.IGNORECASE)
_DAY_OF_MONTH = re.compile(r"[A-Z][a-z]{2,8} \d{1,2}\b")


@dataclass(frozen=True, slots=True)
class Obfuscated:
    """A note with surrogates; offsets are code points."""

    text: str = field(repr=False)
    replaced: tuple[tuple[int, int], ...]
    """``(start, end)`` of each surrogate in this text, in order."""
    originals: tuple[tuple[int, int], ...] = ()
    """``(start, end)`` in the original text of what each surrogate replaced: a span, two adjacent spans that are one
    name, or a span with the article or the apostrophe that had to change with it."""
    entities: tuple[Entity, ...] = ()
    """The entity of each surrogate."""


class _Replacement(NamedTuple):
    """The text that replaces ``start``–``end`` of the original."""

    start: int
    end: int
    text: str


class Obfuscator:
    """Surrogates of one institution, each a pure function of the key, the patient, the entity and the value.

    No table of replacements is stored, and the order of notes does not matter: any worker gives any note the same text
    at any time.

    Args:
        key: the institution's surrogate key.
        institution: its name.
        policy: what is replaced, by entity and form.
        settings: what they become.
        people: the institution's real patients, whom no surrogate person may equal in name and birth date; unchecked
            where ``None``.

    Raises:
        InputError: a replacement list of the settings cannot be used.
    """

    def __init__(
        self,
        key: bytes,
        institution: str,
        policy: PolicySettings,
        settings: SurrogateSettings,
        people: KnownPeople | None = None,
    ) -> None:
        self._keyed = KeyedChoices(key, institution)
        self._transformed = policy.replaced_entities
        self._policy = FormPolicy(policy)
        self._settings = settings
        self._options = SurrogateOptions(
            keeps_states=self._keeps(IdentifierForm.STATE, Entity.STATE),
            keeps_times=self._keeps(IdentifierForm.TIME_OF_DAY, Entity.TIME),
            kept_zip_digits=policy.kept_zip_digits,
            holidays=settings.holidays,
            same_length=settings.length == "same",
            reserved_ranges=settings.reserved_ranges,
            max_age_years=policy.max_kept_age_years if policy.has_forms else None,
            as_of_year=policy.as_of_year,
        )
        self._replacements = Replacements(policy, settings)
        self._people = people
        # Where dates stay in the text, they stay everywhere: another time beside them would tell the shift.
        self._shifts = [0] if policy.keeps_dates else _allowed_shifts(settings)
        self._season_shifts = [days for days in self._shifts if keeps_season(days)] or self._shifts
        own_names = {Path(settings.lists[entity]) for entity in NAMES if entity in settings.lists}
        self._own_pools = {path: SurrogatePools(path) for path in sorted(own_names)}
        self._public_pools = public_pools()
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
        """Return ``document`` with the spans that the policy transforms replaced.

        Args:
            document: the note.
            spans: its spans, in order and without overlap.
            patient: the record of the note's patient; ``None`` where there is none.
            note_datetime: when the note was written; incomplete dates are completed from it.

        Raises:
            ValueError: the spans are out of order, overlap, or lie outside the text.
        """
        text = document.text
        check_spans(spans, len(text))
        subject = self.subject(document.patient_id, text)
        is_of_patient = document.patient_id is not None
        modes = self._modes_of(document.note_type)
        if self._policy.has_forms:
            spans = self._policy.divide(text, spans)
        scope = self._name_scope(subject, patient) if is_of_patient or patient is not None else None
        own_names = scope.own_names if scope else frozenset()
        spans = agree_spans(text, spans, lambda old, new: self._is_treated_alike(old, new, modes), own_names)
        locale = read_locale(text, spans, note_datetime, self._settings.country)
        surroundings = Surroundings(text, spans)
        joined = join_names(text, spans)
        names = (NameMention(*one[:3]) for one in joined if one[2] in NAMES)
        if scope is not None:
            people = NotePeople(text, names, own_names, surroundings.title, is_linked=False)
        else:
            people = NotePeople(text, names, own_names, surroundings.title)
            sexes = surroundings.sexes
            words = people.words._replace(
                sex_of=lambda word: sexes.sex(word, people.entity_of(word), people.own_surnames(word)),
                stated_sex_of=lambda word: sexes.stated(word, people.entity_of(word)),
            )
            scope = self._new_name_scope(subject, None, Entity.PATIENT, words)
        context = self._note_context(scope, locale, is_of_patient=is_of_patient)
        surrogates = NoteSurrogates(self._replacements, context, surroundings, people)
        pieces: list[str] = []
        replaced: list[tuple[int, int]] = []
        originals: list[tuple[int, int]] = []
        entities: list[Entity] = []
        position = length = 0
        for start, end, entity, index in joined:
            mode = self._mode(text[start:end], entity, modes, note_datetime)
            if mode == "keep":
                continue
            if mode == "surrogate" or mode == "list":
                surrogate = surrogates.surrogate(text[start:end], start, end, entity, index, mode)
                replacement = _fit_grammar(text, start, end, position, entity, surrogate)
            else:
                replacement = self._mask(text, start, end, position, entity, mode, context)
            if replacement is None:
                continue
            between = text[position : replacement.start]
            pieces += (between, replacement.text)
            length += len(between)
            replaced.append((length, length + len(replacement.text)))
            length += len(replacement.text)
            originals.append((replacement.start, replacement.end))
            entities.append(entity)
            position = replacement.end
        return Obfuscated("".join((*pieces, text[position:])), tuple(replaced), tuple(originals), tuple(entities))

    def value(
        self,
        value: str,
        entity: Entity,
        patient: PatientRecord | None = None,
        *,
        part: NamePart = "",
        city: str = "",
        state: str = "",
        zip_code: str = "",
    ) -> str:
        """Return the replacement of a value of a table: the same that notes have, by the modes for all notes.

        The value stays as it is where the policy does not transform it.

        Args:
            value: the original.
            entity: what it is.
            patient: whose it is; ``None`` for what belongs to the institution: clinicians, places, their towns and
                telephones.
            part: whether a name of one column is a given name or a surname.
            city: the city in the same row, for a state, a ZIP or a city.
            state: the state in the same row.
            zip_code: the ZIP in the same row.
        """
        mode = self._mode(value, entity, self._modes_of(None), None)
        if not value.strip() or mode == "keep":
            return value
        locale = read_locale("", (), None, self._settings.country)
        scope = self._name_scope(patient.patient_id if patient else "", patient)
        context = self._note_context(scope, locale)
        if mode not in {"surrogate", "list"}:
            return self._replacements.masked(value, entity, mode, context)
        owner = context.patient if patient and entity not in INSTITUTIONAL else context.staff
        address = AddressParts(city, state, zip_code)
        return self._replacements.surrogate(value, entity, context, owner, mode, address, name_part=part)

    def subject(self, patient_id: str | None, text: str) -> str:
        """Return whose people and dates a note has: the patient's id, or one of the note's own.

        A note without a patient shares nothing with another note, unless their texts are equal: one known date would
        else undo the dates of all such notes.
        """
        if patient_id is not None:
            return patient_id
        kind = _NOTE_OF_A_SEASON if tells_season(text) else "note "
        if offsets := offsets_of_week(text):
            kind += f"{_OFFSETS}{offsets} "
        return f"{kind}{self._keyed.token('note without patient', text)}"

    def shift_days(self, subject: str | None) -> int:
        """Return the days by which the dates of a patient, or of a note without a patient, move.

        They are 0 where the policy leaves dates as they are, and never otherwise. A note without a patient whose words
        tell the season stays in it, and its working days stay working days.
        """
        subject = subject or ""
        shifts = self._season_shifts if subject.startswith(_NOTE_OF_A_SEASON) else self._shifts
        if offsets := _NOTE_OF_WEEKDAYS.match(subject):
            shifts = [days for days in shifts if str(days % 7) in offsets["offsets"]] or shifts
        return self._keyed.choice(shifts, "shift", subject)

    def shift_datetime(self, moment: datetime.datetime | None, subject: str | None) -> datetime.datetime | None:
        """Return ``moment`` moved as the dates of a patient, or of a note without a patient, are."""
        return None if moment is None else moment + datetime.timedelta(days=self.shift_days(subject))

    def shift_day(self, day: datetime.date | None, patient_id: str | None) -> datetime.date | None:
        """Return ``day`` moved as the patient's dates are."""
        return None if day is None else day + datetime.timedelta(days=self.shift_days(patient_id))

    def pseudonym(self, kind: str, value: str) -> str:
        """Return the identifier that replaces ``value`` in published tables: 26 characters of base 32."""
        return self._keyed.token("pseudonym", kind, value)

    def mode(self, value: str, entity: Entity, note_type: str | None, written_at: datetime.datetime | None) -> Mode:
        """Return how an identifier is replaced in notes of a type, or ``keep`` where it stays."""
        return self._mode(value, entity, self._modes_of(note_type), written_at)

    def _keeps(self, form: IdentifierForm, entity: Entity) -> bool:
        """Whether a form of an entity stays as it is in all notes."""
        return self._policy.settings.form_action(form) == "keep" or self._settings.modes.get(entity) == "keep"

    def _mode(
        self, value: str, entity: Entity, modes: Mapping[Entity, Mode], written_at: datetime.datetime | None
    ) -> Mode:
        """Return what replaces a value: what the policy makes of its form, or the mode of its entity."""
        if entity not in self._transformed:
            return "keep"
        mode = modes.get(entity, "surrogate")
        if not self._policy.has_forms or mode == "keep":
            return mode
        action = self._policy.action(value, entity, written_at)
        return mode if action == "surrogate" else action

    def _mask(
        self, text: str, start: int, end: int, position: int, entity: Entity, mode: Mode, context: NoteContext
    ) -> _Replacement:
        """Return what a mode without surrogates puts in the place of a span."""
        masked = self._replacements.masked(text[start:end], entity, mode, context)
        if mode == "remove":
            start, end = widen_removal(text, start, end, position, is_name=entity in NAMES)
        return _Replacement(start, end, masked)

    def _modes_of(self, note_type: str | None) -> dict[Entity, Mode]:
        modes = self._modes.get(note_type)
        if modes is None:
            modes = self._settings.modes_of(note_type)
            if len(self._modes) < _MAX_NOTE_TYPES:
                self._modes[note_type] = modes
        return modes

    def _is_treated_alike(self, one: Entity, other: Entity, modes: Mapping[Entity, Mode]) -> bool:
        """Whether the policy and the modes say the same of two entities."""
        if (one in self._transformed) != (other in self._transformed):
            return False
        return modes.get(one, "surrogate") == modes.get(other, "surrogate")

    def _note_context(self, scope: NameScope, locale: NoteLocale, *, is_of_patient: bool = True) -> NoteContext:
        return NoteContext(
            scope,
            self._staff,
            scope.shift_days,
            locale.written_at,
            self._options,
            locale.country,
            locale.shows_country,
            locale.is_day_first,
            locale.pads_dates,
            locale.has_short_months,
            is_of_patient,
        )

    def _name_scope(self, patient_id: str, patient: PatientRecord | None) -> NameScope:
        scope = self._name_scopes.get(patient_id)
        if scope is not None and (scope.record is patient or scope.record == patient):
            return scope
        scope = self._name_scopes[patient_id] = self._new_name_scope(patient_id, patient, Entity.PATIENT)
        if len(self._name_scopes) > _MAX_NAME_SCOPES:
            self._name_scopes.popitem(last=False)
        return scope

    def _new_name_scope(
        self, patient_id: str, patient: PatientRecord | None, entity: Entity, words: NoteWords = NO_WORDS
    ) -> NameScope:
        path = self._settings.lists.get(entity)
        return NameScope(
            self._keyed,
            patient_id,
            patient,
            self._own_pools[Path(path)] if path else self._public_pools,
            self._options.same_length,
            self.shift_days(patient_id),
            self._people,
            note=words,
        )


def _fit_grammar(text: str, start: int, end: int, position: int, entity: Entity, surrogate: str) -> _Replacement | None:
    """Return a surrogate with the article or the possessive that it needs; ``None`` where it equals the original."""
    original = text[start:end]
    if surrogate == original:
        return None
    if entity in WITH_ARTICLE:
        article = mend_article(text, start, position, original, surrogate)
        if article:
            # "a " replaces "an ", and the reverse.
            start -= len(article) + (1 if len(article) == 2 else -1)
            surrogate = article + surrogate
    elif (
        entity is Entity.DATE
        and text.endswith("he ", 0, start)
        and _THE_BEFORE.search(text, max(position, start - 4), start)
    ):
        if _DAY_OF_MONTH.match(surrogate) or (_WITH_ARTICLE.match(original) and not _WITH_ARTICLE.match(surrogate)):
            # "on the Fourth of July" becomes "on April 26".
            start -= 4
    elif entity in NAMES:
        ending, width = mend_possessive(text, end, original, surrogate)
        surrogate, end = surrogate + ending, end + width
    return _Replacement(start, end, surrogate)


def _allowed_shifts(settings: SurrogateSettings) -> list[int]:
    """Return the days that a patient's dates may move by; none keeps day and month, unless there are no others."""
    low, high = settings.date_shift_days
    shifts = [days for days in range(low, high + 1) if days and (settings.weekdays == "moved" or days % 7 == 0)]
    return [days for days in shifts if not _is_whole_years(days)] or shifts


def _is_whole_years(days: int) -> bool:
    """Whether a shift keeps day and month, in leap years or others."""
    years = abs(days) // 365
    return years > 0 and abs(days) % 365 <= years
