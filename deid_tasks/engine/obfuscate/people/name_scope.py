"""One scope of people and the surrogates of their names: a patient's own, or the institution's staff.

A part of a name gets a surrogate part, so that every way of writing a person's name stays one person. What it becomes depends on the
key, on the scope and on the part. The names of a patient's record are settled together, so that no two of them become one; any
other name is settled by itself. The first letter of a surrogate depends on the first letter of the name alone: "J. Smith" keeps
company with "John Smith" wherever either stands, though nothing is remembered.
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
from deid_tasks.engine.obfuscate.people.marked_names import PARTICLE_STEMS
from deid_tasks.engine.obfuscate.people.name_pools import (
    GROUPS,
    SurrogatePools,
    given_names,
    letter_map,
    marked_names,
    nicknames,
    public_pools,
    surname_groups,
)
from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.obfuscate.people.record_names import read_names, rewrite_column

_UNKNOWN = ("", "", 0.0)
_SEXES = frozenset({"F", "M"})
_ANY_LETTER = "m"
"""Of surrogates of names that begin with none from A to Z."""
_LEAST_FOR_TYPO = 5
_ATTEMPTS = 200
_MEMO = 20_000


@dataclass(frozen=True, eq=False)
class NameScope:
    """The people whose names are settled together; ``patient_id`` is empty for the institution's staff."""

    keyed: KeyedChoices
    patient_id: str
    record: PatientRecord | None = field(default=None, repr=False)
    pools: SurrogatePools = field(default_factory=public_pools, repr=False)
    same_length: bool = False
    shift_days: int = 0
    people: KnownPeople | None = field(default=None, repr=False)
    memo: dict[object, str] = field(default_factory=dict, repr=False)
    """Surrogates that were made: a cache of a pure function, bounded by ``remember``."""
    firsts: frozenset[str] = field(init=False, repr=False)
    """Every word, folded, of the given names of the patient and the relatives."""
    own_firsts: frozenset[str] = field(init=False, repr=False)
    """The patient's own given names, folded."""
    lasts: frozenset[str] = field(init=False, repr=False)
    """Every word, folded, of their surnames."""
    own_names: frozenset[str] = field(init=False, repr=False)
    """Every word, folded, of the names of the patient and the relatives: what no surrogate may be."""
    whole_names: frozenset[str] = field(init=False, repr=False)
    """The names of the record that are one word, folded: no title or particle, whatever they look like."""
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
        """The record's terms of these kinds; none where there is no record."""
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
    def _settled(self) -> dict[tuple[bool, str], str]:
        """The surrogates of the record's own names by ``(is a surname, folded name)``: no two are alike."""
        for salt in ("", *map(str, range(1, 20))):
            made = self._settle(salt)
            if not self._is_somebody(made):
                return made
        return made

    def _settle(self, salt: str) -> dict[tuple[bool, str], str]:
        made: dict[tuple[bool, str], str] = {}
        for is_last, names in ((False, self.firsts), (True, self.lasts)):
            taken: set[str] = set()
            # Formal names first: a nickname is theirs.
            for name in sorted(names, key=lambda name: (name in nicknames(), name)):
                formal = name if is_last else self.formal(name)
                new = made.get((is_last, formal), "")
                if not new and is_last and name in self._languages:
                    new = self.after_particle(name, self._languages[name])
                new = new or self._draw(formal, "", is_last=is_last, taken=taken, salt=salt)
                made[is_last, name] = made[is_last, formal] = new
                taken.add(fold_name(new))
        return made

    def _is_somebody(self, made: dict[tuple[bool, str], str]) -> bool:
        birth_date = self.record.birth_date if self.record else None
        if self.people is None or birth_date is None:
            return False
        moved = birth_date + datetime.timedelta(days=self.shift_days)
        firsts = {self._whole(name, made, is_last=False) for name in self.of_record(TermKind.FIRST, TermKind.PREFERRED)}
        lasts = {self._whole(name, made, is_last=True) for name in self.of_record(TermKind.LAST)}
        return any(self.people.holds(self.patient_id, first, last, moved) for first, last in product(firsts, lasts))

    @staticmethod
    def _whole(name: str, made: dict[tuple[bool, str], str], *, is_last: bool) -> str:
        """A name of the record, of one word or several, with the surrogates ``made`` for its words."""
        return rewrite_column(name, lambda word, _: made.get((is_last, fold_name(word)), word), is_last=is_last)

    def given(self, folded: str, sex: str = "", *, is_marked: bool = False) -> str:
        """The surrogate of a given name; ``sex`` is what the text around says where neither record nor name does."""
        formal = self.formal(folded)
        if found := self._settled.get((False, formal)) or self._settled.get((False, folded)):
            return found
        return self._draw(formal, sex, is_last=False, taken=self._taken[False], is_marked=is_marked)

    def surname(self, folded: str, *, is_marked: bool = False) -> str:
        """The surrogate of a surname."""
        if found := self._settled.get((True, folded)):
            return found
        return self._draw(folded, "", is_last=True, taken=self._taken[True], is_marked=is_marked)

    def after_particle(self, folded: str, language: str) -> str:
        """The surrogate of what follows a particle ("van der", "de la"): a name that such a one can precede."""
        stems = PARTICLE_STEMS[language]
        if self.same_length:
            stems = tuple(stem for stem in stems if len(stem) == len(folded)) or stems
        for attempt in range(_ATTEMPTS):
            made = self.keyed.choice(stems, "particle", self.patient_id, language, folded, str(attempt))
            if fold_name(made) != folded and fold_name(made) not in self.own_names:
                return made
        return stems[0]

    def letter(self, letter: str, *, is_last: bool) -> str:
        """The first letter, in capitals, of surrogates of names that begin with ``letter``."""
        folded = fold_name(letter)[:1]
        return (self._surname_letters if is_last else self._given_letters).get(folded, _ANY_LETTER).upper()

    @cached_property
    def _given_letters(self) -> dict[str, str]:
        return letter_map(self.keyed, "given", self.patient_id)

    @cached_property
    def _surname_letters(self) -> dict[str, str]:
        return letter_map(self.keyed, "surname", self.patient_id)

    def own_letter(self, letter: str, *, is_last: bool) -> str:
        """``letter`` for an initial that may stand for a nickname: then that of its formal name's surrogate."""
        if not is_last:
            for name in sorted(self.firsts):
                if name[0] == fold_name(letter)[:1] and len(name) > 1:
                    return self.given(name)[0]
        return self.letter(letter, is_last=is_last)

    def own_spelling(self, folded: str) -> str:
        """The record's spelling of a name with one typing error; ``folded`` itself where there is none."""
        if folded in self.own_names or len(folded) < _LEAST_FOR_TYPO or not self.record:
            return folded
        near = [
            name
            for name in self.own_names
            if len(name) >= _LEAST_FOR_TYPO and OSA.distance(folded, name, score_cutoff=1) <= 1
        ]
        return min(near, default=folded)

    def formal(self, folded: str) -> str:
        """The formal name of a nickname: the record's own where it fits, else the first that the table knows."""
        formals = nicknames().get(folded, ())
        if not formals or (folded in self.firsts and not any(name in self.firsts for name in formals)):
            return folded
        return next((name for name in formals if name in self.firsts), formals[0])

    @cached_property
    def _taken(self) -> tuple[frozenset[str], frozenset[str]]:
        """The surrogates that the record's given names, and its surnames, have taken."""
        by_part: tuple[set[str], set[str]] = (set(), set())
        for (is_last, _), name in self._settled.items():
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
        is_marked: bool = False,
    ) -> str:
        hint = self._hint
        kind: tuple[str, ...]
        # A usual name is one name with marks and without; José is drawn as Jose is, and a rare name as its marks suggest.
        is_usual = False
        if is_last:
            kind = ("surname", surname_groups().get(folded) or hint or "white")
        else:
            usual, group, bearers = given_names().get(folded, _UNKNOWN)
            is_usual = bearers > 0
            if folded in self.own_firsts and self.record and self.record.sex in _SEXES:
                usual = self.record.sex
            elif usual == "" or usual == "U":
                usual = sex or "U"
            kind = ("given", usual, hint or group or "white")
        if not is_usual and (is_marked or folded in self._marked or folded in marked_names()):
            kind = (*kind, "marked")
        letters = self._surname_letters if is_last else self._given_letters
        letter = letters.get(folded[0], _ANY_LETTER)
        choices = self.pools.choices(kind, letter, len(folded), exactly=self.same_length)
        parts = (kind[0], self.patient_id, folded, salt) if salt else (kind[0], self.patient_id, folded)
        return self._first_free(choices, kind, folded, taken, parts)

    def _first_free(
        self, choices: Sequence[str], kind: tuple[str, ...], folded: str, taken: Iterable[str], parts: tuple[str, ...]
    ) -> str:
        number = self.keyed.number(1 << 64, *parts)
        wider = False
        own, short = self.own_names, nicknames()
        stands_for = short.get(folded, ())
        for attempt in range(_ATTEMPTS):
            size = len(choices)
            name = choices[(number + attempt) % size]
            made = fold_name(name)
            # Neither the name itself nor a nickname that may be how it was written.
            if (
                made != folded
                and made not in own
                and made not in taken
                and folded not in short.get(made, ())
                and made not in stands_for
            ):
                return name
            if attempt >= 2 * size and not wider:
                # So few begin with that letter that all are taken.
                wider = True
                every = (kind[0], *kind[1:2][: kind[0] == "given"], "any")
                letters = "abcdefghjklmnprstw"
                choices = [name for letter in letters for name in self.pools.choices(every, letter, 6, exactly=False)]
        raise AssertionError("unreachable")


def remember(memo: dict[object, str], asked: object, made: str) -> str:
    """``made``, kept in a memo that never grows beyond a bound."""
    if len(memo) >= _MEMO:
        memo.clear()
    memo[asked] = made
    return made
