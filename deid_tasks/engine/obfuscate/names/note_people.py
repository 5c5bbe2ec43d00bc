"""Who the names of one note are: the full names in it, and the mentions that belong to them.

A full name tells which of its words is the given name and whose role it is; a word that stands alone, initials and
user names follow the full name they fit. Only what the note says counts, so its surrogates depend on nothing else.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.engine.obfuscate.names.account_forms import PARTICLE_OF_ACCOUNT, AccountForm, account_form
from deid_tasks.engine.obfuscate.names.full_names import bearers_of_given, called_by_surname, people_named_in_full
from deid_tasks.engine.obfuscate.names.initial_forms import InitialsForm, initials_form
from deid_tasks.engine.obfuscate.names.name_labels import labelled_words
from deid_tasks.engine.obfuscate.names.name_roles import UNUSUAL_NAMES
from deid_tasks.engine.obfuscate.names.note_person import NameMention, NotePerson
from deid_tasks.engine.obfuscate.names.note_short_names import find_short_names
from deid_tasks.engine.obfuscate.names.short_names import is_short_name, misspelled_words
from deid_tasks.engine.obfuscate.people.name_text import fold_name, folded_parts, name_parts
from deid_tasks.engine.obfuscate.people.note_words import NO_WORDS, NoteWords
from deid_tasks.engine.obfuscate.people.public_names import formal_names, is_listed_name, surname_bearers

_JUNIOR = re.compile(r"\bJr\b")
_O_APART = re.compile(r"[OÓ] ([^\W\d_]{3,})")
_IN_BRACKETS = re.compile(r"[ ]?[(\[]((?:[^\W\d_][. ]{0,2}){2,4})[)\]]")
_FIRST_AND_LAST = 2
"""Letters of the initials of a given name and a surname."""
_MIN_PREFIX = 4
"""Letters of an account from which on it is one of the people's whom it fits."""
_MIN_CLIPPED = 3
"""Letters that a surname in short leaves out at least."""
_MIN_SURNAME_OF_ACCOUNT = 4
_MAX_BEARERS_OF_GIVEN = 5.0
"""A word that more people in 100,000 have as their surname may be one."""
_INITIAL_BEFORE = re.compile(r"(?<![^\W_])([A-Z])\.?[ ]$")
_REACH_OF_INITIAL = 4


class NotePeople:
    """The people of one note. Not retained beyond the note.

    Args:
        text: the note.
        mentions: its names, in order.
        own_names: the folded words of the names in the patient's record; empty without one.
        title: returns the title before the name at an offset: ``dr``, ``mr`` or an empty string.
        is_linked: whether misspelled names and the words of all names are read, as the people of a note need them
            that belong to no other note.
    """

    def __init__(
        self,
        text: str,
        mentions: Iterable[NameMention],
        own_names: frozenset[str],
        title: Callable[[int], str],
        *,
        is_linked: bool = True,
    ) -> None:
        self._title = title
        mentions = list(mentions)
        self._text = text
        self._mentions = mentions
        self.words = NO_WORDS
        """The words of all names in the note; none where the note's names are not linked."""
        self._alone = alone = _words_alone(text, mentions)
        titled = frozenset(word for word, starts in alone.items() if any(map(title, starts)))
        by_surname = called_by_surname(text, mentions, titled)
        self.persons = people_named_in_full(text, mentions, own_names, title, by_surname)
        self.surnames: dict[str, bool] = _surnames(self.persons) | labelled_words(text, alone)
        """Whether a folded word is a surname, for the words of full names that are always the one or the other, and
        for words that a label or "known as" stands before."""
        if is_linked:
            self.surnames |= dict.fromkeys(self._givens_of_initials(alone), False)
            self.surnames |= dict.fromkeys(self._givens_with_last_initial(alone), False)
        self._surnames_alone = {
            word: initials
            for word, starts in alone.items()
            if len(word) >= _MIN_SURNAME_OF_ACCOUNT and ((initials := _initials_before(text, starts)) or word in titled)
        }
        """Surnames that stand behind a title or an initial alone, each with the initials, which stay in the text."""
        self._doubles = {"".join(one.surnames): one.surnames for one in self.persons if len(one.surnames) > 1}
        self._accounts = {
            word for word in alone if not is_listed_name(word) and word not in self._doubles and self._has_initial(word)
        }
        """Words that stand alone and are neither names nor errors in names: ``AMSELB`` beside B. Amsel."""
        if is_linked:
            self._link_words(alone)
        names_alone = {word: starts for word, starts in alone.items() if word not in self._accounts}
        self._short = find_short_names(text, mentions, names_alone, self.persons, self.surnames)
        if is_linked:
            named = frozenset(person.givens[0] for person in self._short.values())
            self.words = self.words._replace(called=named)
        self._roles: dict[str, set[Entity]] = {}
        for person in self.persons:
            for word in (*person.givens, *person.surnames):
                if len(word) > 1:
                    self._roles.setdefault(word, set()).add(person.mention.entity)
        for word, role in self._lone_roles(text, mentions):
            self._roles.setdefault(word, {role})
        for word, person in self._short.items():
            self._roles.setdefault(word, {person.mention.entity})

    def _givens_of_initials(self, alone: Mapping[str, Sequence[int]]) -> Iterator[str]:
        """Yield the words alone that are the given name of somebody of whom the note else has the initial: "Dear
        Gerrit" beside Dr G. Hattingh."""
        initials = Counter(one.givens[0] for one in self.persons if len(one.givens[0]) == 1)
        for word, starts in alone.items():
            is_surname = surname_bearers().get(word, 0.0) > _MAX_BEARERS_OF_GIVEN
            is_open = word not in self.surnames and not is_surname and not any(self._title(start) for start in starts)
            if is_open and initials[word[0]] == 1 and self.with_account(word) is None:
                yield word

    def _givens_with_last_initial(self, alone: Mapping[str, Sequence[int]]) -> Iterator[str]:
        """Yield the words alone that stand before the initial of a surname, too: Kelechi of "Kelechi O"."""
        for start, end, _ in self._mentions:
            parts = folded_parts(self._text[start:end])
            is_with_initial = list(map(len, parts[1:])) == [1] and "," not in self._text[start:end]
            if is_with_initial and parts[0] in alone and parts[0] not in self.surnames:
                yield parts[0]

    def _link_words(self, alone: Mapping[str, Sequence[int]]) -> None:
        """Read the words of all names, and which of them are surnames because of others."""
        for word, starts in alone.items():
            # "Miss Earline" is called by her given name where the note also names her without a title.
            titles = [self._title(start) for start in starts]
            if any(titles) and not all(titles):
                self.surnames.setdefault(word, surname_bearers().get(word, 0.0) >= bearers_of_given(word))
        names = [self._text[one.start : one.end] for one in self._mentions]
        names = [name for name in names if fold_name(name) not in self._accounts]
        self.words = note_words(names, self.surnames, self._doubles)
        self.surnames |= dict.fromkeys(self.words.joined, True)
        for (_, wrong), right in self.words.misspelled.items():
            if right in self.surnames:
                self.surnames.setdefault(wrong, self.surnames[right])
            elif any(self._title(start) for start in alone.get(right, ())):
                self.surnames.setdefault(wrong, True)

    def is_account(self, letters: str) -> bool:
        """Whether a word that looks like a name is the account of somebody in the note: ``AMSELB`` beside B. Amsel."""
        if not (letters.isascii() and letters.isalpha() and (letters.isupper() or letters.islower())):
            return False
        folded = fold_name(letters)
        if folded in self.surnames:
            return False
        if letters.isupper():
            return not is_listed_name(folded) and self._has_initial(folded)
        found = self.with_account(folded)
        return self.surname_in_account(folded) is not None if found is None else not found[1].is_one_name

    def surname_in_account(self, folded: str) -> tuple[str, str] | None:
        """Return the surname that an account has behind one letter, of somebody whom the note calls by it alone:
        ``gking`` beside Dr. King; and the letter where it stays in the text, as in "T. Quill"."""
        letter, surname = folded[:1], folded[1:]
        if surname not in self._surnames_alone or is_listed_name(folded):
            return None
        return surname, letter if letter in self._surnames_alone[surname] else ""

    def with_apostrophe(self, original: str) -> str:
        """Return a surname as the note also writes it: ``O Sullivan`` beside O'Sullivan."""
        apart = _O_APART.fullmatch(original)
        return f"O'{apart[1]}" if apart and fold_name(f"O{apart[1]}") in self.surnames else original

    def _has_initial(self, folded: str) -> bool:
        """Whether a word is made of a surname and an initial of somebody in the note."""
        particle = PARTICLE_OF_ACCOUNT.match(folded)
        found = self.with_account(folded) or (self.with_account(folded[particle.end() :]) if particle else None)
        return found is not None and len(found[1].parts) > 1

    def role(self, original: str, start: int, entity: Entity) -> Entity:
        """Return whose name it is: the role of the people in the note who have all its words, where they agree.

        A name of one word that no full name has is the same person's wherever it stands. A clinician's title before
        the name outweighs all that.
        """
        if not self._roles or self._title(start) == "dr":
            return entity
        words = [word for word in folded_parts(original) if len(word) > 1]
        roles = [self._roles.get(word, set()) for word in words]
        shared = set.intersection(*roles) if roles else set()
        return next(iter(shared)) if len(shared) == 1 else entity

    def entity_of(self, folded: str) -> Entity:
        """Return whose name a word of the note is, as the first mention says that begins with it, or that holds it."""
        holding: Entity | None = None
        for start, end, entity in self._mentions:
            words = folded_parts(self._text[start:end])
            if folded in words:
                if len(words) > 1 and words[0] == folded:
                    return entity
                holding = holding or entity
        return holding or Entity.PATIENT

    def own_surnames(self, given: str) -> frozenset[str]:
        """Return the surnames of who has a given name, without those that other people of the note have too."""
        bearers = [one for one in self.persons if given in one.givens]
        others = [one for one in self.persons if given not in one.givens]
        others = [one for one in others if self._short.get(one.givens[0]) not in bearers]
        own = {word for one in bearers for word in one.surnames}
        return frozenset(own - {word for one in others for word in one.surnames})

    def called(self, folded: str) -> NotePerson | None:
        """Return the person of the note whose short name ``folded`` is: ``Bob`` beside ``Robert J. Moss``."""
        return self._short.get(folded)

    def named_alone(self, folded: str) -> Entity | None:
        """Return whose name a word is that stands by itself in the note, and in no full name; ``None`` for others."""
        return self.entity_of(folded) if folded in self._alone and folded not in self._short else None

    def with_initials_of_surnames(self, folded: str) -> NotePerson | None:
        """Return the one person whose surnames begin with some letters: "tf" of Tamahou-Fenwick."""
        named = [one for one in self.persons if "".join(word[0] for word in one.surnames) == folded]
        return named[0] if len({one.surnames for one in named}) == 1 else None

    def with_clipped_surname(self, folded: str) -> tuple[NotePerson, int] | None:
        """Return the one person whose surname ``folded`` is in short, and its index: "Dr. Bala" of Balasubramanian."""
        if len(folded) < _MIN_PREFIX or bearers_of_given(folded):
            return None
        found = {
            surname: (person, index)
            for person in self.persons
            for index, surname in enumerate(person.surnames)
            if surname.startswith(folded) and len(surname) >= len(folded) + _MIN_CLIPPED
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def nicknamed(self, folded: str) -> NotePerson | None:
        """Return the one person of the note whose given name has the nickname ``folded``."""
        named = [one for one in self.persons if one.givens[0] in formal_names().get(folded, ())]
        return named[0] if len({one.givens[0] for one in named}) == 1 else None

    def _lone_roles(self, text: str, mentions: Sequence[NameMention]) -> Iterator[tuple[str, Entity]]:
        """Yield the words that stand alone as names of several roles, with the role that most have, or the first."""
        if len({one.entity for one in mentions}) < 2:
            return
        roles: dict[str, list[Entity]] = {}
        for start, end, entity in mentions:
            value = text[start:end]
            if len(value) > 1 and value.replace("-", "").isalpha() and self._title(start) != "dr":
                roles.setdefault(value.lower(), []).append(entity)
        for value, found in roles.items():
            if len(set(found)) > 1:
                usual = Counter(found).most_common(1)[0][0]
                yield from ((word, usual) for word in folded_parts(value))

    def with_initials(self, letters: Sequence[str]) -> tuple[NotePerson, InitialsForm] | None:
        """Return the one person of whose names ``letters`` are the initials, and how; clinicians before others.

        Who has them in brackets behind the name goes first, and who has a name for every letter before those whose
        first and last letters fit.
        """
        if len(letters) < 2:
            return None
        folded = [fold_name(letter)[:1] for letter in letters]
        named = self._with_initials_in_brackets.get("".join(folded))
        if named is not None and (form := initials_form(folded, named.givens, named.surnames)) is not None:
            return named, form
        first = folded[0]
        if len(folded) == _FIRST_AND_LAST:
            last = folded[1]
            of_both = (one for one in self.persons if one.givens[0][:1] == first and one.surnames[-1][:1] == last)
            if (person := self._only(of_both)) is not None:
                return person, InitialsForm(((False, 0), (True, len(person.surnames) - 1)))
        likely = [one for one in self.persons if first in {one.givens[0][:1], one.surnames[0][:1]}]
        forms = {one: initials_form(folded, one.givens, one.surnames) for one in likely}
        fitting = {one: form for one, form in forms.items() if form is not None}
        for some in ([one for one, form in fitting.items() if form.is_exact], fitting):
            if (person := self._only(some)) is not None:
                return person, fitting[person]
        if len(folded) == _FIRST_AND_LAST:
            # "WH" of Helen Whitaker, surname first.
            turned = (one for one in self.persons if one.givens[0][:1] == last and one.surnames[-1][:1] == first)
            if (person := self._only(turned)) is not None:
                return person, InitialsForm(((True, len(person.surnames) - 1), (False, 0)))
            # "TP" of Toua Pao Xiong, beside the surname.
            of_givens = (one for one in self.persons if [word[0] for word in one.givens[:2]] == folded)
            if (person := self._only(of_givens)) is not None:
                return person, InitialsForm(((False, 0), (False, 1)))
        return None

    @cached_property
    def _with_initials_in_brackets(self) -> dict[str, NotePerson]:
        """The one person who has initials in brackets behind the name, by these: "Orville Stamper (O.S.)"."""
        found = ((_IN_BRACKETS.match(self._text, person.mention.end), person) for person in self.persons)
        named = [(fold_name("".join(filter(str.isalpha, match[1]))), person) for match, person in found if match]
        counted = Counter(letters for letters, _ in named)
        return {letters: person for letters, person in named if counted[letters] == 1}

    def particle_letters(self, person: NotePerson) -> frozenset[str]:
        """Return the first letters, folded, of the particles in a name: the n of Aoibheann Ní Shúilleabháin."""
        folded = folded_parts(self._text[person.mention.start : person.mention.end])
        return frozenset(word[0] for word in folded if word not in {*person.givens, *person.surnames} and len(word) > 1)

    def junior(self, letters: Sequence[str]) -> str | None:
        """Return the folded given name of whom two letters call a junior: "CJ" of Cassius Jr."""
        if len(letters) != _FIRST_AND_LAST or letters[1].lower() != "j":
            return None
        for start, end, _ in self._mentions:
            value = self._text[start:end]
            if _JUNIOR.search(value) and fold_name(value)[:1] == fold_name(letters[0]):
                return fold_name(name_parts(value)[0][2])
        return None

    def with_account(self, folded: str) -> tuple[NotePerson, AccountForm] | None:
        """Return the one person whose names the letters of a user name or a mailbox are made of, and how."""
        fitting = {
            person: form
            for person in self.persons
            if (form := account_form(folded, person.givens, person.surnames)) is not None
            and not self._is_called(folded, form)
        }
        person = self._only(fitting)
        if person is None and fitting and all(form.is_of_surname for form in fitting.values()):
            # The surname of several people of the note, which is one name.
            person = min(fitting, key=lambda one: one.mention.entity is Entity.PROVIDER)
        if person is None and fitting and len(folded) > _MIN_PREFIX:
            person = next(iter(fitting))
        return None if person is None else (person, fitting[person])

    def _is_called(self, folded: str, form: AccountForm) -> bool:
        """Whether the given name that an account cuts is what somebody is called: the Del of Delbert "Del" Wapoose."""
        is_last, _, length = form.parts[0]
        return not is_last and length is not None and length > 1 and folded[:length] in self._short

    def with_short_account(self, folded: str) -> tuple[NotePerson, str, AccountForm] | None:
        """Return whose short name and surname an account is made of, that short name, and how: ``sidmg`` of Sid."""
        for short, person in self._short.items():
            if person.surnames and (form := account_form(folded, (short,), person.surnames)) is not None:
                return person, short, form
        named = [one for one in self.persons if len(folded) > 3 and is_short_name(folded, one.givens[0])]
        return (named[0], folded, AccountForm(((False, 0, None),))) if len(named) == 1 else None

    def _only(self, persons: Iterable[NotePerson]) -> NotePerson | None:
        fitting = list(persons)
        wrong = {word for _, word in self.words.misspelled}
        whole = [one for one in fitting if len(one.givens[0]) > 1 and wrong.isdisjoint((*one.givens, *one.surnames))]
        clinicians = [one for one in fitting if one.mention.entity is Entity.PROVIDER]
        for some in (fitting, whole, clinicians):
            if len(some) == 1:
                return some[0]
        return None


def _initials_before(text: str, starts: Iterable[int]) -> str:
    """Return the folded initials that stand before some words and are not marked: the T of "T. Quill"."""
    found = ""
    for start in starts:
        first = max(0, start - _REACH_OF_INITIAL)
        # Most names stand behind a word in small letters.
        if not text[first:start].islower() and (initial := _INITIAL_BEFORE.search(text, first, start)):
            found += initial[1].lower()
    return found


def _words_alone(text: str, mentions: Iterable[NameMention]) -> dict[str, list[int]]:
    """Return where each folded word that is a name by itself stands."""
    alone: dict[str, list[int]] = {}
    for start, end, _ in mentions:
        parts = name_parts(value := text[start:end])
        if len(parts) == 1 and len(parts[0][2]) > 1:
            alone.setdefault(folded_parts(value)[0], []).append(start)
    return alone


def note_words(names: Iterable[str], surnames: Mapping[str, bool], doubles: Mapping[str, tuple[str, ...]]) -> NoteWords:
    """Return the words of the names of a note.

    Args:
        names: its names, as written.
        surnames: whether a folded word is a surname, where that is known.
        doubles: surnames of two words, by the word that they are without a space: Little Owl.
    """
    counted: Counter[str] = Counter()
    beside: dict[str, set[str]] = {}
    for name in names:
        words = [fold_name(word) for _, _, word in name_parts(name) if len(word) > 1]
        words = [word for word in words if word not in UNUSUAL_NAMES and word != "and"]
        counted.update(words)
        for word in words:
            beside.setdefault(word, set()).update(words, *(doubles[one] for one in words if one in doubles))
    joined = {word: parts for word, parts in doubles.items() if word in counted}
    givens = tuple(word for word in counted if word not in joined and not surnames.get(word, False))
    lasts = tuple(word for word in counted if word not in joined and surnames.get(word, True))
    return NoteWords(givens, lasts, misspelled_words(counted, givens, lasts, beside), joined)


def _surnames(persons: Sequence[NotePerson]) -> dict[str, bool]:
    kinds: dict[str, set[bool]] = {}
    for person in persons:
        for is_last, words in ((False, person.givens), (True, person.surnames)):
            for word in words:
                kinds.setdefault(word, set()).add(is_last)
    return {word: True in kind for word, kind in kinds.items() if len(kind) == 1 and len(word) > 1}
