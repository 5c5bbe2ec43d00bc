"""Who the names of one note are: the full names in it, and the mentions that belong to them.

A full name tells which of its words is the given name and whose role it is; a word that stands alone, initials and
user names follow the full name they fit. Only what the note says counts, so its surrogates depend on nothing else.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from deid_tasks.core.entities import Entity
from deid_tasks.engine.obfuscate.names.name_roles import is_affix, surname_positions
from deid_tasks.engine.obfuscate.names.person_names import BETWEEN_PEOPLE
from deid_tasks.engine.obfuscate.people.name_text import fold_name, name_parts
from deid_tasks.engine.obfuscate.people.public_names import UNKNOWN_NAME, given_name_table

_MIN_PREFIX = 4
"""Letters of a surname that a user name must hold where it is cut."""


class NameMention(NamedTuple):
    """One name as it is rewritten: one span, or spans that are one name."""

    start: int
    end: int
    entity: Entity


class NotePerson(NamedTuple):
    """One person whom the note names in full."""

    mention: NameMention
    """The mention with the most letters; its entity is the person's role."""
    givens: tuple[str, ...]
    """Folded."""
    surnames: tuple[str, ...]
    """Folded."""


class NotePeople:
    """The people of one note. Not retained beyond the note.

    Args:
        text: the note.
        mentions: its names, in order.
        own_names: the folded words of the names in the patient's record; empty without one.
        title: returns the title before the name at an offset: ``dr``, ``mr`` or an empty string.
    """

    def __init__(
        self,
        text: str,
        mentions: Iterable[NameMention],
        own_names: frozenset[str],
        title: Callable[[int], str],
    ) -> None:
        self._title = title
        mentions = list(mentions)
        self.persons = _persons(text, mentions, own_names, title)
        self.surnames: Mapping[str, bool] = _surnames(self.persons)
        """Whether a folded word is a surname, for the words of full names that are always the one or the other."""
        self._roles: dict[str, set[Entity]] = {}
        for person in self.persons:
            for word in (*person.givens, *person.surnames):
                if len(word) > 1:
                    self._roles.setdefault(word, set()).add(person.mention.entity)
        for word, role in self._lone_roles(text, mentions):
            self._roles.setdefault(word, {role})

    def role(self, original: str, start: int, entity: Entity) -> Entity:
        """Return whose name it is: the role of the people in the note who have all its words, where they agree.

        A name of one word that no full name has is the same person's wherever it stands. A clinician's title before
        the name outweighs all that.
        """
        if not self._roles or self._title(start) == "dr":
            return entity
        words = [word for _, _, part in name_parts(original) if len(word := fold_name(part)) > 1]
        roles = [self._roles.get(word, set()) for word in words]
        shared = set.intersection(*roles) if roles else set()
        return next(iter(shared)) if len(shared) == 1 else entity

    def _lone_roles(self, text: str, mentions: Sequence[NameMention]) -> Iterator[tuple[str, Entity]]:
        """Yield the words that stand alone as names of several roles, with the role that most have, or the first."""
        roles: dict[str, Counter[Entity]] = {}
        for start, end, entity in mentions:
            value = text[start:end]
            if len(value) > 1 and value.isalpha() and self._title(start) != "dr":
                roles.setdefault(fold_name(value), Counter())[entity] += 1
        for word, counted in roles.items():
            if len(counted) > 1:
                yield word, counted.most_common(1)[0][0]

    def with_initials(self, letters: Sequence[str]) -> NotePerson | None:
        """Return the one person whose name begins with the first and the last of ``letters``; clinicians before
        others.
        """
        if len(letters) < 2:
            return None
        first, last = fold_name(letters[0])[:1], fold_name(letters[-1])[:1]
        return self._only(
            person for person in self.persons if person.givens[0][:1] == first and person.surnames[-1][:1] == last
        )

    def with_account(self, folded: str) -> tuple[NotePerson, "AccountForm"] | None:
        """Return the one person whose names the letters of a user name or a mailbox are made of, and how."""
        fitting = {person: form for person in self.persons if (form := account_form(folded, person)) is not None}
        person = self._only(fitting)
        return None if person is None else (person, fitting[person])

    @staticmethod
    def _only(persons: Iterable[NotePerson]) -> NotePerson | None:
        fitting = list(persons)
        clinicians = [one for one in fitting if one.mention.entity is Entity.PROVIDER]
        for some in (fitting, clinicians):
            if len(some) == 1:
                return some[0]
        return None


class AccountForm(NamedTuple):
    """How the letters of an account are made of a name, part by part."""

    parts: tuple[tuple[bool, int, int | None], ...]
    """Of each part: whether it is of the surname, the index of the word, and its letters; all if ``None``."""

    def made_of(self, givens: Sequence[str], surnames: Sequence[str]) -> str:
        """Return the same form of another name, folded."""
        words = ((surnames if is_last else givens)[index][:length] for is_last, index, length in self.parts)
        return "".join(fold_name(word) for word in words)


def account_form(folded: str, person: NotePerson) -> AccountForm | None:
    """Return how ``folded`` is made of a person's names; ``None`` where it is not.

    Forms: ``smith``, ``maria``, ``msmith``, ``smithm``, ``mariasmith``, ``marias``, those with a surname that is cut
    after four letters or more, and ``s``.
    """
    surname, given = person.surnames[-1], person.givens[0]
    last_index = len(person.surnames) - 1
    if folded == surname[0]:
        return AccountForm(((True, last_index, 1),))
    for is_last, words in ((True, person.surnames), (False, person.givens)):
        for index, word in enumerate(words):
            if folded == word and len(word) > 2:
                return AccountForm(((is_last, index, None),))
    whole_given, initial = (False, 0, None), (False, 0, 1)
    for length in (None, *range(len(surname) - 1, _MIN_PREFIX - 1, -1)):
        part, written = (True, last_index, length), surname[:length]
        if len(written) < 3:
            continue
        for form, letters in (
            ((whole_given, part), given + written),
            ((part, whole_given), written + given),
            ((initial, part), given[0] + written),
            ((part, initial), written + given[0]),
        ):
            if folded == letters:
                return AccountForm(form)
    if len(given) > 2 and folded == given + surname[0]:
        return AccountForm((whole_given, (True, last_index, 1)))
    return None


def _persons(
    text: str, mentions: Iterable[NameMention], own_names: frozenset[str], title: Callable[[int], str]
) -> list[NotePerson]:
    """Return the people named in full; mentions with one surname and one given name, or its initial, are one person."""
    found: dict[tuple[tuple[str, ...], str], list[NotePerson]] = {}
    for person in _full_names(text, mentions, own_names, title):
        found.setdefault((person.surnames, person.givens[0]), []).append(person)
    _order_like_most(found)
    _join_initials(found)
    return [_one_person(named, own_names) for named in found.values()]


def _full_names(
    text: str, mentions: Iterable[NameMention], own_names: frozenset[str], title: Callable[[int], str]
) -> Iterator[NotePerson]:
    for mention in mentions:
        value = text[mention.start : mention.end]
        parts = name_parts(value)
        if len(parts) < 2 or BETWEEN_PEOPLE.search(value):
            continue
        folded = [fold_name(word) for _, _, word in parts]
        is_kept = [is_affix(value, parts, folded, i, own_names) for i in range(len(parts))]
        named = [i for i in range(len(parts)) if not is_kept[i]]
        if len(named) < 2:
            continue
        lasts = surname_positions(value, parts, folded, is_kept, mention.entity, title(mention.start))
        surnames = tuple(folded[i] for i in named if i in lasts)
        givens = tuple(folded[i] for i in named if i not in lasts)
        if surnames and givens and len(surnames[-1]) > 1 and all((*surnames, *givens)):
            yield NotePerson(mention, givens, surnames)


def _order_like_most(found: dict[tuple[tuple[str, ...], str], list[NotePerson]]) -> None:
    """Let ``Wong Ada`` follow ``Ada Wong`` where that is written more often, or Ada is a given name more often."""
    for key in sorted(found, key=lambda one: (-len(found[one]), -_bearers(one[1]))):
        (surnames, given), named = key, found.get(key)
        turned = ((given,), surnames[0])
        if named and len(surnames) == 1 and turned in found and turned != key:
            named += [NotePerson(one.mention, named[0].givens, surnames) for one in found.pop(turned)]


def _bearers(folded: str) -> float:
    return given_name_table().get(folded, UNKNOWN_NAME).bearers


def _join_initials(found: dict[tuple[tuple[str, ...], str], list[NotePerson]]) -> None:
    """Let ``M. Okafor`` be the one Okafor of the note whose given name begins with M."""
    for key in [key for key in found if len(key[1]) == 1]:
        surnames, initial = key
        others = [one for one in found if one[0] == surnames and len(one[1]) > 1 and one[1][0] == initial]
        if len(others) == 1:
            found[others[0]] += found.pop(key)


def _one_person(named: Sequence[NotePerson], own_names: frozenset[str]) -> NotePerson:
    """Return the person of these mentions: the longest of them, in the role that most of them have."""
    longest = max(named, key=lambda one: sum(map(len, one.givens)))
    words = (*longest.givens, *longest.surnames)
    roles = Counter(one.mention.entity for one in named)
    if own_names and not own_names.issuperset(word for word in words if len(word) > 1):
        # Who is not in the record of the patient is not the patient.
        del roles[Entity.PATIENT]
    role = max(roles, key=lambda one: (roles[one], one is Entity.PATIENT), default=longest.mention.entity)
    return longest._replace(mention=longest.mention._replace(entity=role))


def _surnames(persons: Sequence[NotePerson]) -> dict[str, bool]:
    kinds: dict[str, set[bool]] = {}
    for person in persons:
        for is_last, words in ((False, person.givens), (True, person.surnames)):
            for word in words:
                kinds.setdefault(word, set()).add(is_last)
    return {word: True in kind for word, kind in kinds.items() if len(kind) == 1 and len(word) > 1}
