"""Identity and health numbers of several countries: a valid number becomes another valid number of the same kind.

A number that is not valid has no kind, and keeps its form alone. A date of birth inside a number moves with the
patient's dates.
"""

import datetime
import re
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from deid_tasks.engine.obfuscate.dates.calendar_terms import date_or_none, full_year
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.text.check_digits import luhn_check_digit
from deid_tasks.engine.text.national_check_digits import (
    dni_check_letter,
    kvnr_check_digit,
    medicare_check_digit,
    nhi_check_digit,
    nhs_check_digit,
    nir_key,
    nric_check_letter,
    phn_check_digit,
    pps_check_letter,
    verhoeff_check_digit,
)


class NationalNumber(NamedTuple):
    """One kind of number."""

    country: str
    """Two letters of ISO 3166-1."""
    name: str
    form: re.Pattern[str]
    """Matches the number without punctuation: the groups ``body`` and ``check``, and ``rest`` behind them."""
    check: Callable[[str], str]
    """Returns the check characters of a body; empty where it can have none."""
    kept: int
    """Characters at the start that say which kind it is, or that no number of the kind may change at will."""
    birth: str = ""
    """How the body begins: ``dmy`` or ``ymd`` for a day of birth in six digits, ``ym`` for year and month after sex."""
    letters: str = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def _form(body: str, check: str, rest: str = "") -> re.Pattern[str]:
    return re.compile(rf"(?P<body>{body})(?P<check>{check})(?P<rest>{rest})", re.ASCII)


_LAST_DIGIT = r"\d"
_YEAR_NOW = 2005
"""Two digits of a year of birth lie at most twenty years behind this one."""
NATIONAL_NUMBERS = (
    NationalNumber(
        "GB", "CHI", _form(r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{5}", _LAST_DIGIT), nhs_check_digit, 0, "dmy"
    ),
    NationalNumber("GB", "NHS", _form(r"[3-9]\d{8}", _LAST_DIGIT), nhs_check_digit, 1),
    NationalNumber("IE", "PPS", _form(r"\d{7}", "[A-W]"), pps_check_letter, 0),
    NationalNumber("AU", "Medicare", _form(r"[2-6]\d{7}", _LAST_DIGIT, r"[1-9][1-9]?"), medicare_check_digit, 1),
    NationalNumber("AU", "IHI", _form(r"80036[0-2]\d{9}", _LAST_DIGIT), luhn_check_digit, 6),
    NationalNumber("NZ", "NHI", _form(r"[A-HJ-NP-Z]{3}\d{3}", _LAST_DIGIT), nhi_check_digit, 0),
    NationalNumber("IN", "Aadhaar", _form(r"[2-9]\d{10}", _LAST_DIGIT), verhoeff_check_digit, 1),
    NationalNumber("SG", "NRIC", _form(r"[STFGM]\d{7}", "[A-Z]"), nric_check_letter, 1),
    NationalNumber("CA", "SIN", _form(r"[1-79]\d{7}", _LAST_DIGIT), luhn_check_digit, 1),
    NationalNumber("CA", "PHN", _form(r"9\d{8}", _LAST_DIGIT), phn_check_digit, 1),
    NationalNumber("CA", "OHIP", _form(r"[1-9]\d{8}", _LAST_DIGIT, "(?:[A-Z]{2})?"), luhn_check_digit, 1),
    NationalNumber("FR", "NIR", _form(r"[12]\d{2}(?:0[1-9]|1[0-2])(?:\d\d|2[AB])\d{6}", r"\d{2}"), nir_key, 1, "ym"),
    NationalNumber(
        "DE", "KVNR", _form(r"[A-Z]\d{8}", _LAST_DIGIT), kvnr_check_digit, 0, letters="ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    ),
    NationalNumber("ES", "DNI", _form(r"\d{8}", "[A-Z]"), dni_check_letter, 0),
    NationalNumber("ES", "NIE", _form(r"[XYZ]\d{7}", "[A-Z]"), dni_check_letter, 1),
    NationalNumber(
        "ZA",
        "identity",
        _form(r"\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{4}[01]\d", _LAST_DIGIT),
        luhn_check_digit,
        0,
        "ymd",
    ),
)
"""The kinds that are known, in the order in which they are tried."""
_TOLD_BY_BIRTH = tuple(kind for kind in NATIONAL_NUMBERS if kind.birth in {"dmy", "ymd"})
"""Their day of birth tells them even where the check digit is wrong; the surrogate has the right one."""
_LETTERED = frozenset({"NHI", "NRIC", "DNI", "NIE", "PPS", "KVNR", "IHI", "NIR"})
"""Kinds whose form and check characters tell them in a note of any country; ten digits alone may be anything."""


def kind_of_number(characters: str, country: str) -> tuple[NationalNumber, re.Match[str]] | None:
    """Return the kind of a valid number, or of a mistyped one with a day of birth, and its match; else ``None``.

    Args:
        characters: the number without punctuation, in capitals.
        country: the note's; its kinds are tried first.
    """
    for is_own in (True, False):
        for kind in NATIONAL_NUMBERS:
            if (kind.country == country) != is_own or (not is_own and kind.name not in _LETTERED):
                continue
            found = kind.form.fullmatch(characters)
            if found and kind.check(found["body"]) == found["check"]:
                return kind, found
    for kind in _TOLD_BY_BIRTH:
        if kind.country == country and (mistyped := kind.form.fullmatch(characters)):
            return kind, mistyped
    return None


def replace_national_number(characters: str, country: str, scope: NameScope) -> str | None:
    """Return another valid number of the same kind; ``None`` for a number that is valid of none.

    Args:
        characters: the number without punctuation, in capitals.
        country: the note's.
        scope: whose number it is.
    """
    found = kind_of_number(characters, country)
    if found is None:
        return None
    kind, match = found
    body, parts = match["body"], ("number", scope.patient_id, kind.name)
    start, lead = _moved_birth(kind, body, scope)
    for attempt in count():
        tail = scope.keyed.like(body[start:], *parts, str(attempt), upper=kind.letters)
        if kind.name == "CHI":
            # The ninth digit tells the sex.
            tail = tail[:2] + str((int(tail[2]) & ~1) | (int(body[8]) & 1)) + tail[3:]
        elif kind.birth == "ymd":
            # The seventh digit tells the sex, from 5 on of men; the eleventh the citizenship.
            tail = str(int(tail[0]) % 5 + 5 * (body[6] >= "5")) + tail[1:4] + body[10:]
        made = lead + tail
        check = kind.check(made)
        if check and made + check != body + match["check"]:
            return made + check + match["rest"]
    raise AssertionError("unreachable")


def _moved_birth(kind: NationalNumber, body: str, scope: NameScope) -> tuple[int, str]:
    """Return how many characters of a body are kept or moved, and what they become."""
    shift = datetime.timedelta(days=scope.shift_days)
    if kind.birth == "dmy":
        born = date_or_none(full_year(body[4:6], _YEAR_NOW), int(body[2:4]), int(body[:2]))
        if born is not None:
            return 6, f"{born + shift:%d%m%y}"
    if kind.birth == "ymd":
        born = date_or_none(full_year(body[:2], _YEAR_NOW), int(body[2:4]), int(body[4:6]))
        if born is not None:
            return 6, f"{born + shift:%y%m%d}"
    if kind.birth == "ym":
        born = date_or_none(full_year(body[1:3], _YEAR_NOW), int(body[3:5]), 15)
        if born is not None:
            # Department and commune of birth: a department of the mainland.
            return (
                7,
                f"{body[0]}{born + shift:%y%m}{1 + scope.keyed.number(19, 'department', scope.patient_id, body):02d}",
            )
    return kind.kept, body[: kind.kept]
