"""Names of people inside user names and e-mail addresses: "jsmith", "maria", "smithj"."""

from deid_tasks.core.patient import TermKind
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import fold_name, initial_like, without_marks
from deid_tasks.engine.obfuscate.people.public_names import given_name_table, surname_groups

_MIN_SURNAME_LENGTH = 4
"""Shorter surnames occur in many words by accident."""
_MIN_BEARERS = 1.0
_MIN_BEARERS_BEFORE_SURNAME = 100.0
"""A word that is a surname too counts as a given name from this many bearers in 100,000 on."""


def replace_account_part(letters: str, scope: NameScope, *, only_record: bool = False) -> str | None:
    """Return the surrogate of the letters of an account's name; ``None`` where they hold no person's name.

    Args:
        letters: consecutive letters of a user name or an e-mail address.
        scope: the people whose names are looked for.
        only_record: whether only names of the scope's record count.
    """
    folded = fold_name(letters)
    if len(folded) < 2:
        return None
    if scope.record and (own := _replace_record_names(folded, scope)):
        return match_case(_spelled(own, letters), letters)
    if only_record:
        return None
    surrogate = _replace_public_names(folded, scope)
    return match_case(_spelled(surrogate, letters), letters) if surrogate else None


def _spelled(surrogate: str, letters: str) -> str:
    """Return a surrogate without the marks that an account's name has not: Ørgaard is orgaard."""
    folded = fold_name(surrogate)
    return without_marks(folded) if letters.isascii() else folded


def last_initial(letter: str, scope: NameScope) -> str:
    """Return the initial of the surrogate of a surname: of the record's own where it begins with ``letter``."""
    for name in scope.of_record(TermKind.LAST):
        if fold_name(name)[:1] == fold_name(letter) and fold_name(name) in scope.lasts:
            return initial_like(scope.surname(fold_name(name)), letter)
    return scope.letter(letter, is_last=True)


def _replace_record_names(folded: str, scope: NameScope) -> str | None:
    if folded in scope.lasts:
        return scope.surname(folded)
    if folded in scope.firsts:
        return scope.given(folded)
    return _replace_with_surname(folded, scope) or _replace_with_initial(folded, scope)


def _replace_with_surname(folded: str, scope: NameScope) -> str | None:
    """Return the surrogate of a surname with a given name, or up to two initials, before or behind it."""
    for last in sorted(scope.lasts, key=len, reverse=True):
        if len(last) < 3 or last not in folded:
            continue
        before, _, after = folded.partition(last)
        rest = before or after
        if (before and after) or (rest not in scope.firsts and len(rest) > 2):
            continue
        given = scope.given(rest) if len(rest) > 2 else "".join(scope.own_letter(char, is_last=False) for char in rest)
        return given + scope.surname(last) if before else scope.surname(last) + given
    return None


def _replace_with_initial(folded: str, scope: NameScope) -> str | None:
    """Return the surrogate of a given name with the initial of a surname behind it."""
    for first in sorted(scope.firsts, key=len, reverse=True):
        rest = folded.removeprefix(first)
        if len(first) > 2 and rest != folded and len(rest) == 1:
            return scope.given(first) + last_initial(rest, scope)
    return None


def _replace_public_names(folded: str, scope: NameScope) -> str | None:
    surnames = surname_groups()
    known = given_name_table().get(folded)
    if folded in surnames and len(folded) >= _MIN_SURNAME_LENGTH:
        is_given = known is not None and known.bearers > _MIN_BEARERS_BEFORE_SURNAME
        return scope.given(folded) if is_given else scope.surname(folded)
    if known and known.bearers >= _MIN_BEARERS and len(folded) > 2:
        return scope.given(folded)
    if len(folded) > _MIN_SURNAME_LENGTH and folded[1:] in surnames:
        return scope.letter(folded[0], is_last=False) + scope.surname(folded[1:])
    if len(folded) > _MIN_SURNAME_LENGTH and folded[:-1] in surnames:
        return scope.surname(folded[:-1]) + scope.letter(folded[-1], is_last=False)
    return None
