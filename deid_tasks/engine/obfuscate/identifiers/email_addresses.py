"""E-mail addresses: the mailbox agrees with the surrogate of the name in it; the domain is another of the same kind."""

import re
from collections.abc import Sequence

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.identifiers.domains import (
    MAIL_PROVIDERS,
    prepend_name,
    replace_domain,
    reserved_domain,
)
from deid_tasks.engine.obfuscate.names.account_names import replace_account_part
from deid_tasks.engine.obfuscate.names.initials import replace_initials
from deid_tasks.engine.obfuscate.note_context import NO_NAMES, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.people.public_names import is_listed_name
from deid_tasks.engine.obfuscate.plain_words import is_role

_MIN_ROLE = 3
_MAX_INITIALS = 3
_MIN_ORGANIZATION = 5
_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")


def replace_email(value: str, context: NoteContext, names: NoteNames = NO_NAMES) -> str:
    """Return another address.

    A mailbox at a mail provider belongs to the patient's people, one at an organization's own domain to the
    institution.
    """
    local, at_sign, domain = value.partition("@")
    if not at_sign:
        if not _DOMAIN.fullmatch(value):
            return context.keyed.like(value, "mail", context.patient_id)
        # The part before the @ was detected by itself.
        surrogate = replace_domain(value, context, names)
        return prepend_name(value, context) if surrogate == value else surrogate
    is_private = fold(domain) in MAIL_PROVIDERS
    stretches = re.split(r"([^A-Za-z]+)", local)
    if is_role(re.sub(r"[\W_]", "", local)) or _is_of_role(stretches):
        mailbox = local
    else:
        of_person = _of_person(stretches, names)
        mailbox = "".join(
            of_person.get(i) or _replace_mailbox_part(stretch, context, names, is_private=is_private)
            for i, stretch in enumerate(stretches)
        )
    if context.options.reserved_ranges:
        return f"{mailbox}@{reserved_domain(domain, context)}"
    surrogate = replace_domain(domain, context, names)
    if f"{mailbox}@{surrogate}" == value:
        surrogate = prepend_name(domain, context)
    return f"{mailbox}@{surrogate}"


def _is_of_role(stretches: Sequence[str]) -> bool:
    """Whether the parts of a mailbox are a role and short letters beside it, which are no name: ``ugi.mdt``."""
    parts = [fold(stretch) for stretch in stretches if stretch.isalpha()]
    roles = [part for part in parts if len(part) >= _MIN_ROLE and is_role(part)]
    others = [part for part in parts if part not in roles]
    return bool(roles) and all(len(part) <= _MIN_ROLE and not is_listed_name(part) for part in others)


def _of_person(stretches: Sequence[str], names: NoteNames) -> dict[int, str]:
    """Return the parts of a mailbox that together are a person's, by their index.

    Such is ``noor.h.e`` of Noor Haddad-Eriksen.
    """
    letters = [i for i, stretch in enumerate(stretches) if stretch.isalpha()]
    made = names.mailbox([stretches[i] for i in letters]) if letters else None
    return {} if made is None else dict(zip(letters, made, strict=True))


def _replace_mailbox_part(part: str, context: NoteContext, names: NoteNames, *, is_private: bool) -> str:
    if not part.isalpha():
        return context.keyed.like(part, "mail", context.patient_id) if part else ""
    if own := replace_account_part(part, context.patient, only_record=True):
        return own
    of_person = names.account(part)
    if is_role(part) and not (of_person and len(part) == _MIN_ROLE - 1):
        return part
    if of_person:
        return of_person
    if 1 < len(part) <= _MAX_INITIALS and names.initials(part):
        return replace_initials(part, context, names).lower()
    if len(part) >= _MIN_ORGANIZATION and (of_organization := names.domain(fold(part))):
        return of_organization
    scope = context.patient if is_private else context.clinicians
    if surrogate := replace_account_part(part, scope):
        return surrogate
    if len(part) == 1:
        return scope.letter(part, is_last=False).lower()
    return scope.surname(fold(part)).lower() if len(part) > 2 else scope.keyed.like(part, "mail", scope.patient_id)
