"""How the letters of a user name or a mailbox are made of a person's names."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deid_tasks.engine.obfuscate.people.name_text import fold_name

_MIN_PREFIX = 4
"""Letters of a surname that a user name must hold where it is cut."""
_MIN_WORD = 3

_PARTICLES = "ni|mac|vander|van|von|dela|del|de|al|el|o"
"""Longer ones first: the first that fits is taken."""
PARTICLE_OF_ACCOUNT = re.compile(rf"(?:{_PARTICLES})(?=[a-z]{{4}})")
"""The particle of a surname at the beginning of an account: ``devriesa``."""
PARTICLE_BEHIND_INITIAL = re.compile(
    rf"(?P<initial>[a-z])(?P<particle>{_PARTICLES}|di|da|dos|du|le|la)(?P<surname>[a-z]{{4,}})"
)
"""The particle of a surname behind the initial: ``edefreitas``."""

Part = tuple[bool, int, int | None]
"""Whether a part is of the surname, the index of the word, and its letters; all if ``None``."""


class AccountForm(NamedTuple):
    """How the letters of an account are made of a name, part by part."""

    parts: tuple[Part, ...]

    @property
    def is_one_name(self) -> bool:
        """Whether the letters are one whole word of the name, as in a name of one word."""
        return len(self.parts) == 1 and self.parts[0][2] is None

    @property
    def is_of_surname(self) -> bool:
        """Whether the letters are those of a surname alone, whole or cut."""
        return all(is_last for is_last, _, _ in self.parts)

    def divided_like(
        self, stretches: Sequence[str], givens: Sequence[str], surnames: Sequence[str]
    ) -> tuple["AccountForm", ...] | None:
        """Return the form of each stretch of an account of this form; ``None`` where one ends inside a word."""
        parts = iter(self.parts)
        found: list[AccountForm] = []
        for stretch in stretches:
            own: list[Part] = []
            while len(AccountForm(tuple(own)).made_of(givens, surnames)) < len(stretch):
                own.append(next(parts))
            if len(AccountForm(tuple(own)).made_of(givens, surnames)) != len(stretch):
                return None
            found.append(AccountForm(tuple(own)))
        return tuple(found)

    def made_of(self, givens: Sequence[str], surnames: Sequence[str]) -> str:
        """Return the same form of another name, folded."""
        words = ((surnames if is_last else givens)[index][:length] for is_last, index, length in self.parts)
        return "".join(fold_name(word) for word in words)


def account_form(folded: str, givens: Sequence[str], surnames: Sequence[str]) -> AccountForm | None:
    """Return how ``folded`` is made of a person's names; ``None`` where it is not.

    Forms, for Maria Tess Smith-Jones: ``jones``, ``maria``, ``mjones``, ``jonesm``, ``mariajones``, ``mariaj``,
    ``mariasj``, ``mtjones``, ``msjones``, ``jonesmt``, all of them with ``smithjones`` or ``smith`` in place of
    ``jones``, and with a surname that is cut after four letters or more; and ``j``.

    Args:
        folded: the letters of the account.
        givens: the folded given names.
        surnames: the folded surnames.
    """
    if not set(folded).issubset("".join((*givens, *surnames))):
        # A letter that the name has not: so are most accounts and most people of a note.
        return None
    last_index = len(surnames) - 1
    if folded == surnames[-1][0]:
        return AccountForm(((True, last_index, 1),))
    for is_last, words in ((True, surnames), (False, givens)):
        for index, word in enumerate(words):
            if folded == word and len(word) >= _MIN_WORD:
                return AccountForm(((is_last, index, None),))
    for form in _forms(givens, surnames):
        if form.made_of(givens, surnames) == folded:
            return form
    return None


def _forms(givens: Sequence[str], surnames: Sequence[str]) -> Iterator[AccountForm]:
    """Yield the forms of more than one word, and those with a surname that is cut."""
    last_index = len(surnames) - 1
    whole_given: Part = (False, 0, None)
    initials = tuple[Part, ...]((False, index, 1) for index in range(len(givens)))
    written: list[tuple[Part, ...]] = [((True, last_index, None),)]
    if last_index:
        every = tuple[Part, ...]((True, index, None) for index in range(len(surnames)))
        yield AccountForm(every)
        first_letters = tuple[Part, ...]((True, index, 1) for index in range(last_index))
        written += [every, ((True, 0, None),), (*first_letters, (True, last_index, None))]
    if len(givens) > 1:
        both = tuple[Part, ...]((False, index, None) for index in range(len(givens)))
        yield AccountForm(both)
        yield AccountForm((*both, (True, last_index, None)))
    for index in {last_index, 0}:
        written += [((True, index, length),) for length in range(len(surnames[index]) - 1, _MIN_PREFIX - 1, -1)]
    for last in written:
        if len(AccountForm(last).made_of(givens, surnames)) < _MIN_WORD:
            continue
        for given in ((whole_given,), initials[:1], initials):
            yield AccountForm((*given, *last))
            yield AccountForm((*last, *given))
    if len(givens[0]) >= _MIN_WORD:
        yield AccountForm((whole_given, (True, last_index, 1)))
        if len(givens) > 1:
            yield AccountForm((whole_given, *initials[1:], (True, last_index, 1)))
        if last_index:
            yield AccountForm((whole_given, *((True, index, 1) for index in range(len(surnames)))))
    yield from (AccountForm(last) for last in written if last[0][2] is not None)
    yield from _rare_forms(givens, surnames, written)


def _rare_forms(
    givens: Sequence[str], surnames: Sequence[str], written: Sequence[tuple[Part, ...]]
) -> Iterator[AccountForm]:
    """Yield the forms ``fhaddadj`` and ``tnakreyes`` (two surnames), ``mjune`` with a surname (two given names) and
    ``cal`` of Callum.
    """
    last_index = len(surnames) - 1
    if last_index:
        yield AccountForm(((False, 0, 1), *((True, index, None) for index in range(last_index)), (True, last_index, 1)))
        yield AccountForm(((False, 0, 1), (True, 0, _MIN_WORD), (True, last_index, None)))
    if len(givens) > 1:
        yield from (AccountForm(((False, 0, 1), (False, 1, None), *last)) for last in written)
    cut_givens = range(len(givens[0]) - 1, _MIN_WORD - 1, -1)
    yield from (AccountForm(((False, 0, length), (True, last_index, None))) for length in cut_givens)
