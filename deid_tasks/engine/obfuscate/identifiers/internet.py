"""E-mail, web and network addresses."""

import ipaddress
import re

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.names.initials import account_part
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.organizations.organization_names import replace_organization
from deid_tasks.engine.obfuscate.organizations.organization_words import KINDS

_RESERVED_DOMAINS = ("example.com", "example.org", "example.net")
"""Reserved for examples by RFC 2606: nobody gets this mail."""
_PROVIDERS = ("gmail.com", "yahoo.com", "hotmail.com", "outlook.com", "aol.com", "icloud.com", "comcast.net", "msn.com", "live.com", "verizon.net",
              "sbcglobal.net", "att.net", "me.com", "ymail.com", "protonmail.com", "cox.net", "charter.net", "mail.com")  # fmt: skip
_ROLES = frozenset(
    [
        "info",
        "billing",
        "office",
        "contact",
        "appointments",
        "appt",
        "records",
        "help",
        "support",
        "admin",
        "frontdesk",
        "reception",
        "scheduling",
        "referrals",
        "pharmacy",
        "nurse",
        "clinic",
        "mail",
        "email",
        "noreply",
        "no",
        "reply",
        "results",
        "portal",
        "care",
        "team",
        "privacy",
        "hr",
        "intake",
    ]
)
"""Before the @, a desk and no person."""
_PATH_WORDS = frozenset(
    [
        "appointment",
        "appointments",
        "billing",
        "doc",
        "docs",
        "form",
        "forms",
        "help",
        "html",
        "htm",
        "id",
        "index",
        "intake",
        "login",
        "message",
        "messages",
        "mychart",
        "new",
        "page",
        "patient",
        "patients",
        "pay",
        "pdf",
        "php",
        "portal",
        "records",
        "result",
        "results",
        "schedule",
        "survey",
        "view",
        "visit",
        "visits",
        "en",
        "us",
        "www",
        "com",
        "org",
        "net",
        "edu",
        "gov",
        "http",
        "https",
        "watch",
        "maps",
        "search",
        "profile",
        "user",
        "users",
        "in",
        "groups",
        "people",
        "covid",
        "vaccine",
        "about",
        "contact",
        "care",
        "services",
    ]
)
"""Parts of a web address that say nothing of anyone."""
_KIND_ENDINGS = re.compile(
    r"(?P<stem>.{3,}?)(?P<kind>healthcare|health|hospitals?|clinics?|medcenter|medical|med|care|hosp|pharmacy|dental|group|univ|school|imaging|rehab|hospice)",
    re.IGNORECASE,
)
_SECOND_LEVEL = frozenset(["co", "com", "org", "ac", "gov", "edu", "net"])
_KEPT_HOSTS = frozenset(["www", "mail", "portal", "mychart", "my", "secure", "webmail", "m", "web"])
_MAIL_LABELS = ("mail", "email", "inbox", "mailbox", "post", "webmail")
_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
"""Reserved for documentation by RFC 5737."""


def replace_email(value: str, context: NoteContext) -> str:
    """An address whose personal part agrees with the surrogate of the name that it holds, at another domain of the same kind.

    One at a mail provider is the patient's scope's, one at an organization's own domain the institution's.
    """
    local, mark, domain = value.partition("@")
    if not mark:
        if not _DOMAIN.fullmatch(value):
            return context.keyed.like(value, "mail", context.patient_id)
        # The person before the @ was found by itself.
        made_domain = _domain(value, context)
        return _renamed(value, context) if made_domain == value else made_domain
    is_private = fold(domain) in _PROVIDERS
    made = [_mail_part(piece, context, is_private=is_private) for piece in re.split(r"([^A-Za-z]+)", local)]
    text = "".join(made)
    if context.options.reserved_ranges:
        return f"{text}@{context.keyed.choice(_RESERVED_DOMAINS, 'domain', fold(domain))}"
    made_domain = _domain(domain, context)
    if f"{text}@{made_domain}" == value:
        made_domain = _renamed(domain, context)
    return f"{text}@{made_domain}"


def _mail_part(piece: str, context: NoteContext, *, is_private: bool) -> str:
    if not piece.isalpha():
        return context.keyed.like(piece, "mail", context.patient_id) if piece else ""
    if own := account_part(piece, context.patient, is_known=True):
        return own
    if fold(piece) in _ROLES:
        return piece
    scope = context.patient if is_private else context.staff
    if made := account_part(piece, scope):
        return made
    if len(piece) == 1:
        return scope.letter(piece, is_last=False).lower()
    return scope.surname(fold(piece)).lower() if len(piece) > 2 else context.keyed.like(piece, "mail", scope.patient_id)


def replace_url(value: str, context: NoteContext) -> str:
    """A web address at another domain of the same kind with a path of the same shape."""
    match = re.match(r"(?P<scheme>[a-z]+://)?(?P<host>[^/\s?#]+)(?P<path>.*)", value, re.IGNORECASE | re.DOTALL)
    if match is None:
        return context.keyed.like(value, "url")
    host, colon, port = match["host"].partition(":")
    if context.options.reserved_ranges:
        lead = "www." if fold(host).startswith("www.") else ""
        made = f"{lead}{context.keyed.choice(_RESERVED_DOMAINS, 'domain', fold(host))}"
    else:
        made = _domain(host, context)
        made = made if made != host else _renamed(host, context)
    path = re.sub(r"[^\W_]+", lambda part: _path_part(part.group(), context), match["path"])
    return f"{match['scheme'] or ''}{made}{colon}{port}{path}"


def _domain(domain: str, context: NoteContext) -> str:
    """Another domain with the same ending; that of a mail provider, or of a known site, becomes another such."""
    folded = fold(domain)
    if folded in _PROVIDERS:
        return context.keyed.choice(
            [name for name in _PROVIDERS if name != folded], "domain", folded, context.patient_id
        )
    labels = domain.split(".")
    if len(labels) < 2:
        return _label(domain, context)
    last = len(labels) - 2
    if last > 0 and fold(labels[last]) in _SECOND_LEVEL and len(labels[-1]) == 2:
        last -= 1
    made = [
        label if i > last or (i < last and fold(label) in _KEPT_HOSTS) else _label(label, context)
        for i, label in enumerate(labels)
    ]
    return ".".join(made)


def _renamed(domain: str, context: NoteContext) -> str:
    """A domain of words of kind alone, such as clinic.org, with a name before them."""
    labels = domain.split(".")
    place = max(0, len(labels) - 2)
    labels[place] = re.sub(r"[^a-z0-9-]", "", fold(replace_organization(labels[place].capitalize(), context)))
    return ".".join(labels)


def _label(label: str, context: NoteContext) -> str:
    """One label of a domain, renamed as the organization is that it names."""
    if any(char.isdigit() for char in label) and not any(char.isalpha() for char in label):
        return context.keyed.like(label, "domain")
    pieces = re.split(r"(-)", label)
    return "".join(piece if piece == "-" else _label_part(piece, context) for piece in pieces)


def _label_part(piece: str, context: NoteContext) -> str:
    if fold(piece) in KINDS:
        return piece
    if fold(piece) in _MAIL_LABELS:
        return context.keyed.choice([name for name in _MAIL_LABELS if name != fold(piece)], "domain", fold(piece))
    found = _KIND_ENDINGS.fullmatch(piece)
    stem, kind = (found["stem"], found["kind"]) if found else (piece, "")
    if len(stem) <= 4:
        made = replace_organization(stem.upper(), context)
    else:
        made = replace_organization(stem.capitalize(), context)
    made = re.sub(r"[^a-z0-9]", "", fold(made)) + kind
    return made if piece[:1].islower() or not piece else made.capitalize()


def _path_part(part: str, context: NoteContext) -> str:
    if part.casefold() in _PATH_WORDS:
        return part
    return account_part(part, context.patient, is_known=True) or context.keyed.like(part, "url")


def replace_ip(value: str, context: NoteContext) -> str:
    """An address of ranges that belong to nobody in public; a port or a mask gets other digits.

    Private addresses stay private, and public ones fall into the range that carriers share (RFC 6598): neither looks made up.
    """
    match = re.fullmatch(r"(?P<address>[\d.]+|[\da-f:.]+)(?P<rest>[:/]\d+)?", value, re.IGNORECASE | re.ASCII)
    try:
        address = ipaddress.ip_address(match["address"] if match else value)
    except ValueError:
        return context.keyed.like(value, "ip")
    keyed, written = context.keyed, str(address)
    rest = keyed.like(match["rest"], "ip", "port") if match and match["rest"] else ""
    if address.version == 6:
        base = (
            0x20010DB8 << 96
            if context.options.reserved_ranges
            else (0xFE80 << 112 if address.is_link_local else 0xFD << 120)
        )
        bits = 64 if context.options.reserved_ranges or address.is_link_local else 120
        return str(ipaddress.ip_address(base + keyed.number(1 << bits, "ip", written))) + rest
    host = 1 + keyed.number(254, "ip", written, "host")
    if context.options.reserved_ranges:
        return f"{keyed.choice(_NETWORKS, 'ip', written)}.{host}{rest}"
    first, second, third, _ = written.split(".")
    other = keyed.number(254, "ip", written, "third")
    if first == "10":
        return f"10.{keyed.number(254, 'ip', written, 'second')}.{other}.{host}{rest}"
    if first == "192" and second == "168":
        return f"192.168.{other if str(other) != third else (other + 1) % 255}.{host}{rest}"
    if address.is_private:
        return f"172.{16 + keyed.number(16, 'ip', written, 'second')}.{other}.{host}{rest}"
    return f"100.{64 + keyed.number(64, 'ip', written, 'second')}.{other}.{host}{rest}"
