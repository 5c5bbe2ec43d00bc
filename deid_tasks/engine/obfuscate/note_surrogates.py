"""Surrogates of the spans of one note, from the span's value and from what of its neighbourhood counts for it."""

import re
from collections.abc import Sequence
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.entity_groups import INSTITUTIONAL, NAMES, ORGANIZATIONS, PLACES, TELEPHONES
from deid_tasks.engine.obfuscate.generators import Replacements
from deid_tasks.engine.obfuscate.identifiers import NUMBER_FORMATS, is_file_name
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.names.name_roles import is_form_of_address
from deid_tasks.engine.obfuscate.names.note_people import NotePeople
from deid_tasks.engine.obfuscate.names.note_person import NotePerson
from deid_tasks.engine.obfuscate.note_accounts import NoteAccounts
from deid_tasks.engine.obfuscate.note_addresses import NoteAddresses
from deid_tasks.engine.obfuscate.note_context import NO_NAMES, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.note_dates import NoteDates
from deid_tasks.engine.obfuscate.note_domains import NoteDomains
from deid_tasks.engine.obfuscate.note_organizations import NoteOrganizations
from deid_tasks.engine.obfuscate.organizations.abbreviations import organization_words_of
from deid_tasks.engine.obfuscate.organizations.organization_words import KINDS
from deid_tasks.engine.obfuscate.people.name_scope import NameScope, remember
from deid_tasks.engine.obfuscate.people.name_text import fold_name, folded_parts, name_parts
from deid_tasks.engine.obfuscate.people.public_names import formal_names, is_listed_name
from deid_tasks.engine.obfuscate.surroundings import Surroundings
from deid_tasks.settings import Mode

_ADDRESSES = PLACES | {Entity.STREET}
_MADE_OF_NAMES = frozenset(
    {Entity.INITIALS, Entity.USERNAME, Entity.EMAIL, Entity.URL, Entity.OTHER_ID}
    | {Entity.MRN, Entity.ACCOUNT, Entity.HEALTH_PLAN}
)
_INDEPENDENT = frozenset(Entity) - NAMES - _ADDRESSES - TELEPHONES - ORGANIZATIONS - {Entity.AGE, Entity.PROFESSION}
"""Entities whose surrogate does not depend on the text around the span."""
_OF_VETERANS = frozenset({Entity.MRN, Entity.OTHER_ID, Entity.SSN})
_VETERANS_CODE = re.compile(r"[A-Z]\d{4}", re.ASCII)
_OF_ROADS = frozenset({Entity.LOCATION_OTHER, Entity.STREET})
_MIN_LETTERS_OF_LONE = 3
_OF_LETTERS = frozenset({Entity.INITIALS, Entity.USERNAME})
_MIN_INITIALS, _MAX_INITIALS = 2, 3
_WITH_STOPS = re.compile(r"[A-Z]\.(?:[ -]?[A-Z]\.){0,3}[ -]?[A-Z]\.?")
_MAX_ABBREVIATION = 7
_LAST_DIGITS = 4
_MIN_LETTERS_OF_SURNAME = 3
_NUMBER_AFTER = re.compile(r"[ \t]?[#:]?[ \t]?\d{4}")
_words = re.compile(r"[^\W\d_]+").findall


class NoteSurrogates:
    """The surrogates of one note; equal spans in equal surroundings are asked for once.

    Args:
        replacements: of the institution.
        context: of the note.
        surroundings: its text and spans.
        people: whom the note names in full.
    """

    def __init__(
        self, replacements: Replacements, context: NoteContext, surroundings: Surroundings, people: NotePeople
    ) -> None:
        self._replacements = replacements
        self._context = context
        self._surroundings = surroundings
        self._people = people
        self._dates = NoteDates(
            replacements, context, surroundings, lambda date, mode: self._independent(date, Entity.DATE, mode)
        )
        self._organizations = NoteOrganizations(replacements, context, surroundings, self._surname, self._town)
        self._addresses = NoteAddresses(
            replacements, context, surroundings, lambda name, mode: self._independent(name, Entity.COUNTRY, mode)
        )
        self._accounts = NoteAccounts(people, context, self._names_of, self._called, self._called_like)
        self._names = NoteNames(
            people.surnames,
            self._accounts.account,
            self._accounts.initials,
            NoteDomains(replacements, context, surroundings, self._organizations, self._town).domain,
            self._called,
            self._number,
            self._is_said,
            self._accounts.mailbox,
            self._letters,
            self._clipped,
        )
        self._known: dict[object, str] = {}
        self._known_names: dict[tuple[str, Entity, str], str] = {}
        self._asked: set[NotePerson] = set()

    def surrogate(self, original: str, start: int, end: int, entity: Entity, index: int, mode: Mode) -> str:
        """Return the surrogate of the span ``start``–``end``, the ``index``-th of the note."""
        if entity is Entity.DATE:
            return self._dates.surrogate(original, start, end, mode)
        if mode == "surrogate" and (followed := self._following(original, entity)) is not None:
            return followed
        if (
            mode == "surrogate"
            and entity in _OF_ROADS
            and (road := self._addresses.highway(original, start)) is not None
        ):
            return road
        if entity in _INDEPENDENT:
            return self._independent(original, entity, mode)
        if entity in NAMES:
            if self._is_label(original, end):
                return original
            return self._name(original, start, entity, mode)
        if entity in ORGANIZATIONS:
            return self._organizations.surrogate(original, entity, index, mode)
        if entity in TELEPHONES:
            return self._addresses.telephone(original, entity, index, mode)
        if entity in _ADDRESSES:
            return self._addresses.address(original, entity, index, mode)
        return self._profession_or_age(original, end, entity, mode)

    def _profession_or_age(self, original: str, end: int, entity: Entity, mode: Mode) -> str:
        surrogate = self._remembered((entity, original), original, entity, self._context.patient, mode)
        if surrogate[:4] == "over" and self._surroundings.is_hyphen(end):
            return surrogate.replace("over ", "over-")
        return surrogate

    def _following(self, original: str, entity: Entity) -> str | None:
        """Return the surrogate of letters that follow a name of the note, whatever they were taken for."""
        if self._context.is_of_patient or not (entity in NAMES or entity in ORGANIZATIONS or entity in _OF_LETTERS):
            return None
        if entity is Entity.INITIALS and " " in original:
            # "AO TBMC": of a person, and of where.
            who, _, where = original.rpartition(" ")
            short = self._abbreviation(where)
            return None if short is None else f"{self._independent(who, entity, 'surrogate')} {short}"
        if entity in ORGANIZATIONS:
            return self._accounts.account_of(original) or self._initials_of(original)
        is_of_person = entity in NAMES or entity is Entity.INITIALS
        if is_of_person and (in_short := self._accounts.in_short(original)) is not None:
            return in_short
        if entity in NAMES and _WITH_STOPS.fullmatch(original):
            return self._initials_of(original)
        if entity is Entity.INITIALS and self._people.with_initials(original) is not None:
            return None
        if entity is Entity.INITIALS:
            folded = fold_name(original)
            if self._people.surnames.get(folded) and (surname := self._surname(folded)) is not None:
                # "IV by ITO", who is "ITO, R" above.
                return match_case(surname, original)
            if len(original) >= _MIN_LETTERS_OF_LONE and self._people.named_alone(folded) is not None:
                # ":bly" of Mrs. Bly.
                return self._accounts.account(original)
        return self._abbreviation(original)

    def _initials_of(self, value: str) -> str | None:
        """Return the surrogate of capitals that are initials of a person, and of no organization: "copy to AP"."""
        letters = [char for char in value if char.isalpha()]
        if not (_MIN_INITIALS <= len(letters) <= _MAX_INITIALS and all(map(str.isupper, letters))):
            return None
        if self._organizations.letters("".join(letters), allows_gaps=False) is not None:
            return None
        found = self._people.with_initials(letters)
        return self._independent(value, Entity.INITIALS, "surrogate") if found and found[1].is_exact else None

    def _abbreviation(self, letters: str) -> str | None:
        """Return what the abbreviation of an organization of the note becomes; ``None`` for other letters."""
        if not (letters.isupper() and letters.isalpha() and letters.isascii()):
            return None
        if not _MAX_INITIALS <= len(letters) <= _MAX_ABBREVIATION or fold_name(letters) in self._people.surnames:
            return None
        made = self._organizations.letters(letters, allows_gaps=False)
        return None if made is None or len(made) != len(letters) else made.upper()

    def _independent(self, original: str, entity: Entity, mode: Mode) -> str:
        if entity is Entity.OTHER_ID and original.isalpha():
            # A part of a file's name that is a person's, or an account.
            if fold_name(original) in self._people.surnames:
                return self._accounts.account(original) or original
            if (made := self._accounts.account_of(original) or self._accounts.of_pieces(original)) is not None:
                return made
            may_be_initials = original.isupper() and not self._context.is_of_patient
            if may_be_initials and (of_person := self._initials_of(original)) is not None:
                return of_person
        if len(original) >= _LAST_DIGITS and original.isdecimal() and (whole := self._surroundings.ends_with(original)):
            # "The last four": of a number that stands in the note.
            number, its_entity = whole
            return self._independent(number, its_entity, mode)[-len(original) :]
        question = (entity, original)
        surrogate = self._known.get(question)
        if surrogate is None:
            owner = self._context.staff if entity in INSTITUTIONAL else self._context.patient
            names = self._names if entity in _MADE_OF_NAMES else NO_NAMES
            surrogate = self._replacements.surrogate(original, entity, self._context, owner, mode, names=names)
            if entity is Entity.LOCATION_OTHER and mode == "surrogate" and not self._context.is_of_patient:
                surrogate = self._organizations.with_names(surrogate, original)
                surrogate = self._organizations.short_name(original) or surrogate
            elif entity in _OF_VETERANS and mode == "surrogate" and _VETERANS_CODE.fullmatch(original):
                surrogate = self._veterans_code(original, surrogate)
            self._known[question] = surrogate
        return surrogate

    def _veterans_code(self, original: str, surrogate: str) -> str:
        """Return the patient's initial with the last four digits, by which veterans' hospitals call patients."""
        numbers = self._surroundings.numbers.items()
        whole = next(
            (one for one, its in numbers if its is Entity.SSN and one[:-_LAST_DIGITS] + original[1:] == one), ""
        )
        made = self._independent(whole, Entity.SSN, "surrogate")[-_LAST_DIGITS:] if len(whole) > len(original) else ""
        made = made or surrogate[1:]
        for person in () if self._context.is_of_patient else self._people.persons:
            is_his = person.mention.entity is Entity.PATIENT and person.surnames
            if is_his and person.surnames[0][:1] == original[0].lower() and (names := self._names_of(person)):
                return names[1][0][0].upper() + made
        return surrogate

    def _is_label(self, original: str, end: int) -> bool:
        """Whether a name is a form of address ("Amma"), or the label of the number behind it: ``HAR 60011893``."""
        if is_form_of_address(original):
            return fold_name(original) not in self._people.surnames
        return (
            original.isupper()
            and fold(original) in NUMBER_FORMATS
            and _NUMBER_AFTER.match(self._surroundings.text, end) is not None
        )

    def _town(self, folded: str) -> str | None:
        """Return the surrogate of a town of the note; ``None`` for other words."""
        index = self._surroundings.town(folded)
        if index is None:
            return None
        return self._addresses.address(self._surroundings.value(index), Entity.CITY, index, "surrogate")

    def _surname(self, folded: str) -> str | None:
        """Return the surrogate of a surname of the note's people; ``None`` for other words.

        A name whose given name stands in an organization's too is that organization's.
        """
        if not self._people.surnames.get(folded) or folded in KINDS:
            return None
        for person in self._people.persons:
            if folded in person.surnames and self._words_of_organizations.isdisjoint(person.givens):
                made = self._names_of(person)
                return made and made[1][person.surnames.index(folded)].capitalize()
        return None

    @cached_property
    def _words_of_organizations(self) -> frozenset[str]:
        names = self._surroundings.organizations
        return frozenset(word for name in names for word in organization_words_of(name))

    def _letters(self, letters: str) -> str | None:
        """Return what letters in a number become that stand for an organization or a person of the note."""
        if self._context.is_of_patient:
            # A number is the same in all notes of a patient, whatever else they say.
            return None
        if (of_organization := self._organizations.letters(letters)) is not None:
            return of_organization.upper()
        if len(letters) >= _MIN_LETTERS_OF_SURNAME and self._people.surnames.get(fold_name(letters)):
            return self._accounts.account(letters)
        # The dictating clinician's: ``MV/IKM/7714``.
        is_format = len(letters) == _MIN_INITIALS and fold(letters) in NUMBER_FORMATS
        may_be = _MIN_INITIALS <= len(letters) <= _MAX_INITIALS and letters.isupper() and not is_format
        found = self._people.with_initials(letters) if may_be else None
        made = self._accounts.initials(letters) if found and found[1].is_exact else None
        return "".join(made) if made and all(made) else None

    def _is_said(self, folded: str) -> bool:
        """Whether the note says a word outside its identifiers; what is the patient's must be the same in all notes."""
        return not self._context.is_of_patient and self._surroundings.says(folded)

    def _called(self, folded: str) -> str | None:
        person = None if folded in self._context.patient.firsts else self._people.called(folded)
        if person is not None:
            return self._called_like(person, folded)
        if folded[-1:] == "s" and (person := self._people.called(folded[:-1])) is not None:
            # "Zephs mom", without its apostrophe.
            called = self._called_like(person, folded[:-1])
            return called and f"{called}s"
        return None

    def _clipped(self, folded: str) -> str | None:
        """Return the surrogate of a surname in short, cut alike."""
        clipped = None if self._context.is_of_patient else self._people.with_clipped_surname(folded)
        made = self._names_of(clipped[0]) if clipped else None
        return made[1][clipped[1]][: len(folded)] if clipped and made else None

    def _called_like(self, person: NotePerson, folded: str) -> str | None:
        """Return what the surrogate of a person is called who is called ``folded``."""
        if (made := self._names_of(person)) is None:
            return None
        given = made[0][0]
        scope = self._context.clinicians if person.mention.entity in INSTITUTIONAL else self._context.patient
        return scope.short_form(given, folded) or given

    def _number(self, value: str) -> str | None:
        if len(value) < _LAST_DIGITS:
            # So short a number is in many addresses by chance.
            return None
        entity = self._surroundings.numbers.get(value)
        if entity is None and value.isdecimal():
            # ``/p/118204``, beside a record number HHR-118204.
            whole = self._surroundings.ends_with(value)
            return None if whole is None else self._independent(*whole, "surrogate")[-len(value) :]
        if entity is None or "_" in value or "/" in value or is_file_name(value):
            return None
        return self._independent(value, entity, "surrogate")

    def _names_of(self, person: NotePerson) -> tuple[Sequence[str], Sequence[str]] | None:
        """Return the given names and the surnames of a person's surrogate.

        ``None`` where it has other parts, and where the question comes from the person's own name.
        """
        if person in self._asked:
            return None
        self._asked.add(person)
        try:
            return self._made_names(person)
        finally:
            self._asked.remove(person)

    def _made_names(self, person: NotePerson) -> tuple[Sequence[str], Sequence[str]] | None:
        start, end, entity = person.mention
        original = self._surroundings.text[start:end]
        parts = folded_parts(original)
        made = [word for _, _, word in name_parts(self._name(original, start, entity, "surrogate"))]
        if len(made) != len(parts):
            return None
        surrogate = dict(zip(parts, made, strict=True))
        return [surrogate[word] for word in person.givens], [surrogate[word] for word in person.surnames]

    def _name(self, original: str, start: int, entity: Entity, mode: Mode) -> str:
        if self._asked:
            # What is asked for another name's sake leaves out what depends on that name.
            return self._made_name(original, start, entity, mode)
        question = (original, entity, self._surroundings.title(start))
        known = self._known_names.get(question)
        if known is None:
            known = self._known_names[question] = self._made_name(original, start, entity, mode)
        return known

    def _made_name(self, original: str, start: int, entity: Entity, mode: Mode) -> str:
        context = self._context
        if entity is Entity.PATIENT and self._is_of_clinician(original):
            entity = Entity.PROVIDER
        if _are_initials(original):
            return self._independent(original, Entity.INITIALS, mode)
        if (of_account := self._accounts.account_of(original)) is not None:
            return of_account
        original = self._people.with_apostrophe(original)
        kinds: tuple[bool | None, ...] = ()
        entity = self._people.role(original, start, entity)
        if self._people.surnames:
            kinds = tuple(map(self._people.surnames.get, folded_parts(original)))
        question = (entity, original, self._surroundings.title(start), kinds)
        surrogate = self._known.get(question)
        if surrogate is not None:
            return surrogate
        memo = context.patient.memo
        if entity is Entity.PROVIDER and context.patient.own_names.isdisjoint(_words(fold(original))):
            memo = context.clinicians.memo
        is_of_note = bool(self._people.persons) and any(
            len(word) <= _MAX_INITIALS or self._people.called(folded) is not None
            for (_, _, word), folded in zip(name_parts(original), folded_parts(original), strict=True)
        )
        # Initials and short names follow the full names of this note, and so hold in no other one.
        surrogate = None if is_of_note else memo.get(question)
        if surrogate is None:
            owner = context.clinicians if entity in INSTITUTIONAL else context.patient
            cue = self._surroundings.cue(start, entity)
            surrogate = self._replacements.surrogate(original, entity, context, owner, mode, cue=cue, names=self._names)
            if not (cue.read_sex or is_of_note or self._asked):
                remember(memo, question, surrogate)
        if not self._asked:
            # What is asked for another name's sake leaves out what depends on that name.
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


def _are_initials(original: str) -> bool:
    """Whether a name is two or three letters that no name is written with: ``bmc``, ``RKP``."""
    if not (2 <= len(original) <= _MAX_INITIALS and original.isalpha() and (original.islower() or original.isupper())):
        return False
    folded = fold_name(original)
    return not is_listed_name(folded) and folded not in formal_names()
