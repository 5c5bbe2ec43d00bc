"""Check characters of the identity and health numbers of several countries.

Each function takes a number without its check characters and returns these; an empty string where the number can have
none. Letters are capitals, and separators are left out.
"""

_VERHOEFF_PRODUCT = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 2, 3, 4, 0, 6, 7, 8, 9, 5),
    (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7),
    (4, 0, 1, 2, 3, 9, 5, 6, 7, 8),
    (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2),
    (7, 6, 5, 9, 8, 2, 1, 0, 4, 3),
    (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)
_VERHOEFF_PERMUTATION = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 5, 7, 6, 2, 8, 3, 0, 9, 4),
    (5, 8, 0, 3, 7, 9, 6, 1, 4, 2),
    (8, 9, 1, 6, 0, 4, 3, 5, 2, 7),
    (9, 4, 5, 3, 1, 2, 6, 8, 7, 0),
    (4, 2, 8, 6, 5, 7, 3, 9, 0, 1),
    (2, 7, 9, 3, 8, 0, 6, 4, 1, 5),
    (7, 0, 4, 6, 9, 1, 3, 2, 5, 8),
)
_VERHOEFF_INVERSE = (0, 4, 3, 2, 1, 5, 6, 7, 8, 9)
_NHI_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_IRISH_LETTERS = "WABCDEFGHIJKLMNOPQRSTUV"
_SINGAPORE_LETTERS = {
    "S": "JZIHGFEDCBA",
    "T": "JZIHGFEDCBA",
    "F": "XWUTRQPNMLK",
    "G": "XWUTRQPNMLK",
    "M": "XWUTRQPNJLK",
}
_SINGAPORE_OFFSETS = {"S": 0, "F": 0, "T": 4, "G": 4, "M": 3}


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def nhs_check_digit(nine_digits: str) -> str:
    """Return the check digit of an NHS, CHI or H&C number: modulus 11, weights 10 to 2 (NHS Data Dictionary)."""
    check = -_weighted(nine_digits, (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return "" if check == 10 else str(check)


def medicare_check_digit(eight_digits: str) -> str:
    """Return the ninth digit of an Australian Medicare number (METeOR 270101)."""
    return str(_weighted(eight_digits, (1, 3, 7, 9, 1, 3, 7, 9)) % 10)


def nhi_check_digit(stem: str) -> str:
    """Return the check digit of a New Zealand NHI number of three letters and three digits (HISO 10046)."""
    if any(char not in _NHI_LETTERS for char in stem[:3]):
        return ""
    values = [_NHI_LETTERS.index(char) + 1 for char in stem[:3]] + [int(char) for char in stem[3:]]
    rest = sum(value * weight for value, weight in zip(values, range(7, 1, -1), strict=True)) % 11
    return "" if rest == 0 else str((11 - rest) % 10)


def verhoeff_check_digit(digits: str) -> str:
    """Return the check digit that follows ``digits`` by Verhoeff's method, as in Aadhaar numbers."""
    check = 0
    for position, digit in enumerate(reversed(digits), start=1):
        check = _VERHOEFF_PRODUCT[check][_VERHOEFF_PERMUTATION[position % 8][int(digit)]]
    return str(_VERHOEFF_INVERSE[check])


def nric_check_letter(stem: str) -> str:
    """Return the last letter of a Singaporean NRIC or FIN: its first letter and seven digits, modulus 11."""
    series, digits = stem[0], stem[1:]
    rest = (_weighted(digits, (2, 7, 6, 5, 4, 3, 2)) + _SINGAPORE_OFFSETS[series]) % 11
    return _SINGAPORE_LETTERS[series][rest]


def pps_check_letter(seven_digits: str) -> str:
    """Return the check letter of an Irish PPS number without a second letter: modulus 23, weights 8 to 2."""
    return _IRISH_LETTERS[_weighted(seven_digits, (8, 7, 6, 5, 4, 3, 2)) % 23]


def phn_check_digit(nine_digits: str) -> str:
    """Return the last digit of a health number of British Columbia: 9 and eight weighted digits, modulus 11."""
    check = 11 - _weighted(nine_digits[1:], (2, 4, 8, 5, 10, 9, 7, 3)) % 11
    return "" if check > 9 else str(check)


def dni_check_letter(eight_digits: str) -> str:
    """Return the letter of a Spanish DNI, or of an NIE with X, Y or Z read as 0, 1 or 2: modulus 23."""
    first = {"X": "0", "Y": "1", "Z": "2"}.get(eight_digits[0], eight_digits[0])
    return _SPANISH_LETTERS[int(first + eight_digits[1:]) % 23]


def nir_key(thirteen: str) -> str:
    """Return the two digits behind a French social security number: 97 less its rest by 97 (INSEE)."""
    department = {"2A": "19", "2B": "18"}.get(thirteen[5:7], thirteen[5:7])
    number = int(thirteen[:5] + department + thirteen[7:])
    return f"{97 - number % 97:02d}"


def kvnr_check_digit(stem: str) -> str:
    """Return the last digit of a German health insurance number: a letter and eight digits (§ 290 SGB V)."""
    digits = f"{ord(stem[0]) - ord('A') + 1:02d}{stem[1:]}"
    products = (int(digit) * (1 + i % 2) for i, digit in enumerate(digits))
    return str(sum(product // 10 + product % 10 for product in products) % 10)
