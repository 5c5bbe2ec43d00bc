"""Telephone, fax and pager numbers, e-mail and web addresses, IP and MAC addresses."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_after, text_before

_PHONE = (
    r"\+[0-9]{1,3}[ .\-]?(?:\([0-9]{1,4}\)[ .\-]?)?[0-9]{1,5}(?:[ .\-]?[0-9]{2,5}){1,4}"
    r"|(?:\b1[ .\-]{1,3})?\([0-9]{3}\)[ .\-/]{0,3}[0-9]{3}[ .\-]{0,3}[0-9]{4}"
    r"|(?:\b(?:001|1)[ .\-]{1,3})?[0-9]{3}[.\-/ ]{1,3}[0-9]{3}[.\- ]{1,3}[0-9]{4}"
    r"|[0-9]{3}[.\-][0-9]{4}"
    r"|\b1?[2-9][0-9]{9}\b"
    r"|\b1-8[0-9]{2}-[A-Z][A-Z0-9\-]{5,9}\b"
    r"|\b0[0-9]{3,4} [0-9]{3} ?[0-9]{3,4}\b"
)
_TOLD = (
    r"(?i)\b(?:phone|telephone|tel|mobile|cell|desk|fax|call(?: me| us| him| her| them)?(?: back)?|reach(?:ed)? (?:me|us|him|her|them)|answering|contact|whatsapp|messages|text)"
    r"(?: (?:number|no|num|to|at|on|is))?[:.#]{0,2}\s{1,3}(?:00|\+)?[(0-9][0-9]{1,4}[) .\-]{1,2}[0-9 .()\-]{3,14}[0-9](?:x[0-9]{1,6})?"
)
_TOLD_VALUE = re.compile(r"(?:\+|00)?[(0-9][0-9 .()\-]{6,22}[0-9](?:x[0-9]{1,6})?$")


def read_told(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Phone: 72 128 827: any grouping of figures behind a label."""
    match = _TOLD_VALUE.search(text, start, end)
    if (
        match is None
        or text[end : end + 1].isdigit()
        or re.match(r"[/.:,][0-9]|\s?(?:mg|ml|am|pm|%)", text[end : end + 3])
    ):
        return
    digits = sum(c.isdigit() for c in match.group().split("x")[0])
    if 7 <= digits <= 15 and not re.match(r"[0-9]{1,2}[-.][0-9]{1,2}[-.](?:[0-9]{2}|[0-9]{4})(?![0-9])", match.group()):
        is_fax = text[start : start + 3].lower() == "fax"
        yield Candidate(*match.span(), Entity.FAX if is_fax else Entity.PHONE, Strength.LABELLED)


_EXTENSION = re.compile(r",?\s{0,2}(?:x|ext\.?|extension)\s?:?\s?[0-9]{1,6}(?![0-9])", re.IGNORECASE)
_LABEL = re.compile(
    r"(?<![a-z])(?:(fax|facsimile|fx|f(?=\W*$))|(pager|pgr|pg|beeper|bpr|paged?|paging|p(?=\W*#))|(phone|telephone|tel|ph|call(?:ed|ing|s|back)?|cell|mobile|home"
    r"|work|office|contact(?:ed|s)?|reach(?:ed|able)?|number|no|#|cb|c/b|callback|vm|voicemail|text|hotline|line|dial|desk|direct|front|t|p|o|c|m|h|w|ext))(?![a-z])"
    r"(?P<rest>[^a-z\n]{0,6}(?:(?:number|no|num|is|at|to|on|him|her|them|us|me|back|the|phone|line|c|h|w|cell|mobile|home|work)(?![a-z])[^a-z\n]{0,4}){0,4})$"
)


def _label(text: str, start: int) -> tuple[Entity | None, bool]:
    """The kind that the label in front says, and whether there is one."""
    match = _LABEL.search(text_before(text, start, 48))
    if match is None:
        return None, False
    if match.group(1):
        return Entity.FAX, True
    return (Entity.PAGER if match.group(2) else Entity.PHONE), True


def read_phone(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Judge one run of figures shaped like a telephone number."""
    if text[start - 1 : start].isdigit() or text[end : end + 1].isdigit():
        return
    if text[start - 1 : start] in {"-", ".", "/"} and text[start - 2 : start - 1].isalnum() and start > 1:
        second = re.search(r"[0-9]{3}[.\-][0-9]{4}/$", text[max(0, start - 9) : start])
        if not second:
            return
    value = text[start:end]
    is_pair = text[end : end + 1] == "/" and re.match(r"\(?[0-9]{3}[).\-]", text[end + 1 : end + 6]) and len(value) > 11
    if text[end : end + 1] in {"-", "/", "."} and text[end + 1 : end + 2].isdigit() and not is_pair:
        return
    digits = sum(c.isdigit() for c in value)
    kind, is_labelled = _label(text, start)
    if not is_labelled and not _is_telling(text, start, end, value, digits):
        return
    if digits == 7 and text[start - 1 : start].isalpha():
        return
    extension = _EXTENSION.match(text, end, end + 20)
    if kind is None:
        tail = text_after(text, end, 14)
        kind = (
            Entity.FAX
            if re.match(r"\W{0,3}\(?(?:fax|f\))", tail)
            else Entity.PAGER
            if re.match(r"\W{0,3}\(?pager", tail)
            else Entity.PHONE
        )
    yield Candidate(
        start, extension.end() if extension else end, kind, Strength.LABELLED if is_labelled else Strength.FORMAT
    )


def _is_telling(text: str, start: int, end: int, value: str, digits: int) -> bool:
    """Whether the shape alone makes it a telephone number."""
    if value[0] in "+(" or re.search(r"[A-Z]", value):
        return True
    if digits == 7:
        if re.match(r"\s?(?:ml|mg|mcg|units?|cells|kcal|x10|/|%|k\b|iu)", text_after(text, end)) or value.endswith(
            "000"
        ):
            return False
        return (
            value[3] == "-"
            and value[0] not in "01"
            and re.search(
                r"(?:range|ref|count|wbc|plt|platelet|lot|case|order|id|claim)\W*\w*\W*$", text_before(text, start, 20)
            )
            is None
        )
    if digits >= 10 and value.isdigit():
        return False
    if " " in value and not re.search(r"[-.]", value):
        return value[0] == "0" or (
            value[0] not in "01"
            and re.search(r"[0-9]\s*$", text_before(text, start, 4)) is None
            and value.count(" ") == 2
        )
    return True


_PAGER = r"(?i)\b(?:pager|pgr|beeper|bpr|beep|page|paged|pg|p|pic)\b(?: ?(?:number|no\.?|num|id|is|at|me|us|#))?[ :#.)]{1,3}[0-9]{1,2}?-?[0-9]{3,5}\b|\bp[0-9]{5}\b|\bpaged (?:dr\.? )?[a-z'\-]{2,20}(?: x[0-9])? \(?[0-9]{5}\b|(?:\bpager|\bpgr|\bbeeper)[0-9]{4,6}\b|\bb[0-9]{5}\b|\b[0-9]{5} ?\(?(?:pager|beeper)\b"
_PAGER_VALUE = re.compile(r"[0-9]{1,2}-[0-9]{3,5}$|[0-9]{3,6}$")


def read_pager(text: str, start: int, end: int) -> Iterator[Candidate]:
    """pager 12345, p12345, pgr #3-1234; "page 3 of 5" is no pager."""
    if text[start].isdigit():
        yield Candidate(start, start + 5, Entity.PAGER, Strength.LABELLED)
        return
    match = _PAGER_VALUE.search(text, start, end)
    if match is None or (text[end : end + 1] in {"-", "/", "."} and text[end + 1 : end + 2].isdigit()):
        return
    label = text[start : match.start()].lower()
    if (
        label.startswith(("page", "p", "pg"))
        and not label.startswith(("pager", "pgr", "paged"))
        and (
            re.match(r"\s?of\s", text_after(text, end))
            or "-" in match.group()
            or (len(match.group()) < 4 or (label[0:2] in {"p:", "p."} and len(match.group()) < 5))
        )
    ):
        return
    if re.match(r"\s?(?:mg|ml|%|am|pm)", text_after(text, end)) is None:
        yield Candidate(match.start(), end, Entity.PAGER, Strength.LABELLED)


_EXTENSION_ALONE = r"(?i)\b(?:ext(?:ension)?\.?|x)[ :#\-]{0,2}(?:[0-9]{4,6}|[0-9]-[0-9]{4})\b|\bext(?:ension)?\.?[ :#\-]{1,2}[0-9]{3}\b"


def read_extension(text: str, start: int, end: int) -> Iterator[Candidate]:
    """ext. 5123, x51234: the figures alone."""
    match = re.compile(r"[0-9]-[0-9]{4}$|[0-9]{3,6}$").search(text, start, end)
    if (
        match
        and not re.match(r"\s?(?:mg|ml|mcg|units?|cc|iu|magnification|g\b|[.,/]\d|%)", text_after(text, end))
        and not text[start - 1 : start].isdigit()
    ):
        yield Candidate(match.start(), end, Entity.PHONE)


_MAIL_LEFT = re.compile(r"[A-Za-z0-9._%+'\-]{1,64}$")
_MAIL_RIGHT = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62}[A-Za-z0-9])?){1,5}"
)


def read_mail(text: str, start: int, end: int) -> Iterator[Candidate]:
    """The two sides of an @."""
    at = text.find("@", start, end)
    left = _MAIL_LEFT.search(text[max(0, at - 64) : at])
    right = _MAIL_RIGHT.match(text, at + 1, at + 255)
    if left and right and text[right.end() - 2 : right.end()].isalpha():
        yield Candidate(at - len(left.group().lstrip(".'-")), right.end(), Entity.EMAIL)


_URL = (
    r"(?i)\b(?:https?|ftp)://|\bwww\.[a-z0-9]"
    r"|\b[a-z0-9][a-z0-9\-]{1,40}(?:\.[a-z0-9\-]{2,40}){0,2}\.(?:com|org|net|edu|gov|io|health|info|us|uk|ca|co|app|care|clinic|biz|example|test|local)\b"
)
_URL_REST = re.compile(r"[^\s<>\"|]{1,1000}")
_URL_PATH = re.compile(r"(?::[0-9]{2,5})?/[^\s<>\"|]{1,500}")


def read_url(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A web address with its path, without the punctuation of the sentence."""
    if text[start - 1 : start] == "@" or text[end : end + 1] == "@":
        return
    head = text[start:end].lower()
    has_scheme = "://" in head or head.startswith("www.")
    if not has_scheme and (
        text[start - 1 : start] in {".", "@"}
        or not re.search(r"[a-z]{2}", head[: head.rfind(".")])
        or (
            head[: head.rfind(".")] == text[start:end][: head.rfind(".")]
            and text[start:end][head.rfind(".") + 1].isupper()
        )
        or (head.endswith((".us", ".co", ".ca", ".info", ".care", ".app")) and text[start:end] != head)
    ):
        return
    rest = _URL_REST.match(text, start, start + 1000) if has_scheme else _URL_PATH.match(text, end, end + 500)
    stop = rest.end() if rest else end
    while stop > end and text[stop - 1] in ".,;:!?)]}'":
        stop -= 1
    yield Candidate(start, stop, Entity.URL, Strength.LABELLED)


_IP = r"\b[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\b|(?i)\b(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{1,4}\b|\b(?:[0-9a-f]{2}-){5}[0-9a-f]{2}\b|\b[0-9a-f]{1,4}:(?:[0-9a-f]{1,4}:){0,5}:(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{1,4}\b"


def read_ip(text: str, start: int, end: int) -> Iterator[Candidate]:
    """An IPv4 or IPv6 address; six pairs of hexadecimal figures are the MAC address of a device."""
    value = text[start:end]
    if "." in value and ":" not in value:
        if all(int(part) <= 255 for part in value.split(".")) and not re.match(r"\.[0-9]", text[end : end + 2]):
            yield Candidate(start, end, Entity.IP, Strength.LABELLED)
        return
    parts = re.split(r"[:-]", value)
    if len(parts) == 6 and all(len(part) == 2 for part in parts):
        if re.search(r"[0-9]", value):
            yield Candidate(start, end, Entity.DEVICE, Strength.LABELLED)
    elif (len(parts) == 8 or "::" in value) and re.search(r"[0-9]", value):
        yield Candidate(start, end, Entity.IP, Strength.LABELLED)


RULES = (
    Rule("telephone", _PHONE, read_phone),
    Rule("labelled telephone", _TOLD, read_told),
    Rule("pager", _PAGER, read_pager),
    Rule("extension", _EXTENSION_ALONE, read_extension),
    Rule("e-mail", r"[A-Za-z0-9]@[A-Za-z0-9]", read_mail),
    Rule("web address", _URL, read_url),
    Rule("network address", _IP, read_ip),
)
