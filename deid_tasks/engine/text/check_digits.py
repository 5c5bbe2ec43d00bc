"""Check digits of card numbers, provider numbers, DEA registrations and vehicle identification numbers."""

VIN_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
"""Letters of vehicle identification numbers; I, O and Q are not among them."""
_VIN_VALUES = {
    **{str(digit): digit for digit in range(10)},
    **dict(zip(VIN_LETTERS, (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True)),
}
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_NPI_PREFIX = "80840"


def luhn_check_digit(digits: str) -> str:
    """Return the check digit that follows ``digits`` by the Luhn algorithm (ISO/IEC 7812-1)."""
    total = 0
    for i, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if i % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def npi_check_digit(nine_digits: str) -> str:
    """Return the check digit of a National Provider Identifier (Luhn over 80840 and the number)."""
    return luhn_check_digit(_NPI_PREFIX + nine_digits)


def is_npi(digits: str) -> bool:
    """Whether ``digits`` are a National Provider Identifier: ten, the first of them 1 or 2 (45 CFR 162.406)."""
    if len(digits) != 10 or not digits.isdigit() or digits[0] not in "12":
        return False
    return npi_check_digit(digits[:9]) == digits[9]


def dea_check_digit(six_digits: str) -> str:
    """Return the check digit of a DEA registration."""
    odd, even = sum(map(int, six_digits[::2])), sum(map(int, six_digits[1::2]))
    return str((odd + 2 * even) % 10)


def vin_check_character(vin: str) -> str:
    """Return the check character of a vehicle identification number.

    Empty where the number holds a letter that it may not. Source: 49 CFR 565.15.
    """
    if any(char not in _VIN_VALUES for char in vin):
        return ""
    total = sum(_VIN_VALUES[char] * weight for char, weight in zip(vin, _VIN_WEIGHTS, strict=True)) % 11
    return "X" if total == 10 else str(total)
