"""Initials, sign-offs and user ids: they agree with the surrogate of the name that they are made of."""

import re

from deid_tasks.core.patient import TermKind
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.people.name_pools import given_names, surname_groups
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import fold_name

_LEAST_SURNAME = 4
"""A shorter surname is in too many words by chance."""
_LEAST_BEARERS = 1.0
_MOST_INITIALS = 3
_CREDENTIALS = frozenset(
    [
        "LMSW",
        "LCSW",
        "LICSW",
        "LPCC",
        "APRN",
        "ARNP",
        "CRNP",
        "CRNA",
        "PharmD",
        "PHARMD",
        "FACP",
        "FACS",
        "FAAP",
        "CCRN",
    ]
)
"""Degrees, longer than anybody's initials, that stand where a sign-off may."""


def replace_initials(value: str, context: NoteContext) -> str:
    """The initials of the surrogate, in the same shape: the patient's own, else those of a clinician."""
    letters = [char for char in value if char.isalpha()]
    if "".join(letters) in _CREDENTIALS:
        return value
    scope = _whose(letters, context)
    if not letters:
        return scope.keyed.like(value, "initials")
    new = [scope.own_letter(char, is_last=False) for char in letters]
    if len(letters) > 1:
        new[-1] = _last_letter(letters[-1], scope)
    stream = iter(new)
    made = "".join(
        match_case(next(stream), char + char)
        if char.isalpha()
        else scope.keyed.like(char, "initials", value)
        if char.isdecimal()
        else char
        for char in value
    )
    return made if made.casefold() != value.casefold() else scope.keyed.like(value, "initials")


def _whose(letters: list[str], context: NoteContext) -> NameScope:
    if len(letters) > 1:
        firsts = {fold_name(name)[:1] for name in context.patient.of_record(TermKind.FIRST, TermKind.PREFERRED)}
        lasts = {fold_name(name)[:1] for name in context.patient.of_record(TermKind.LAST)}
        if fold_name(letters[0]) in firsts and fold_name(letters[-1]) in lasts:
            return context.patient
    return context.staff


def _last_letter(letter: str, scope: NameScope) -> str:
    for name in scope.of_record(TermKind.LAST):
        if fold_name(name)[:1] == fold_name(letter) and fold_name(name) in scope.lasts:
            return scope.surname(fold_name(name))[0]
    return scope.letter(letter, is_last=True)


def replace_username(value: str, context: NoteContext) -> str:
    """A user id: the names and initials in it agree with their surrogates, other letters and digits are drawn; the shape stays.

    User ids are the institution's, so they are the same in all notes, unless one holds the patient's own name.
    """
    made: list[str] = []
    for piece in re.findall(r"[^\W\d_]+|\d+|[\W_]+", value):
        if not piece.isalpha():
            made.append(context.keyed.like(piece, "user", fold_name(value)))
            continue
        new = account_part(piece, context.patient, is_known=True) or account_part(piece, context.staff)
        if new is None and len(piece) <= _MOST_INITIALS and piece != value:
            new = match_case(replace_initials(piece, context), piece)
        made.append(new or context.keyed.like(piece, "user", fold_name(value)))
    text = "".join(made)
    return text if text.casefold() != value.casefold() else context.keyed.like(value, "user")


def account_part(piece: str, scope: NameScope, *, is_known: bool = False) -> str | None:
    """The surrogate of the letters of an account's name that hold a person's ("jsmith", "maria", "smithj"); ``None`` where none is.

    With ``is_known`` only names of the scope's record count.
    """
    folded = fold_name(piece)
    if len(folded) < 2:
        return None
    if scope.record and (own := _own_account(folded, scope)):
        return match_case(fold_name(own), piece)
    if is_known:
        return None
    made = _public_account(folded, scope)
    return match_case(fold_name(made), piece) if made else None


def _own_account(folded: str, scope: NameScope) -> str | None:
    if folded in scope.lasts:
        return scope.surname(folded) if len(folded) > 1 else None
    if folded in scope.firsts:
        return scope.given(folded) if len(folded) > 1 else None
    for last in sorted(scope.lasts, key=len, reverse=True):
        if len(last) < 3 or last not in folded:
            continue
        before, _, after = folded.partition(last)
        rest = before or after
        if before and after:
            continue
        if rest in scope.firsts or len(rest) <= 2:
            new = scope.given(rest) if len(rest) > 2 else "".join(scope.own_letter(c, is_last=False) for c in rest)
            return new + scope.surname(last) if before else scope.surname(last) + new
    for first in sorted(scope.firsts, key=len, reverse=True):
        rest = folded.removeprefix(first)
        if len(first) > 2 and rest != folded and len(rest) == 1:
            return scope.given(first) + _last_letter(rest, scope)
    return None


def _public_account(folded: str, scope: NameScope) -> str | None:
    surnames = surname_groups()
    if folded in surnames and len(folded) >= _LEAST_SURNAME:
        known = given_names().get(folded)
        return scope.given(folded) if known and known[2] > 100 * _LEAST_BEARERS else scope.surname(folded)
    if (known := given_names().get(folded)) and known[2] >= _LEAST_BEARERS and len(folded) > 2:
        return scope.given(folded)
    if len(folded) > _LEAST_SURNAME and folded[1:] in surnames:
        return scope.letter(folded[0], is_last=False) + scope.surname(folded[1:])
    if len(folded) > _LEAST_SURNAME and folded[:-1] in surnames:
        return scope.surname(folded[:-1]) + scope.letter(folded[-1], is_last=False)
    return None
