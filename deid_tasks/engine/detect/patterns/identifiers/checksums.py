"""Numbers that their check digits identify: payment cards, bank accounts, DEA registrations, vehicles."""

from deid_tasks.engine.text.check_digits import dea_check_digit, luhn_check_digit, vin_check_character


def is_card(digits: str) -> bool:
    """Whether 14 to 19 digits are the number of a payment card: first digit and check digit (ISO/IEC 7812-1)."""
    return 14 <= len(digits) <= 19 and digits[0] in "23456" and luhn_check_digit(digits[:-1]) == digits[-1]


def is_iban(value: str) -> bool:
    """Whether ``value`` is an international bank account number with its check digits (ISO 13616: mod 97)."""
    turned = value[4:] + value[:4]
    return value.isalnum() and int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


def is_dea(value: str) -> bool:
    """Whether two letters (or a letter and a 9) and seven digits are a DEA registration."""
    digits = value[2:]
    return len(digits) == 7 and digits.isdigit() and dea_check_digit(digits[:6]) == digits[6]


def is_vin(value: str) -> bool:
    """Whether 17 characters are a vehicle identification number with its check character (49 CFR 565.15)."""
    return len(value) == 17 and vin_check_character(value.upper()) == value[8].upper()
