"""Numbers that identify: other digits and letters in the same shape, with a check digit where the original had a valid one."""

import re

from deid_tasks.entities import Entity
from deid_tasks.obfuscate.scope import Scope

_VIN_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_VIN_VALUES = {
    **{str(d): d for d in range(10)},
    **dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True)),
}
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def replace_number(value: str, entity: Entity, scope: Scope) -> str:
    """A number of the same shape. A patient's number gives the same surrogate in any punctuation."""
    digits = re.sub(r"\W|_", "", value).upper()
    if not digits:
        return "#" * len(value)
    made = _made(digits, entity, scope)
    return _in_shape(made, value)


def _made(digits: str, entity: Entity, scope: Scope) -> str:
    keyed, parts = scope.keyed, ("number", scope.patient_id)
    if entity is Entity.SSN:
        return _ssn(digits, scope)
    if entity is Entity.VEHICLE and len(digits) == 17 and _vin_check(digits) == digits[8]:
        made = keyed.like(digits, *parts, upper=_VIN_LETTERS)
        return made[:8] + str(_vin_check(made)) + made[9:]
    if re.fullmatch(r"[12]\d{9}", digits) and is_npi(digits):
        return _npi(keyed.like(digits[1:9], *parts), digits)
    if entity in {Entity.VEHICLE, Entity.USERNAME} or sum(char.isdigit() for char in digits) < 4:
        return keyed.like(digits, *parts)
    # The letters that a long number begins with are its format (RH, MRN, INV); what follows says whose it is.
    prefix = re.match(r"[^\W\d]{0,4}(?=\d)", digits)
    start = prefix.end() if prefix else 0
    return digits[:start] + keyed.like(digits[start:], *parts)


def _ssn(digits: str, scope: Scope) -> str:
    """Area 900 to 999, which the Social Security Administration never assigns."""
    if len(digits) == 9 and digits.isdigit():
        return "9" + scope.keyed.like(digits[1:], "ssn", scope.patient_id)
    # Figures hidden by the writer (xxx-xx-6789) stay hidden.
    return re.sub(r"\d+", lambda part: scope.keyed.like(part.group(), "ssn", scope.patient_id, digits), digits)


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
