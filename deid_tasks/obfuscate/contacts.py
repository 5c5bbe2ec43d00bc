"""Telephone numbers, e-mail addresses, web addresses and network addresses."""

import ipaddress
import re
from functools import cache

from deid_tasks.obfuscate.names import replace_word, surname_pool
from deid_tasks.obfuscate.scope import Scope
from deid_tasks.reference import fold, read_tsv

_DOMAINS = ("example.com", "example.org", "example.net")
"""Reserved for examples by RFC 2606: nobody gets this mail."""
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
    ]
)
"""Parts of a web address that say nothing of anyone."""
_TOLL_FREE = re.compile(
    r"(?P<lead>\+?1?\D{0,2})(?P<prefix>8(?:00|33|44|55|66|77|88))(?P<rest>\W{0,2}[\dA-Z](?:\W?[\dA-Z]){6})(?P<more>.*)",
    re.DOTALL,
)
_TOLL_FREE_PREFIXES = ("800", "833", "844", "855", "866", "877", "888")
_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
"""Reserved for documentation by RFC 5737."""


def replace_phone(value: str, scope: Scope) -> str:
    """A number in the same punctuation: a real area code, an exchange from 200 to 999, other digits; extensions too."""
    vanity = _TOLL_FREE.fullmatch(value)
    if vanity:
        return _toll_free(vanity, scope)
    digits = re.sub(r"\D", "", value)
    keyed, parts = scope.keyed, ("phone", scope.patient_id)
    core = digits.removeprefix("1") if len(digits) == 11 else digits
    if len(core) < 7:
        made = keyed.like(digits, *parts)
    else:
        area, local, extension = (core[:3], core[3:10], core[10:]) if len(core) >= 10 else ("", core[:7], core[7:])
        new_local = _exchange(keyed.like(local, *parts))
        new_area = keyed.choice(area_codes(), *parts, "area", area) if area else ""
        made = digits[: len(digits) - len(core)] + new_area + new_local
        made += keyed.like(extension, *parts) if extension else ""
    stream = iter(made)
    return "".join(next(stream) if char.isdecimal() else _letter(char, scope) for char in value)


def replace_email(value: str, scope: Scope) -> str:
    """An address at a reserved domain; where it holds a name of the patient, its surrogate's name stands there."""
    parts = ("mail", scope.patient_id)
    made = []
    for piece in re.split(r"([^A-Za-z]+)", value.partition("@")[0]):
        if fold(piece) in scope.own_names:
            made.append(fold(replace_word(piece, scope, is_last=None)))
        elif len(piece) > 1 and piece.isalpha():
            made.append(fold(scope.keyed.choice(surname_pool("white"), *parts, fold(piece))))
        else:
            made.append(scope.keyed.like(piece, *parts))
    text = "".join(made)
    return f"{text}@{scope.keyed.choice(_DOMAINS, *parts, fold(value))}"


def replace_url(value: str, scope: Scope) -> str:
    """A web address at a reserved domain with a path of the same shape."""
    match = re.match(
        r"(?P<scheme>[a-z]+://)?(?P<www>www\.)?(?P<host>[^/\s]+)(?P<path>.*)", value, re.IGNORECASE | re.DOTALL
    )
    if match is None:
        return scope.keyed.like(value, "url")
    host = scope.keyed.choice(_DOMAINS, "url", fold(match["host"]))
    path = re.sub(r"[^\W_]+", lambda part: _path_part(part.group(), scope), match["path"])
    return f"{match['scheme'] or ''}{match['www'] or ''}{host}{path}"


def replace_ip(value: str, scope: Scope) -> str:
    """An address of the ranges kept for documentation (IPv4: RFC 5737, IPv6: RFC 3849); a port or a mask gets other digits."""
    match = re.fullmatch(r"(?P<address>[\d.]+|[\da-f:.]+)(?P<rest>[:/]\d+)?", value, re.IGNORECASE | re.ASCII)
    try:
        address = ipaddress.ip_address(match["address"] if match else value)
    except ValueError:
        return scope.keyed.like(value, "ip")
    rest = scope.keyed.like(match["rest"], "ip", "port") if match and match["rest"] else ""
    if address.version == 6:
        return str(ipaddress.ip_address((0x20010DB8 << 96) + scope.keyed.number(2**64, "ip", str(address)))) + rest
    return f"{scope.keyed.choice(_NETWORKS, 'ip', str(address))}.{1 + scope.keyed.number(254, 'ip', str(address), 'host')}{rest}"


@cache
def area_codes() -> tuple[str, ...]:
    """The area codes in use in the United States."""
    return tuple(sorted({code for row in read_tsv("places.tsv") for code in row["area_codes"].split(",") if code}))


def _toll_free(match: re.Match[str], scope: Scope) -> str:
    """A toll-free number stays one; letters that spell it become digits."""
    parts = ("phone", scope.patient_id, match["prefix"])
    core = re.sub(r"\W", "", match["rest"])
    new = iter(_exchange(scope.keyed.like(re.sub(r"[A-Z]", "2", core), *parts, core)))
    rest = "".join(next(new) if char.isalnum() else char for char in match["rest"])
    more = re.sub(r"\d+", lambda digits: scope.keyed.like(digits.group(), *parts), match["more"])
    return match["lead"] + scope.keyed.choice(_TOLL_FREE_PREFIXES, *parts) + rest + more


def _exchange(local: str) -> str:
    return local if local[0] not in "01" else str(2 + int(local[1]) % 8) + local[1:]


def _letter(char: str, scope: Scope) -> str:
    """Vanity letters (1-800-GO-CARD) say the number as digits do; words such as ext. stay."""
    return scope.keyed.like(char, "phone") if char.isupper() else char


def _path_part(part: str, scope: Scope) -> str:
    return part if part.casefold() in _PATH_WORDS else scope.keyed.like(part, "url")
