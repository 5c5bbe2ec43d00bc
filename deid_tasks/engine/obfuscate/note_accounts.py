"""Letters that follow the people of a note: user names, mailboxes and initials."""

import re
from collections.abc import Callable, Sequence

from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.names.account_forms import PARTICLE_BEHIND_INITIAL, PARTICLE_OF_ACCOUNT, Part
from deid_tasks.engine.obfuscate.names.name_roles import is_lone_surname
from deid_tasks.engine.obfuscate.names.note_people import NotePeople
from deid_tasks.engine.obfuscate.names.note_person import NotePerson
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.people.name_text import fold_name

_JUNIOR = re.compile(r"(?P<name>[a-z]{4,})(?P<suffix>jr|sr|iii|iv)")
_HYPHENED = re.compile(r"(?P<lead>[A-Z]\.? )?(?P<one>[A-Z])\.?-(?P<other>[A-Z])")
_CUT_SECOND = re.compile(r"(?P<surname>[A-Z][a-z]{2,})-(?P<initial>[A-Z])")
_WITH_INITIALS = re.compile(r"(?P<given>[A-Z][a-z]{2,}) (?P<one>[A-Z])(?P<other>[A-Z])")
_CUT_SURNAME = re.compile(r"(?P<lead>[A-Z]\.? ?)?(?P<surname>(?:Mc|Mac|O['’])[A-Z])")
_INITIALS, _WITH_O = 2, 3
_MIN_SURNAME, _MAX_LETTERS = 5, 3
_PIECES = re.compile(r"[A-Z][a-z]{2,}|[A-Z]{1,2}(?![a-z])")
"""The words of a word in which each begins with a capital; capitals at its end are initials."""
MadeNames = tuple[Sequence[str], Sequence[str]]
"""The given names and the surnames of a surrogate."""


class NoteAccounts:
    """The user names, mailboxes and initials of the people of one note.

    Args:
        people: whom the note names in full.
        context: of the note.
        names_of: returns the names of a person's surrogate; ``None`` where it has other parts.
        called: returns what the surrogate of the person is called whose short name a folded word is.
        called_like: returns what a person's surrogate is called who is called by a folded word.
    """

    def __init__(
        self,
        people: NotePeople,
        context: NoteContext,
        names_of: Callable[[NotePerson], MadeNames | None],
        called: Callable[[str], str | None],
        called_like: Callable[[NotePerson, str], str | None],
    ) -> None:
        self._people = people
        self._context = context
        self._names_of = names_of
        self._called = called
        self._called_like = called_like

    def account(self, letters: str) -> str | None:
        """Return the letters of an account, made of a person's surrogate; ``None`` where they are no person's."""
        folded = fold_name(letters)
        if (of_pieces := self.of_pieces(letters)) is not None:
            return of_pieces
        made = self._called(folded)
        if made is None:
            found = self._people.with_account(folded)
            if found is None and (junior := _JUNIOR.fullmatch(folded)) and (of_name := self.account(junior["name"])):
                return match_case(of_name + junior["suffix"], letters)
            made = self._of_part(folded) if found is None else self._made_of(found[0], found[1].made_of)
        return None if made is None else match_case(fold_name(made) if letters.isascii() else made, letters)

    def of_pieces(self, letters: str) -> str | None:
        """Return a word of several names of one person, whole, cut or as initials, made of the surrogate's.

        Such are ``BoudoinAde``, ``NakPer`` of Nakano-Perez and ``HabteTW`` of Tesfaye W. Habtemariam. ``None`` for
        other words.
        """
        pieces = _PIECES.findall(letters)
        has_name = any(len(piece) > _INITIALS for piece in pieces)
        if len(pieces) == 1 or not has_name or "".join(pieces) != letters:
            return None
        fitting = [(person, words) for person in self._people.persons if (words := _words_of(person, pieces))]
        made = self._names_of(fitting[0][0]) if len({words for _, words in fitting}) == 1 else None
        if made is None:
            return None
        whole = [(made[1] if is_last else made[0])[index][:length] for is_last, index, length in fitting[0][1]]
        return "".join(word.upper() if len(word) == 1 else word.capitalize() for word in whole)

    def account_of(self, letters: str) -> str | None:
        """Return the surrogate of a user name that was detected as a name: ``pachterb`` of P. Achterberg."""
        return self.account(letters) if self._people.is_account(letters) else None

    def in_short(self, value: str) -> str | None:
        """Return the surrogate of a name of hyphened initials or with a cut surname; ``None`` for others.

        Such are "N-B" and "T. N-B" of Talia Nguyen-Barrett, "M-J" of Marie-Josée, and "S. McG" of Senga McGlashan.
        """
        if (hyphened := _HYPHENED.fullmatch(value)) is not None:
            lead, one, other = (hyphened[name] for name in ("lead", "one", "other"))
            for is_last in (True, False):
                fitting = [
                    person
                    for person in self._people.persons
                    if [word[:1] for word in (person.surnames if is_last else person.givens)][:2]
                    == [fold_name(one), fold_name(other)]
                    and (not lead or person.givens[0][:1] == fold_name(lead[0]))
                ]
                names = {one.surnames if is_last and not lead else (*one.givens[:1], *one.surnames) for one in fitting}
                made = self._names_of(fitting[0]) if len(names) == 1 else None
                if made is not None:
                    first, second = (made[1] if is_last else made[0])[:2]
                    given = made[0][0][:1] + lead[1:] if lead else ""
                    return f"{given}{first[:1]}-{second[:1]}".upper()
        if (half := _CUT_SECOND.fullmatch(value)) is not None:
            return self._with_half(half["surname"], half["initial"])
        if (letters := _WITH_INITIALS.fullmatch(value)) is not None:
            return self._with_two_initials(letters["given"], letters["one"] + letters["other"])
        if (cut := _CUT_SURNAME.fullmatch(value)) is not None:
            surname = fold_name(cut["surname"])
            others = [one for one in self._people.persons if one.surnames[-1] != surname]
            fitting = [one for one in others if one.surnames[-1].startswith(surname)]
            fitting = [one for one in fitting if not cut["lead"] or one.givens[0][:1] == fold_name(cut["lead"][0])]
            made = self._names_of(fitting[0]) if len({one.surnames for one in fitting}) == 1 else None
            if made is not None:
                return (made[0][0][:1] + cut["lead"][1:] if cut["lead"] else "") + made[1][-1][:1]
        return None

    def _with_half(self, surname: str, initial: str) -> str | None:
        """Return the surrogate of a surname whose second half is an initial: "Begaye-T" of Begaye-Tsinajinnie."""
        both = (fold_name(surname), fold_name(initial))
        fitting = [one for one in self._people.persons if (one.surnames[0], one.surnames[-1][:1]) == both]
        made = self._names_of(fitting[0]) if len({one.surnames for one in fitting}) == 1 else None
        return None if made is None or len(made[1]) == 1 else f"{made[1][0].capitalize()}-{made[1][-1][:1].upper()}"

    def _with_two_initials(self, given: str, letters: str) -> str | None:
        """Return the surrogate of a given name with the initials of two surnames: "Farouk HJ"."""
        own = (fold_name(given), fold_name(letters))
        persons = (one for one in self._people.persons if len(one.surnames) > 1)
        fitting = [one for one in persons if (one.givens[0], "".join(word[0] for word in one.surnames[:2])) == own]
        made = self._names_of(fitting[0]) if len(fitting) == 1 else None
        return None if made is None else f"{made[0][0].capitalize()} {''.join(word[0] for word in made[1][:2]).upper()}"

    def mailbox(self, stretches: Sequence[str]) -> list[str] | None:
        """Return the parts of a mailbox, made of one person's surrogate; ``None`` where together they are no person's.

        Args:
            stretches: the letters between the full stops and figures.
        """
        folded = [fold_name(stretch) for stretch in stretches]
        found = self._people.with_account("".join(folded))
        if found is None or (made := self._names_of(found[0])) is None:
            return None
        person, form = found
        forms = form.divided_like(folded, person.givens, person.surnames)
        if forms is None:
            return None
        return [match_case(one.made_of(*made), like) for one, like in zip(forms, stretches, strict=True)]

    def initials(self, letters: Sequence[str]) -> tuple[str, ...] | None:
        """Return the initials of the surrogate of the one person whom they fit; ``None`` where they fit nobody."""
        found = self._people.with_initials(letters)
        if found is not None:
            made = self._names_of(found[0])
            if made is None:
                return None
            # The letter of a particle stays, as the particle does: "ANS" of Aoibheann Ní Shúilleabháin.
            kept = self._people.particle_letters(found[0])
            written = list(found[1].made_of(*made))
            if len(written) == _WITH_O and found[1].words[1:] == ((True, len(made[1]) - 1), None):
                # "SOH" of Siobhan O'Hagan: two letters of the surname.
                written[2] = fold_name(made[1][-1])[1:2].upper()
            made_letters = zip(written, letters, strict=True)
            return tuple(new or (old if fold_name(old) in kept else "") for new, old in made_letters)
        if (junior := self._people.junior(letters)) is not None:
            return self._context.patient.given(junior)[:1], letters[1]
        return None

    def _made_of(self, person: NotePerson, form: Callable[[Sequence[str], Sequence[str]], str]) -> str | None:
        made = self._names_of(person)
        return None if made is None else form(*made)

    def _of_part(self, folded: str) -> str | None:
        """Return an account that no full name alone explains: it holds a particle, a short name or a lone name."""
        people = self._people
        if (particle := PARTICLE_OF_ACCOUNT.match(folded)) is not None:
            rest = people.with_account(folded[particle.end() :])
            if rest is not None and rest[1].parts[0][0] and (made := self._made_of(rest[0], rest[1].made_of)):
                return particle.group() + made
        if (inside := PARTICLE_BEHIND_INITIAL.fullmatch(folded)) is not None:
            rest = people.with_account(inside["initial"] + inside["surname"])
            if rest is not None and (made := self._made_of(rest[0], rest[1].made_of)):
                return made[:1] + inside["particle"] + made[1:]
        if (of_short := people.with_short_account(folded)) is not None:
            person, short, form = of_short
            called = self._called_like(person, short)
            return None if called is None else self._made_of(person, lambda _, lasts: form.made_of((called,), lasts))
        if (named := people.nicknamed(folded)) is not None:
            return self._called_like(named, folded)
        return None if self._context.is_of_patient else self._of_lone_name(folded)

    def _of_lone_name(self, folded: str) -> str | None:
        """Return an account of somebody of whom the note has the surname or the given name alone."""
        clinicians = self._context.clinicians
        if (alone := self._people.surname_in_account(folded)) is not None:
            letter = alone[1] or clinicians.letter(folded[:1], is_last=False)
            return letter + fold_name(clinicians.surname(alone[0]))
        people = self._people
        if (entity := people.named_alone(folded)) is not None or people.surnames.get(folded) is False:
            is_last = people.surnames.get(folded, entity is not None and is_lone_surname(folded, entity))
            return clinicians.surname(folded) if is_last else self._context.patient.given(folded)
        surname = next(
            (one for one, is_last in people.surnames.items() if is_last and _begins_with_letters(folded, one)), ""
        )
        if surname:
            # ``mpsandhu`` of a family of the note.
            letters = (clinicians.own_letter(letter, is_last=False) for letter in folded[: -len(surname)])
            return "".join(letters).lower() + fold_name(clinicians.surname(surname))
        if len(folded) == _INITIALS and (double := people.with_initials_of_surnames(folded)) is not None:
            # ``hemi.tf``: of the Tamahou-Fenwicks.
            return self._made_of(double, lambda _, lasts: "".join(word[0] for word in lasts).lower())
        return None


def _words_of(person: NotePerson, pieces: Sequence[str]) -> tuple[Part, ...] | None:
    """Return the words of a person's name that pieces are, whole, cut or as initials; ``None`` where one is none."""
    words = [(True, i, word) for i, word in enumerate(person.surnames)]
    words += [(False, i, word) for i, word in enumerate(person.givens)]
    found: list[Part] = []
    for piece in pieces:
        starts = [fold_name(piece)] if len(piece) > _INITIALS else list(map(fold_name, piece))
        for start in starts:
            fitting = next((one for one in words if one[2].startswith(start)), None)
            if fitting is None:
                return None
            words.remove(fitting)
            found.append((fitting[0], fitting[1], None if fitting[2] == start else len(start)))
    return tuple(found) if any(is_last for is_last, _, _ in found) else None


def _begins_with_letters(folded: str, surname: str) -> bool:
    """Whether an account is a surname with one to three letters in front of it."""
    return len(surname) >= _MIN_SURNAME and folded.endswith(surname) and 1 <= len(folded) - len(surname) <= _MAX_LETTERS
