"""Check digits of published identifier formats."""

from deid_tasks.engine.text.check_digits import is_npi as is_npi

_VIN_VALUES = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
)
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def is_luhn(digits: str) -> bool:
    """Whether ``digits`` end in their Luhn check digit (ISO/IEC 7812-1)."""
    total = 0
    for position, character in enumerate(reversed(digits)):
        value = int(character) * (2 if position % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_card(digits: str) -> bool:
    """Whether 14 to 19 ``digits`` are the number of a payment card: first and check digit (ISO/IEC 7812-1)."""
    return 14 <= len(digits) <= 19 and digits[0] in "23456" and is_luhn(digits)


def is_iban(value: str) -> bool:
    """Whether ``value`` is an international bank account number with its check digits (ISO 13616: mod 97)."""
    turned = value[4:] + value[:4]
    return value.isalnum() and int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


def is_dea(value: str) -> bool:
    """Whether two letters (or a letter and a 9) and seven figures are a DEA registration number."""
    digits = value[2:]
    if len(digits) != 7 or not digits.isdigit():
        return False
    odd = int(digits[0]) + int(digits[2]) + int(digits[4])
    even = int(digits[1]) + int(digits[3]) + int(digits[5])
    return (odd + 2 * even) % 10 == int(digits[6])


def is_vin(value: str) -> bool:
    """Whether 17 characters are a vehicle identification number with its check digit (49 CFR 565.15)."""
    total = 0
    for character, weight in zip(value.upper(), _VIN_WEIGHTS, strict=False):
        number = int(character) if character.isdigit() else _VIN_VALUES.get(character)
        if number is None:
            return False
        total += number * weight
    return len(value) == 17 and value[8].upper() == "0123456789X"[total % 11]
