"""How initials are made of a person's names: "JWO" of Jamal Whitfield-Ortega, "DMc" of Deirdre McAllister."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_MIN_LETTERS_SURNAME_FIRST = 3
_WITH_PREFIX = re.compile(r"(?P<givens>[A-Z]{1,2})(?:(?P<mac>M)a?c|(?P<o>O)['’])[A-Z]?")
_WITH_PARTICLE = re.compile(r"(?P<givens>[A-Z]{1,2})(?P<particle>d|dl|v|vd)(?P<last>[A-Z])")


class InitialsForm(NamedTuple):
    """The word of a name that each letter begins, as ``(is of the surname, index)``; ``None`` for a letter of none."""

    words: tuple[tuple[bool, int] | None, ...]

    @property
    def is_exact(self) -> bool:
        """Whether every letter begins a word of the name."""
        return None not in self.words

    def made_of(self, givens: Sequence[str], surnames: Sequence[str]) -> tuple[str, ...]:
        """Return the first letters of another name in the same form; empty for a letter that begins no word."""
        return tuple("" if one is None else (surnames if one[0] else givens)[one[1]][:1] for one in self.words)


def initials_form(letters: Sequence[str], givens: Sequence[str], surnames: Sequence[str]) -> InitialsForm | None:
    """Return how initials are made of a name; ``None`` where they are not.

    Args:
        letters: the initials, folded.
        givens: the folded given names.
        surnames: the folded surnames; both halves of a double-barrelled one.
    """
    if len(letters) == 2 and letters[0] == givens[0][:1] and letters[1] == surnames[-1][:1]:
        return InitialsForm(((False, 0), (True, len(surnames) - 1)))
    for form in _forms(len(letters), len(givens), len(surnames)):
        if form.made_of(givens, surnames) == tuple(letters):
            return form
    if len(letters) > 1 and letters[0] == givens[0][:1] and letters[-1] == surnames[-1][:1]:
        between = [_middle(letter, givens) for letter in letters[1:-1]]
        return InitialsForm(((False, 0), *between, (True, len(surnames) - 1)))
    if len(letters) == _MIN_LETTERS_SURNAME_FIRST and letters[0] == givens[0][:1] and letters[1] == "o":
        # "SOD" of Siobhan O'Donnell; the last letter begins no word.
        is_of_surname = surnames[-1].startswith(letters[1] + letters[2])
        return InitialsForm(((False, 0), (True, len(surnames) - 1), None)) if is_of_surname else None
    return None


def _forms(size: int, givens: int, surnames: int) -> Iterator[InitialsForm]:
    """Yield the forms of ``size`` letters in which every letter begins a word."""
    every_given = [(False, index) for index in range(givens)]
    every_surname = [(True, index) for index in range(surnames)]
    for some in (every_given, every_given[:1]):
        for others in (every_surname, every_surname[-1:], every_surname[:1]):
            if len(some) + len(others) == size:
                yield InitialsForm((*some, *others))
                if size >= _MIN_LETTERS_SURNAME_FIRST:
                    yield InitialsForm((*others, *some))


def _middle(letter: str, givens: Sequence[str]) -> tuple[bool, int] | None:
    return next(((False, index) for index in range(1, len(givens)) if givens[index][:1] == letter), None)


def without_prefix_letters(value: str) -> str | None:
    """Return "DM" for the initials "DMc" and "DMcA" of Deirdre McAllister, "DO" for "DO'L" of Dermot O'Leary.

    ``None`` for other initials. The surname of a surrogate need not begin so.
    """
    found = _WITH_PREFIX.fullmatch(value)
    return None if found is None else f"{found['givens']}{found['mac'] or found['o']}"


def split_particle(value: str) -> tuple[str, str] | None:
    """Return the initials without the letter of a particle, and that letter: "AV" and "d" for "AdV" of Anna de Vries.

    ``None`` for other initials.
    """
    found = _WITH_PARTICLE.fullmatch(value)
    return None if found is None else (found["givens"] + found["last"], found["particle"])
