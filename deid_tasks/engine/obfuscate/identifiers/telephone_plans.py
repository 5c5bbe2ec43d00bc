"""Telephone numbers of other countries: area codes by the towns they serve, mobile and service numbers by their plan.

Source: the national number plans (ITU-T E.129 notifications).
"""

import re

from deid_tasks.engine.obfuscate.note_context import SurrogateOptions
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.places_abroad import surrogate_area_code
from deid_tasks.engine.obfuscate.places.town_table import HOME, area_codes_abroad, countries

CALLING_CODES = {
    "27": "ZA",
    "33": "FR",
    "34": "ES",
    "353": "IE",
    "44": "GB",
    "49": "DE",
    "61": "AU",
    "64": "NZ",
    "65": "SG",
    "91": "IN",
}
_MOBILE = {
    "GB": re.compile(r"7[1-9]"),
    "IE": re.compile(r"8[35679]"),
    "AU": re.compile(r"4"),
    "NZ": re.compile(r"2[0-9]"),
    "IN": re.compile(r"[6-9](?=\d{9}$)"),
    "SG": re.compile(r"[89]"),
    "DE": re.compile(r"1[567]\d"),
    "FR": re.compile(r"[67]"),
    "ES": re.compile(r"[67]"),
    "ZA": re.compile(r"[67]|8[1-4]"),
}
"""How mobile numbers begin, without the trunk prefix."""
_SERVICE = re.compile(r"(?:80[0-9]|1800|1300|1850|1890|90[0-9])")
"""Numbers that are free of charge or dear, and belong to no town."""
_WITHOUT_TRUNK_PREFIX = frozenset({"ES", "SG"})
_AREA_LENGTHS = range(4, 0, -1)
_MIN_DIGITS, _MAX_DIGITS = 7, 11
_FIRST_GROUP = 3
_NORTHERN_IRELAND, _LOCAL_DIGITS = "28", 8
_TOWNS_OF_NORTHERN_IRELAND = (
    *("25", "27", "28", "29", "30", "37", "38", "40", "41", "42", "43", "44", "66", "67", "68", "70", "71"),
    *("77", "79", "81", "82", "86", "87", "90", "91", "92", "94", "97"),
)
"""First two digits of numbers behind 028, by the towns that they serve."""
_EMERGENCY = frozenset(["000", "100", "101", "102", "108", "110", "111", "112", "119", "995", "999"])


def replace_phone_abroad(
    value: str, country: str, scope: NameScope, options: SurrogateOptions, near: str = ""
) -> str | None:
    """Return a number of the same country in the same punctuation; ``None`` for one that is of no known country.

    Args:
        value: the original.
        country: the note's; it tells where a number without the code of a country belongs.
        scope: whose number it is.
        options: the institution's settings.
        near: the area code of the surrogate of the address beside it, for a number of an area that the table lacks.
    """
    start = 0
    if lead := _calling_code(value):
        country, start = CALLING_CODES[lead[1]], lead.end()
    elif country == HOME or country not in countries() or country == "CA":
        return None
    if value.strip() in _EMERGENCY:
        return value
    rest = value[start:]
    digits = re.sub(r"\D", "", rest)
    is_trunk = digits.startswith("0") and country not in _WITHOUT_TRUNK_PREFIX
    significant = digits[1:] if is_trunk else digits
    if not _MIN_DIGITS <= len(significant) <= _MAX_DIGITS:
        return None if not start else value[:start] + scope.keyed.like(rest, "phone", scope.patient_id)
    has_area = bool(start) or is_trunk or country in _WITHOUT_TRUNK_PREFIX or country == "IN"
    first = re.search(r"\d+", rest)
    group = first.group().removeprefix("0") if first else ""
    if has_area and group != significant and group in area_codes_abroad(country, len(group)):
        # Written apart, an area code is one: in India its digits may begin a mobile number too.
        code = surrogate_area_code(country, group, scope, options)
        made = code + _subscriber(significant[len(code) :], scope, code)
        rest = _with_code_of_length(rest, first, len(code) - len(group))
    else:
        made = _significant(significant, country, scope, options, near, has_area=has_area)
    stream = iter(("0" if is_trunk else "") + made)
    return value[:start] + "".join(next(stream) if char.isdecimal() else char for char in rest)


def calling_country(value: str) -> str:
    """Return the country of a number that begins with the code of one; empty for other numbers."""
    found = _calling_code(value)
    return CALLING_CODES[found[1]] if found else ""


def _calling_code(value: str) -> re.Match[str] | None:
    """Return the match of the code of a country at the start of a number, the code in its first group."""
    if not value.startswith(("+", "0")):
        return None
    for code in CALLING_CODES:
        if found := re.match(rf"(?:\+|00|011[\s-]?)\s?({code})(?=\D|\d{{7,}})", value):
            return found
    return None


def _with_code_of_length(written: str, code: re.Match[str] | None, more: int) -> str:
    """Return a number in the shape that it has with an area code of another length.

    Behind a longer code the digits stand together, behind a shorter one in two groups.

    Args:
        written: the number.
        code: its area code in it, with the trunk prefix.
        more: digits that the new area code has more.
    """
    if code is None or not more:
        return written
    found = re.match(r"(?P<gap>\D*)(?P<digits>\d[\d \-.]*\d)(?P<rest>.*)", written[code.end() :], re.DOTALL)
    if found is None:
        return written
    count = sum(map(str.isdecimal, found["digits"])) - more
    digits = (
        "0" * count if more > 0 or count <= _FIRST_GROUP else "0" * _FIRST_GROUP + " " + "0" * (count - _FIRST_GROUP)
    )
    return written[: code.start()] + "0" * (len(code.group()) + more) + found["gap"] + digits + found["rest"]


def _significant(
    digits: str, country: str, scope: NameScope, options: SurrogateOptions, near: str, *, has_area: bool
) -> str:
    """Return the surrogate of a number without the trunk prefix."""
    parts = ("phone", scope.patient_id)
    if not has_area:
        return _subscriber(digits, scope)
    if kept := (_SERVICE.match(digits) or _MOBILE[country].match(digits)):
        return kept.group() + scope.keyed.like(digits[kept.end() :], *parts)
    for length in _AREA_LENGTHS:
        if digits[:length] in area_codes_abroad(country, length):
            return _in_area(digits, length, country, scope, options)
    if near:
        return near + _subscriber(digits[len(near) :], scope)
    # The table does not have the area: the number moves to one that it has, as long as the country's codes are.
    length = 4 if country in {"GB", "DE"} else 2
    codes = area_codes_abroad(country, length)
    if not codes:
        return digits[0] + scope.keyed.like(digits[1:], *parts)
    return scope.keyed.choice(codes, *parts, "area", digits[:length]) + _subscriber(digits[length:], scope)


def _in_area(digits: str, length: int, country: str, scope: NameScope, options: SurrogateOptions) -> str:
    """Return the surrogate of a number whose area code has ``length`` digits."""
    code = surrogate_area_code(country, digits[:length], scope, options)
    return code + _subscriber(digits[len(code) :], scope, code)


def _subscriber(digits: str, scope: NameScope, code: str = "") -> str:
    """Return other digits, of which the first is from 2 on: 0 and 1 begin codes.

    In Northern Ireland the first two are those of a town.
    """
    made = scope.keyed.like(digits, "phone", scope.patient_id)
    if code == _NORTHERN_IRELAND and len(digits) == _LOCAL_DIGITS:
        return scope.keyed.choice(_TOWNS_OF_NORTHERN_IRELAND, "phone", scope.patient_id, digits[:2]) + made[2:]
    return made if made[:1] not in {"0", "1"} else str(2 + int(digits[-1]) % 8) + made[1:]
