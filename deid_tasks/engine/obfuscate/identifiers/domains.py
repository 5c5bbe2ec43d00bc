"""Domains of e-mail and web addresses: another domain of the same kind, named as the surrogate of its organization."""

import re

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.obfuscate.note_context import NO_NAMES, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.organizations.organization_names import replace_organization
from deid_tasks.engine.obfuscate.organizations.organization_words import KINDS
from deid_tasks.engine.obfuscate.places import replace_place
from deid_tasks.engine.obfuscate.places.town_table import HOME
from deid_tasks.engine.obfuscate.plain_words import is_path_word

_RESERVED_DOMAINS = ("example.com", "example.org", "example.net")
"""Reserved for examples by RFC 2606: no mail to them is delivered."""
MAIL_PROVIDERS = (
    *("gmail.com", "yahoo.com", "hotmail.com", "outlook.com", "aol.com", "icloud.com", "comcast.net", "msn.com"),
    *("live.com", "verizon.net", "sbcglobal.net", "att.net", "me.com", "ymail.com", "protonmail.com", "cox.net"),
    *("charter.net", "mail.com"),
)
"""Domains that give mailboxes to anybody."""
_KIND_ENDINGS = re.compile(
    r"""(?P<stem>.{3,}?)
        (?P<kind>healthcare|health|hospitals?|clinics?|medcenter|medical|med|care|hosp|pharmacy|dental|group|univ|school
            |imaging|rehab|hospice|cancer|heart|kids|peds|ortho|womens|derm|eye|spine|fm|im|surgery|dialysis|oncology|library|school|church|college|bank)""",
    re.IGNORECASE | re.VERBOSE,
)
_SECOND_LEVEL = frozenset(["co", "com", "org", "ac", "gov", "edu", "net"])
_WITH_STATE_DOMAINS = frozenset({"AU"})
_STATE_DOMAINS = frozenset(("nsw", "vic", "qld", "wa", "sa", "tas", "act", "nt"))
_KINDS_OF_US = frozenset({"k12", "lib", "ci", "co", "cc", "tec", "state", "dst", "gen", "pvt"})
"""Labels of RFC 1480 that say what kind of body a domain of a state belongs to."""
_KEPT_HOSTS = frozenset(
    [
        "www",
        "pacs",
        "app",
        "api",
        "viewer",
        "telehealth",
        "mail",
        "portal",
        "mychart",
        "my",
        "secure",
        "webmail",
        "m",
        "web",
    ]
)
_MAIL_LABELS = ("mail", "email", "inbox", "mailbox", "post", "webmail")
_MAX_ABBREVIATION_LENGTH = 4
_MIN_SURNAME = 4
_NATIONS = frozenset({"wales", "scot"})


def reserved_domain(domain: str, context: NoteContext) -> str:
    """Return a domain that is reserved for examples."""
    return context.keyed.choice(_RESERVED_DOMAINS, "domain", fold(domain))


def replace_domain(domain: str, context: NoteContext, names: NoteNames = NO_NAMES) -> str:
    """Return another domain with the same ending; a mail provider becomes another mail provider.

    A label that is made of an organization in the note is made of its surrogate.
    """
    folded = fold(domain)
    if folded in MAIL_PROVIDERS:
        others = [name for name in MAIL_PROVIDERS if name != folded]
        return context.keyed.choice(others, "domain", folded, context.patient_id)
    labels = domain.split(".")
    if len(labels) < 2:
        return _replace_label(domain, context, names)
    last = len(labels) - 2
    if last > 0 and fold(labels[last]) in _SECOND_LEVEL and len(labels[-1]) == 2:
        last -= 1
    if len(labels) > 2 and fold(labels[-1]) == "us" and labels[-2].upper() in STATE_NAMES:
        # "chis.k12.oh.us": a school's or a county's, of the state that the note's addresses have.
        state = _state(labels[-2], context, HOME)
        kept = _KINDS_OF_US.intersection(labels)
        named = [label if label in kept else _replace_label(label, context, names) for label in labels[:-2]]
        return ".".join((*named, state, labels[-1]))
    replaced = [
        label
        if i > last or (i < last and fold(label) in _KEPT_HOSTS) or _is_of_service(labels, i)
        else _replace_label(label, context, names)
        for i, label in enumerate(labels)
    ]
    return ".".join(replaced)


def _is_of_service(labels: list[str], index: int) -> bool:
    """Whether a label names a nation of the health service: wales.nhs.uk."""
    return fold(labels[index]) in _NATIONS and [fold(one) for one in labels[index + 1 : index + 3]] == ["nhs", "uk"]


def prepend_name(domain: str, context: NoteContext) -> str:
    """Return a domain that consists of words of kind, such as clinic.org, with a name before them."""
    labels = domain.split(".")
    index = max(0, len(labels) - 2)
    named = replace_organization(labels[index].capitalize(), context)
    labels[index] = re.sub(r"[^a-z0-9-]", "", fold(named))
    return ".".join(labels)


def _state(label: str, context: NoteContext, country: str) -> str:
    """Return the label of the surrogate of a state."""
    return replace_place(label.upper(), Entity.STATE, context.staff, context.options, country=country).lower()


def _replace_label(label: str, context: NoteContext, names: NoteNames) -> str:
    """Return one label of a domain, named as the surrogate of the organization that it names."""
    if any(char.isdigit() for char in label) and not any(char.isalpha() for char in label):
        return context.keyed.like(label, "domain")
    stretches = re.split(r"(-)", label)
    return "".join(stretch if stretch == "-" else _replace_label_part(stretch, context, names) for stretch in stretches)


def _replace_label_part(part: str, context: NoteContext, names: NoteNames) -> str:
    if fold(part) in _MAIL_LABELS:
        return context.keyed.choice([name for name in _MAIL_LABELS if name != fold(part)], "domain", fold(part))
    if fold(part) in KINDS or is_path_word(part):
        return part
    if context.country in _WITH_STATE_DOMAINS and fold(part) in _STATE_DOMAINS:
        # "vic.gov.au" follows the state of the organization.
        return _state(part, context, context.country)
    if of_organization := names.domain(fold(part)):
        return of_organization
    if of_people := _of_surnames(fold(part), names):
        return of_people
    found = _KIND_ENDINGS.fullmatch(part)
    stem, kind = (found["stem"], found["kind"]) if found else (part, "")
    name = stem.upper() if len(stem) <= _MAX_ABBREVIATION_LENGTH else stem.capitalize()
    surrogate = re.sub(r"[^a-z0-9]", "", fold(replace_organization(name, context))) + kind
    return surrogate if part[:1].islower() or not part else surrogate.capitalize()


def _of_surnames(part: str, names: NoteNames) -> str | None:
    """Return a label that is made of surnames of the note, with an everyday word behind them: ``drysdaleplumbing``."""
    made, rest = "", part
    surnames = sorted((word for word, is_last in names.surnames.items() if is_last), key=len, reverse=True)
    while surname := next((one for one in surnames if len(one) >= _MIN_SURNAME and rest.startswith(one)), None):
        if (surrogate := names.account(surname)) is None:
            return None
        made, rest = made + fold(surrogate), rest[len(surname) :]
    is_whole = not rest or rest in KINDS or is_path_word(rest)
    return made + rest if made and is_whole else None
