"""Initials, sign-offs and user names: they agree with the surrogate of the name that they are made of."""

import re

from deid_tasks.core.patient import TermKind
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.names.account_names import last_initial, replace_account_part
from deid_tasks.engine.obfuscate.names.initial_forms import split_particle, without_prefix_letters
from deid_tasks.engine.obfuscate.note_context import NO_NAMES, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.obfuscate.plain_words import is_role

_MAX_INITIALS = 3
_MAX_SIGN_OFF = 4
_PRONOUNS = frozenset(["me", "us", "you"])
"""What "page me" calls the author."""
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
"""Degrees of four letters or more that stand where a sign-off may stand."""
_COPIES_TO = "c.c"
_LABELS = frozenset(["svc", "dos", "dob", "appt", "adm", "dsch", "proc", "req", "rec", "enc", "loc", "prov", "sig"])
"""Labels of a header that look like a sign-off: ``svc 09/14/21`` is a date of service."""
_WORDS_IN_CAPITALS = frozenset(
    [
        *("AEDT", "AEST", "ACST", "AWST", "NZDT", "NZST", "GMT", "BST", "CET", "CEST", "IST", "SGT", "SAST", "UTC"),
        *("EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "HST", "AST", "ADT", "NST"),
        *("MSE", "HPI", "ROS", "PMH", "PSH", "SOAP", "SBAR", "MDM", "EHR", "EMR", "FAX", "TEL", "DOB", "MRN", "NKDA"),
        *("LTD", "INC", "LLC", "LLP", "PLLC", "PLC", "GMBH"),
    ]
)
"""Time zones, headings and labels: sign-offs of nobody."""
_OF_OTHERS = re.compile(r"(?<=[^\W\d_])([/:;|,]\s?)(?=[^\W\d_])")


def replace_initials(value: str, context: NoteContext, names: NoteNames = NO_NAMES) -> str:
    """Return the initials of the surrogate in the same shape.

    They are those of the one person in the note whom the original's fit; else the patient's where they fit the patient,
    else those of a clinician.
    """
    if len(pieces := _OF_OTHERS.split(value)) > 1:
        # Of the dictating and of the typing person: ``CL/mb``.
        return "".join(one if i % 2 else replace_initials(one, context, names) for i, one in enumerate(pieces))
    letters = [char for char in value if char.isalpha()]
    if len(letters) > _MAX_SIGN_OFF and value.islower():
        # ``sodhiv`` is the account of a person, not initials.
        return replace_username(value, context, names)
    joined = "".join(letters)
    if joined in _CREDENTIALS or joined.lower() in _LABELS or joined in _WORDS_IN_CAPITALS or value == _COPIES_TO:
        return value
    if value.isalpha() and (short := names.called(fold_name(value))) is not None:
        return match_case(short, value)
    if (without_prefix := without_prefix_letters(value)) is not None:
        return replace_initials(without_prefix, context, names)
    if (split := split_particle(value)) is not None:
        made = replace_initials(split[0], context, names)
        return made[:-1] + split[1] + made[-1]
    scope = _scope_of(letters, context)
    if not letters:
        return scope.keyed.like(value, "initials")
    initials = [scope.own_letter(char, is_last=False) for char in letters]
    if len(letters) > 1:
        initials[-1] = last_initial(letters[-1], scope)
    if (of_person := names.initials(letters)) is not None:
        initials = [made or own for made, own in zip(of_person, initials, strict=True)]
    stream = iter(initials)
    made = "".join(
        match_case(next(stream), char + char)
        if char.isalpha()
        else scope.keyed.like(char, "initials", value)
        if char.isdecimal()
        else char
        for char in value
    )
    return made if made.casefold() != value.casefold() else scope.keyed.like(value, "initials")


def _scope_of(letters: list[str], context: NoteContext) -> NameScope:
    """Return the patient's people where the first and the last letter begin names of the patient, else the staff."""
    if len(letters) > 1:
        firsts = {fold_name(name)[:1] for name in context.patient.of_record(TermKind.FIRST, TermKind.PREFERRED)}
        lasts = {fold_name(name)[:1] for name in context.patient.of_record(TermKind.LAST)}
        if fold_name(letters[0]) in firsts and fold_name(letters[-1]) in lasts:
            return context.patient
    return context.clinicians


def replace_username(value: str, context: NoteContext, names: NoteNames = NO_NAMES) -> str:
    """Return a user name in the same shape: names and initials in it agree with their surrogates, the rest is drawn.

    User names belong to the institution and are the same in all notes, unless one holds the patient's own name, or the
    name of a person whom the note names in full.
    """
    made: list[str] = []
    for stretch in re.findall(r"[^\W\d_]+|\d+|[\W_]+", value):
        if not stretch.isalpha():
            made.append(context.keyed.like(stretch, "user", fold_name(value)))
            continue
        own = replace_account_part(stretch, context.patient, only_record=True)
        if own is None and (is_role(stretch) or stretch.lower() in _PRONOUNS):
            made.append(stretch)
            continue
        is_short = len(stretch) <= _MAX_SIGN_OFF and (made or names.account(stretch) is None)
        of_letters = names.letters(stretch) if is_short else None
        if of_letters is not None:
            # The organization behind the name: ``hgrace_lh``.
            made.append(match_case(of_letters, stretch))
            continue
        surrogate = own or names.account(stretch) or replace_account_part(stretch, context.clinicians)
        if surrogate is None and len(stretch) <= _MAX_INITIALS:
            surrogate = match_case(replace_initials(stretch, context, names), stretch)
        made.append(surrogate or _account_of_nobody(stretch, context))
    text = "".join(made)
    is_changed = (
        text.casefold() != value.casefold() or is_role(re.sub(r"[\W_]", "", value)) or value.lower() in _PRONOUNS
    )
    return text if is_changed else context.keyed.like(value, "user")


def _account_of_nobody(letters: str, context: NoteContext) -> str:
    """Return letters of which no name could be read as most accounts are made: an initial and a surname, cut."""
    folded = fold_name(letters)
    made = context.clinicians.letter(folded[:1], is_last=False) + fold_name(context.clinicians.surname(folded[1:]))
    return match_case(made[: len(letters)].lower(), letters)
