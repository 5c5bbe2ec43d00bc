"""The people whose surrogate names belong together: one patient with the relatives, or the institution's staff.

Each part of a name gets a surrogate part, so that every way of writing a person's name stays one person. The surrogate
part depends on the key, on the scope and on the part. The names of a patient's record are assigned together, so that no
two of them get one surrogate; any other name is assigned by itself. The first letter of a surrogate depends on the
first letter of the name alone: so "J. Smith" agrees with "John Smith" wherever either stands, although nothing is
remembered.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from rapidfuzz.distance import OSA

from deid_tasks.core.patient import PatientRecord, TermKind
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.people.known_people import KnownPeople
from deid_tasks.engine.obfuscate.people.marked_names import particle_stems
from deid_tasks.engine.obfuscate.people.name_pools import SurrogatePools, letter_map, public_pools
from deid_tasks.engine.obfuscate.people.name_text import fold_name, initial_like
from deid_tasks.engine.obfuscate.people.note_words import NO_WORDS, NoteWords, clipped_names, frequent_words, misspell
from deid_tasks.engine.obfuscate.people.public_names import (
    GROUPS,
    UNKNOWN_NAME,
    formal_names,
    given_name_table,
    names_with_marks,
    nicknames,
    surname_groups,
)
from deid_tasks.engine.obfuscate.people.record_names import read_names, rewrite_column

_SEXES = frozenset({"F", "M"})
_OTHER_LETTER = "m"
"""First letter of the surrogates of names that begin with no letter from A to Z."""
_POOL_LETTERS = "abcdefghjklmnprstw"
_MIN_TYPO_LENGTH = 5
_ATTEMPTS = 200
_MAX_REMEMBERED = 20_000
_UNLIKELY_GIVEN = frozenset(["von", "van", "del", "man", "see", "my", "so", "young", "fore", "dung"])
_MAX_BEARERS_OF_SHORT_NAME = 50.0
"""A nickname with more bearers in 100,000 people is a name of its own for most of them."""


@dataclass(frozen=True, eq=False)
class NameScope:
    """The people of one patient, or the institution's staff.

    Args:
        keyed: the institution's choices.
        patient_id: whose people; empty for the staff.
        record: the patient's record; ``None`` for the staff and for patients without one.
        pools: the names to draw from.
        same_length: whether a surrogate must have its original's length.
        shift_days: days by which the patient's dates move.
        people: the institution's real patients, whom no surrogate may equal.
    """

    keyed: KeyedChoices
    patient_id: str
    record: PatientRecord | None = field(default=None, repr=False)
    pools: SurrogatePools = field(default_factory=public_pools, repr=False)
    same_length: bool = False
    shift_days: int = 0
    people: KnownPeople | None = field(default=None, repr=False)
    memo: dict[object, str] = field(default_factory=dict, repr=False)
    """Surrogates that were made before: the cache of a pure function, bounded by ``remember``."""
    note: NoteWords = NO_WORDS
    """The names of the one note that the scope stands for; none for the people of a patient and for the staff."""
    firsts: frozenset[str] = field(init=False, repr=False)
    """Every word, folded, of the given names of the patient and the relatives."""
    own_firsts: frozenset[str] = field(init=False, repr=False)
    """Every word, folded, of the patient's own given names."""
    lasts: frozenset[str] = field(init=False, repr=False)
    """Every word, folded, of the surnames of the patient and the relatives."""
    own_names: frozenset[str] = field(init=False, repr=False)
    """Every word, folded, of all these names. No surrogate may be one of them."""
    whole_names: frozenset[str] = field(init=False, repr=False)
    """The record's terms, folded. A word among them is a name even where it looks like a title or a particle."""
    _marked: frozenset[str] = field(init=False, repr=False)
    _languages: dict[str, str] = field(init=False, repr=False)
    _hint: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = read_names(self.record)
        hint = self.record.ethnicity_hint if self.record else ""
        vars(self).update(
            firsts=names.firsts,
            own_firsts=names.own_firsts,
            lasts=names.lasts,
            own_names=names.own_names,
            whole_names=names.whole_names,
            _marked=names.marked,
            _languages=names.languages,
            _hint=hint if hint in GROUPS else "",
        )

    def of_record(self, *kinds: TermKind) -> tuple[str, ...]:
        """Return the record's terms of these kinds; empty without a record."""
        by_kind = self._by_kind
        if len(kinds) == 1:
            return by_kind.get(kinds[0], ())
        return tuple([term for kind in kinds for term in by_kind.get(kind, ())])

    @cached_property
    def _by_kind(self) -> dict[TermKind, tuple[str, ...]]:
        found: dict[TermKind, tuple[str, ...]] = {}
        for term in self.record.terms if self.record else ():
            found[term.kind] = (*found.get(term.kind, ()), term.term)
        return found

    @cached_property
    def _assigned(self) -> dict[tuple[bool, str], str]:
        """The surrogates of the record's own names by ``(is a surname, folded name)``: no two are equal."""
        for salt in ("", *map(str, range(1, 20))):
            assigned = self._assign_names(salt)
            if not self._is_known_person(assigned):
                return assigned
        return assigned

    def _assign_names(self, salt: str) -> dict[tuple[bool, str], str]:
        assigned: dict[tuple[bool, str], str] = {}
        for is_last, names in ((False, self.firsts), (True, self.lasts)):
            taken: set[str] = set()
            # Formal names first: a nickname gets the surrogate of its formal name.
            for name in sorted(names, key=lambda name: (name in formal_names(), name)):
                formal = name if is_last else self.formal(name)
                surrogate = assigned.get((is_last, formal), "")
                if not surrogate and is_last and name in self._languages:
                    surrogate = self.after_particle(name, self._languages[name])
                surrogate = surrogate or self._draw(formal, "", is_last=is_last, taken=taken, salt=salt)
                assigned[is_last, name] = assigned[is_last, formal] = surrogate
                taken.add(fold_name(surrogate))
            self._assign_note(assigned, taken, is_last=is_last)
        return assigned

    def _assign_note(self, assigned: dict[tuple[bool, str], str], taken: set[str], *, is_last: bool) -> None:
        """Assign the names of the scope's note, no two alike; a misspelled name becomes its surrogate, misspelled."""
        misspelled = self.note.misspelled
        for word in self.note.surnames if is_last else self.note.givens:
            formal = word if is_last else self.formal(word)
            if (is_last, formal) in assigned or (is_last, word) in misspelled:
                continue
            sex = "" if is_last else self.note.stated_sex_of(word)
            is_stated = bool(sex)
            if not is_last and not sex and given_name_table().get(formal, UNKNOWN_NAME).sex not in _SEXES:
                sex = self.note.sex_of(word)
            surrogate = ""
            if word in self.note.called:
                surrogate = self._draw_with_nickname(formal, sex, taken)
            surrogate = surrogate or self._draw(formal, sex, is_last=is_last, taken=taken, is_stated=is_stated)
            assigned[is_last, formal] = surrogate
            taken.add(fold_name(surrogate))
        for word, parts in self.note.joined.items() if is_last else ():
            assigned[True, word] = "".join(assigned.get((True, part), part) for part in parts)
        for (of_last, word), right in misspelled.items():
            if of_last == is_last and (base := assigned.get((is_last, right))):
                assigned[is_last, word] = misspell(base, word, right)

    def _is_known_person(self, assigned: dict[tuple[bool, str], str]) -> bool:
        """Whether the surrogate person has the name and the birth date of a real patient."""
        birth_date = self.record.birth_date if self.record else None
        if self.people is None or birth_date is None:
            return False
        moved = birth_date + datetime.timedelta(days=self.shift_days)
        own_firsts = self.of_record(TermKind.FIRST, TermKind.PREFERRED)
        firsts = {self._rewrite_term(name, assigned, is_last=False) for name in own_firsts}
        lasts = {self._rewrite_term(name, assigned, is_last=True) for name in self.of_record(TermKind.LAST)}
        return any(self.people.holds(self.patient_id, first, last, moved) for first, last in product(firsts, lasts))

    @staticmethod
    def _rewrite_term(name: str, assigned: dict[tuple[bool, str], str], *, is_last: bool) -> str:
        """Return a name of the record, of one or several words, with the surrogates of its words."""
        return rewrite_column(name, lambda word, _: assigned.get((is_last, fold_name(word)), word), is_last=is_last)

    def given(self, folded: str, sex: str = "") -> str:
        """Return the surrogate of a given name; a nickname gets a nickname of it where the list has one.

        Args:
            folded: the name.
            sex: what the text around the name says, where neither the record nor the name tells; ``F``, ``M`` or empty.
        """
        formal = self.formal(folded)
        found = self._assigned.get((False, formal)) or self._assigned.get((False, folded))
        if not found:
            found = self._drawn(formal, sex, is_last=False)
        if formal == folded or given_name_table().get(folded, UNKNOWN_NAME).bearers > _MAX_BEARERS_OF_SHORT_NAME:
            return found
        return self.short_form(found, folded, is_listed=folded not in self.firsts) or found

    def short_form(self, surrogate: str, short: str, *, is_listed: bool = False) -> str:
        """Return what people call somebody of that surrogate name for short; empty where no form will do.

        Args:
            surrogate: a given name.
            short: the original short name, folded; of several nicknames it chooses one.
            is_listed: whether only a nickname of the list will do.
        """
        folded = fold_name(surrogate)
        taken = {*self.own_names, *self._note_words, folded, short}
        sex = given_name_table().get(folded, UNKNOWN_NAME).sex
        options = [
            name
            for name in nicknames().get(folded, ())
            if name not in taken and {given_name_table().get(name, UNKNOWN_NAME).sex, sex} != {"F", "M"}
        ]
        if not options and not is_listed:
            options = [name for name in clipped_names(folded) if name not in taken]
        return self.keyed.choice(options, "short name", self.patient_id, folded, short).capitalize() if options else ""

    def surname(self, folded: str) -> str:
        """Return the surrogate of a surname."""
        if found := self._assigned.get((True, folded)):
            return found
        return self._drawn(folded, "", is_last=True)

    def _drawn(self, folded: str, sex: str, *, is_last: bool) -> str:
        """Return the surrogate of a name that is not assigned with the record; staff are named in many notes."""
        question = (is_last, folded, sex)
        found = self.memo.get(question)
        if found is None:
            drawn = self._draw(folded, sex, is_last=is_last, taken=self._taken[is_last])
            found = remember(self.memo, question, drawn)
        return found

    def after_particle(self, folded: str, language: str) -> str:
        """Return the surrogate of the name behind a particle ("van der", "de la") of a language."""
        stems = particle_stems()[language]
        if self.same_length:
            stems = tuple(stem for stem in stems if len(stem) == len(folded)) or stems
        for attempt in range(_ATTEMPTS):
            stem = self.keyed.choice(stems, "particle", self.patient_id, language, folded, str(attempt))
            if fold_name(stem) != folded and fold_name(stem) not in self.own_names:
                return stem
        return stems[0]

    def letter(self, letter: str, *, is_last: bool) -> str:
        """Return the first letter, in capitals, of surrogates of names that begin with ``letter``."""
        folded = fold_name(letter)[:1]
        return (self._surname_letters if is_last else self._given_letters).get(folded, _OTHER_LETTER).upper()

    @cached_property
    def _given_letters(self) -> dict[str, str]:
        return letter_map(self.keyed, "given", self.patient_id)

    @cached_property
    def _surname_letters(self) -> dict[str, str]:
        return letter_map(self.keyed, "surname", self.patient_id)

    def own_letter(self, letter: str, *, is_last: bool) -> str:
        """Return the surrogate of an initial.

        One that may stand for a nickname gets the initial of its formal name's surrogate.
        """
        question = ("initial", letter, is_last)
        found = self.memo.get(question)
        return remember(self.memo, question, self._own_letter(letter, is_last=is_last)) if found is None else found

    def _own_letter(self, letter: str, *, is_last: bool) -> str:
        if not is_last:
            for name in sorted(self.firsts):
                if name[0] == fold_name(letter)[:1] and len(name) > 1:
                    return initial_like(self.given(name), letter)
        words = self.note.surnames if is_last else self.note.givens
        of_note = [word for word in words if word[0] == fold_name(letter)[:1] and len(word) > 1]
        assigned = [self._assigned[is_last, word] for word in of_note if (is_last, word) in self._assigned]
        made = {initial_like(surrogate, letter) for surrogate in assigned}
        return made.pop().upper() if len(made) == 1 else self.letter(letter, is_last=is_last)

    def own_spelling(self, folded: str) -> str:
        """Return the record's spelling of a name that has one typing error; ``folded`` itself where there is none."""
        if folded in self.own_names or len(folded) < _MIN_TYPO_LENGTH or not self.record:
            return folded
        near = [
            name
            for name in self.own_names
            if len(name) >= _MIN_TYPO_LENGTH and OSA.distance(folded, name, score_cutoff=1) <= 1
        ]
        return min(near, default=folded)

    def formal(self, folded: str) -> str:
        """Return the formal name of a nickname: the record's own where it fits, else the first of the public list."""
        if self.note is not NO_WORDS:
            # Whoever is called by a nickname in a note of one scope is known; others are people of their own.
            return folded
        formals = formal_names().get(folded, ())
        if not formals or (folded in self.firsts and not any(name in self.firsts for name in formals)):
            return folded
        return next((name for name in formals if name in self.firsts), formals[0])

    @cached_property
    def _note_words(self) -> frozenset[str]:
        """Every word of the names of the scope's note."""
        return frozenset((*self.note.givens, *self.note.surnames))

    @cached_property
    def _taken(self) -> tuple[frozenset[str], frozenset[str]]:
        """The surrogates of the record's given names, and those of its surnames."""
        by_part: tuple[set[str], set[str]] = (set(), set())
        for (is_last, _), name in self._assigned.items():
            by_part[is_last].add(fold_name(name))
        return frozenset(by_part[False]), frozenset(by_part[True])

    def _draw(
        self,
        folded: str,
        sex: str,
        *,
        is_last: bool,
        taken: Iterable[str] = (),
        salt: str = "",
        is_stated: bool = False,
    ) -> str:
        """Return a name of the same kind as ``folded`` that is not among ``taken``; ``salt`` makes another choice."""
        kind = self._kind_of(folded, sex, is_last=is_last, is_stated=is_stated)
        letters = self._surname_letters if is_last else self._given_letters
        letter = letters.get(folded[0], _OTHER_LETTER)
        choices = self.pools.choices(kind, letter, len(folded), exactly=self.same_length)
        parts = (kind[0], self.patient_id, folded, salt) if salt else (kind[0], self.patient_id, folded)
        return self._first_free(choices, kind, folded, taken, parts)

    def _draw_with_nickname(self, folded: str, sex: str, taken: Iterable[str]) -> str:
        """Return a given name that has a nickname, for somebody who is called by one; empty where none is free.

        It begins with the letter that other surrogates of that first letter begin with, where one of them is free.
        """
        usual = sex or given_name_table().get(folded, UNKNOWN_NAME).sex or "U"
        named = [name for name in nicknames() if given_name_table().get(name, UNKNOWN_NAME).sex == usual]
        letter = self._given_letters.get(folded[:1], _OTHER_LETTER)
        for some in ([name for name in named if name[0] == letter], named):
            free = [
                name
                for name in some
                if name not in taken and name not in self._note_words and name[:2] != folded[:2]
                if folded not in formal_names().get(name, ()) and self.short_form(name, folded, is_listed=True)
            ]
            if free:
                return self.keyed.choice(free, "given with nickname", self.patient_id, folded).capitalize()
        return ""

    def _kind_of(self, folded: str, sex: str, *, is_last: bool, is_stated: bool = False) -> tuple[str, ...]:
        """Return the kind of pool that the surrogate of a name is drawn from."""
        kind: tuple[str, ...]
        # A name is one name with and without marks: what one mention is written with decides nothing.
        is_frequent = False
        if is_last:
            kind = ("surname", surname_groups().get(folded) or self._hint or "white")
        else:
            usual, group, bearers = given_name_table().get(folded, UNKNOWN_NAME)
            is_frequent = bearers > 0
            if folded in self.own_firsts and self.record and self.record.sex in _SEXES:
                usual = self.record.sex
            elif is_stated or usual == "" or usual == "U":
                usual = sex or "U"
            kind = ("given", usual, self._hint or group or "white")
        if not is_frequent and (folded in self._marked or folded in names_with_marks()):
            kind = (*kind, "marked")
        return kind

    def _first_free(
        self, choices: Sequence[str], kind: tuple[str, ...], folded: str, taken: Iterable[str], parts: tuple[str, ...]
    ) -> str:
        """Return the first of ``choices``, from a keyed index on, that is free.

        A name is free unless it is ``folded`` itself, a nickname of it or the reverse, a name of the record, or taken.
        """
        number = self.keyed.number(1 << 64, *parts)
        is_widened = False
        own, formals = self.own_names, formal_names()
        of_note = self._note_words
        own_formals = formals.get(folded, ())
        for attempt in range(_ATTEMPTS):
            size = len(choices)
            name = choices[(number + attempt) % size]
            candidate = fold_name(name)
            is_same = candidate == folded or folded in formals.get(candidate, ()) or candidate in own_formals
            is_taken = candidate in own or candidate in of_note or candidate in taken
            if not is_same and not is_taken and not _is_unlikely(candidate, kind[0]):
                return name
            if attempt >= 2 * size and not is_widened:
                # All names that begin with that letter are taken: names with other letters serve.
                is_widened = True
                widest = (kind[0], *kind[1:2][: kind[0] == "given"], "any")
                choices = [
                    name for letter in _POOL_LETTERS for name in self.pools.choices(widest, letter, 6, exactly=False)
                ]
        raise AssertionError("unreachable")


def _is_unlikely(folded: str, part: str) -> bool:
    """Whether a name is one that a reader takes for a word: "Dr. High", "Von"."""
    return folded in _UNLIKELY_GIVEN if part == "given" else folded in frequent_words()


def remember(memo: dict[object, str], question: object, surrogate: str) -> str:
    """Return ``surrogate`` and store it in a memo, which is emptied when it reaches its bound."""
    if len(memo) >= _MAX_REMEMBERED:
        memo.clear()
    memo[question] = surrogate
    return surrogate
