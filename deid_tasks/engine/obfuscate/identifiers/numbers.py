"""Numbers that identify: other digits and letters in the same shape, with a check digit where the original had a valid one."""

import re

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import TermKind
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.people.name_scope import NameScope

_VIN_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_VIN_VALUES = {
    **{str(d): d for d in range(10)},
    **dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True)),
}
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_MEDICARE = re.compile(
    r"[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y]{2}\d\d"
)
_MEDICARE_LETTERS = "ACDEFGHJKMNPQRTUVWXY"
"""A Medicare beneficiary identifier has none that looks like a digit."""
_DEA = re.compile(r"[ABCDEFGHJKLMPRSTUX][A-Z9]\d{7}")
_WORDS = re.compile(r"((?<![\w-])[a-z]{2,}(?![\w-]))")
_CARD_DIGITS = (15, 16)
_SSN_GROUPS = (*range(1, 50), *range(66, 70), 89, 93)
"""Behind an area from 900, the groups that are no taxpayer number (ITIN) either."""


def replace_number(value: str, entity: Entity, context: NoteContext) -> str:
    """A number of the same shape. A patient's number gives the same surrogate in any punctuation; a clinician's in all notes."""
    if " " in value and _WORDS.search(value):
        # "NY plate ABC-1234" and "ends in 4471" hold words, which stay.
        return "".join(
            piece if i % 2 or not piece.strip() else replace_number(piece, entity, context)
            for i, piece in enumerate(_WORDS.split(value))
        )
    digits = re.sub(r"\W|_", "", value).upper()
    if not digits:
        return "#" * len(value) if value.strip() else value
    scope = context.patient
    if entity is Entity.LICENSE and digits not in {_plain(term) for term in scope.of_record(TermKind.LICENSE)}:
        scope = context.staff
    return _in_shape(_made(digits, entity, scope), value)


def _plain(term: str) -> str:
    return re.sub(r"\W|_", "", term).upper()


def _made(digits: str, entity: Entity, scope: NameScope) -> str:
    keyed, parts = scope.keyed, ("number", scope.patient_id)
    if entity is Entity.SSN:
        return _ssn(digits, scope)
    if entity is Entity.VEHICLE and len(digits) == 17 and _vin_check(digits) == digits[8]:
        made = keyed.like(digits, *parts, upper=_VIN_LETTERS)
        return made[:8] + str(_vin_check(made)) + made[9:]
    if re.fullmatch(r"[12]\d{9}", digits) and is_npi(digits):
        return _npi(keyed.like(digits[1:9], *parts), digits)
    # One chart number in ten has a right check digit by chance.
    if entity is not Entity.MRN and _DEA.fullmatch(digits) and _dea_check(digits[2:8]) == digits[8]:
        made = digits[0] + keyed.like(digits[1:8], *parts)
        return made + _dea_check(made[2:])
    if _MEDICARE.fullmatch(digits):
        return keyed.like(digits, *parts, upper=_MEDICARE_LETTERS)
    if len(digits) in _CARD_DIGITS and digits.isdecimal() and _luhn(digits[:-1]) == digits[-1]:
        made = keyed.like(digits[:-1], *parts)
        return made + _luhn(made)
    if entity is Entity.VEHICLE or sum(char.isdigit() for char in digits) < 4:
        return keyed.like(digits, *parts)
    # The letters that a long number begins with are its format (RH, MRN, INV); what follows says whose it is.
    prefix = re.match(r"[^\W\d]{0,4}(?=\d)", digits)
    start = prefix.end() if prefix else 0
    return digits[:start] + keyed.like(digits[start:], *parts)


def _ssn(digits: str, scope: NameScope) -> str:
    """Area 900 to 999, which the Social Security Administration never assigns, and a group that no taxpayer number has."""
    if len(digits) == 9 and digits.isdigit():
        made = scope.keyed.like(digits[1:], "ssn", scope.patient_id)
        group = scope.keyed.choice(_SSN_GROUPS, "ssn", scope.patient_id, digits, "group")
        return f"9{made[:2]}{group:02d}{made[4:]}"
    # Figures hidden by the writer (xxx-xx-6789) stay hidden.
    return re.sub(r"\d+", lambda part: scope.keyed.like(part.group(), "ssn", scope.patient_id, digits), digits)


def _dea_check(six: str) -> str:
    """The check digit of a DEA registration."""
    odd, even = sum(map(int, six[::2])), sum(map(int, six[1::2]))
    return str((odd + 2 * even) % 10)


def is_npi(digits: str) -> bool:
    """Whether ten digits are a valid National Provider Identifier (Luhn over 80840 and the number)."""
    return len(digits) == 10 and digits.isdigit() and _luhn("80840" + digits[:9]) == digits[9]


def _npi(body: str, original: str) -> str:
    stem = original[0] + body
    return stem + _luhn("80840" + stem)


def _luhn(digits: str) -> str:
    """The check digit that ``digits`` ask for."""
    total = 0
    for i, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if i % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def _vin_check(vin: str) -> str:
    """The check character of a vehicle identification number (49 CFR 565.15); empty where it holds a letter that none may."""
    if any(char not in _VIN_VALUES for char in vin):
        return ""
    total = sum(_VIN_VALUES[char] * weight for char, weight in zip(vin, _VIN_WEIGHTS, strict=True)) % 11
    return "X" if total == 10 else str(total)


def _in_shape(made: str, value: str) -> str:
    """``made`` with the punctuation and the case of ``value``."""
    stream = iter(made)
    return "".join((char if not char.isalnum() or char == "_" else _cased(next(stream, "0"), char)) for char in value)


def _cased(made: str, like: str) -> str:
    return made.lower() if like.islower() else made
