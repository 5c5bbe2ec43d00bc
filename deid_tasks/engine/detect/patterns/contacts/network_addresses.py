"""E-mail and web addresses, IP and MAC addresses."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation

EMAIL_TRIGGER = r"[A-Za-z0-9]@[A-Za-z0-9]"

_EMAIL_LEFT = re.compile(r"[A-Za-z0-9._%+'\-]{1,64}$")
_EMAIL_RIGHT = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62}[A-Za-z0-9])?){1,5}"
)


def read_email(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the two sides of an @."""
    at = text.find("@", start, end)
    left = _EMAIL_LEFT.search(text[max(0, at - 64) : at])
    right = _EMAIL_RIGHT.match(text, at + 1, at + 255)
    if left and right and text[right.end() - 2 : right.end()].isalpha():
        yield Candidate(at - len(left.group().lstrip(".'-")), right.end(), Entity.EMAIL)


_DOT = r"(?: dot | ?\(dot\) ?| ?\[dot\] ?)"
_HOST_IN_WORDS = (
    rf"[a-z0-9\-]{{2,30}}(?:{_DOT}[a-z0-9\-]{{2,20}}){{0,2}}{_DOT}"
    r"(?:com|org|net|edu|gov|mil|info|biz|co|us|uk|ca|au|ie|nz)"
)
SPOKEN_EMAIL_TRIGGER = (
    r"(?i)\b[a-z0-9][a-z0-9._\-]{1,40}(?: (?:dot|underscore|dash) [a-z0-9_\-]{1,30}){0,3}"
    rf"(?: at |@| ?\(at\) ?| ?\[at\] ?){_HOST_IN_WORDS}\b"
)


def read_spoken_email(_text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read m.okafor at example dot org, as people tell an address."""
    yield Candidate(start, end, Entity.EMAIL, Strength.LABELLED)


URL_TRIGGER = (
    r"(?i)\b(?:https?|ftp)://|\bwww\.[a-z0-9]"
    r"|\b[a-z0-9][a-z0-9\-]{1,40}(?:\.[a-z0-9\-]{2,40}){0,2}"
    rf"\.(?:{alternation('contacts', 'top_level_domains')})\b"
)
_URL_REST = re.compile(r"[^\s<>\"|]{1,1000}")
_URL_PATH = re.compile(r"(?::[0-9]{2,5})?/[^\s<>\"|]{1,500}")
_TWO_LETTERS = re.compile(r"[a-z]{2}")
_WORD_ENDINGS = (".us", ".co", ".ca", ".info", ".care", ".app")
"""Endings that a sentence without a blank behind its point has too."""


def read_url(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a web address with its path, without the punctuation of the sentence."""
    if text[start - 1 : start] == "@" or text[end : end + 1] == "@":
        return
    head = text[start:end].lower()
    has_scheme = "://" in head or head.startswith("www.")
    if not has_scheme and (text[start - 1 : start] in {".", "@"} or not _is_domain(text[start:end])):
        return
    rest = _URL_REST.match(text, start, start + 1000) if has_scheme else _URL_PATH.match(text, end, end + 500)
    stop = rest.end() if rest else end
    while stop > end and text[stop - 1] in ".,;:!?)]}'":
        stop -= 1
    yield Candidate(start, stop, Entity.URL, Strength.LABELLED)


def _is_domain(value: str) -> bool:
    """Whether words with points between them are a domain and not two sentences: example.com, not well.Us."""
    head = value.lower()
    dot = head.rfind(".")
    if not _TWO_LETTERS.search(head[:dot]):
        return False
    if head[:dot] == value[:dot] and value[dot + 1].isupper():
        return False
    return not (head.endswith(_WORD_ENDINGS) and value != head)


NETWORK_TRIGGER = (
    r"\b[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\b"  # IPv4
    r"|(?i)\b(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{1,4}\b"  # IPv6 or MAC
    r"|\b(?:[0-9a-f]{2}-){5}[0-9a-f]{2}\b"  # MAC
    r"|\b[0-9a-f]{1,4}:(?:[0-9a-f]{1,4}:){0,5}:(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{1,4}\b"  # IPv6, shortened
)
_POINT_AND_FIGURE = re.compile(r"\.[0-9]")
_FIGURE = re.compile(r"[0-9]")
_SEPARATOR = re.compile(r"[:-]")


def read_network_address(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read an IPv4 or IPv6 address, or the MAC address of a device: six pairs of hexadecimal figures."""
    value = text[start:end]
    if "." in value and ":" not in value:
        is_address = all(int(part) <= 255 for part in value.split("."))
        if is_address and not _POINT_AND_FIGURE.match(text[end : end + 2]):
            yield Candidate(start, end, Entity.IP, Strength.LABELLED)
        return
    if not _FIGURE.search(value):
        return
    parts = _SEPARATOR.split(value)
    if len(parts) == 6 and all(len(part) == 2 for part in parts):
        yield Candidate(start, end, Entity.DEVICE, Strength.LABELLED)
    elif len(parts) == 8 or "::" in value:
        yield Candidate(start, end, Entity.IP, Strength.LABELLED)


SHARE_TRIGGER = r"\\\\[A-Za-z][A-Za-z\-]{0,24}[0-9][A-Za-z0-9\-]{0,24}\\[A-Za-z0-9]"


def read_network_share(text: str, start: int, end: int) -> Iterator[Candidate]:
    r"""Read the server of a network share by its number: \\nas02 of \\nas02\photos. The file has rules of its own."""
    yield Candidate(start + 2, text.rindex("\\", start, end), Entity.URL)
