"""Invented numbers in the shapes that hospitals use: telephones, accounts, serials. None is anyone's on purpose."""

import random
import string

_VIN = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"


def digits(count: int, rng: random.Random) -> str:
    """``count`` digits."""
    return f"{int(rng.random() * 10**count):0{count}d}"


def letters(count: int, rng: random.Random) -> str:
    """``count`` capitals."""
    return "".join(string.ascii_uppercase[int(rng.random() * 26)] for _ in range(count))


def shaped(shape: str, rng: random.Random) -> str:
    """``shape`` with a digit for each ``#`` and a capital for each ``?``."""
    parts = []
    for character in shape:
        if character == "#":
            parts.append(string.digits[int(rng.random() * 10)])
        elif character == "?":
            parts.append(string.ascii_uppercase[int(rng.random() * 26)])
        else:
            parts.append(character)
    return "".join(parts)


def telephone(area_code: str, rng: random.Random) -> str:
    """Return a ten-digit number in canonical shape, ``716-845-0192``; the exchange is a dialable one."""
    while True:
        exchange = f"{200 + int(rng.random() * 800)}"
        if exchange[1:] != "11":
            return f"{area_code}-{exchange}-{digits(4, rng)}"


def write_telephone(number: str, rng: random.Random) -> str:
    """Return a canonical telephone number as a note writes it."""
    chance = rng.random()
    if chance < 0.45:
        return number
    area, exchange, line = number.split("-")
    if chance < 0.75:
        return f"({area}) {exchange}-{line}"
    if chance < 0.83:
        return f"{area}.{exchange}.{line}"
    if chance < 0.89:
        return f"({area}){exchange}-{line}"
    if chance < 0.94:
        return f"{area} {exchange} {line}"
    if chance < 0.97:
        return f"1-{number}"
    return f"{area}{exchange}{line}"


def social_security(rng: random.Random) -> str:
    """Return a number that the Social Security Administration never assigns: area 900–999, or group 00."""
    if rng.random() < 0.6:
        return f"9{digits(2, rng)}-{1 + int(rng.random() * 99):02d}-{digits(4, rng)}"
    area = 1 + int(rng.random() * 665)
    return f"{area:03d}-00-{digits(4, rng)}"


def luhn_digit(number: str) -> str:
    """Return the check digit that makes ``number`` + digit pass the Luhn test (ISO/IEC 7812-1)."""
    total = 0
    for place, character in enumerate(reversed(number)):
        value = int(character) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def provider_identifier(rng: random.Random) -> str:
    """Return a ten-digit National Provider Identifier whose check digit is valid (Luhn over 80840 + number)."""
    stem = "1" + digits(8, rng)
    return stem + luhn_digit("80840" + stem)


def pager(rng: random.Random) -> str:
    """Return a four- or five-digit in-house pager."""
    return digits(5, rng) if rng.random() < 0.6 else digits(4, rng)


def _of(*shapes: str) -> tuple[str, ...]:
    return shapes


SHAPES: dict[str, tuple[str, ...]] = {
    "account": _of("########", "#########", "A########", "##########", "AC-#######", "3###-####-##"),
    "license": _of("?#######", "??######", "D###-###-##-###", "MD#####", "RN-######", "B?#######", "########"),
    "device": _of("??######", "PJN######H", "???######S", "##-####-###", "#########", "######?", "BLM######"),
    "biometric": _of("FP-########", "IRIS-####-????", "FPT#######", "VP-######-##"),
    "accession": _of("S##-#####", "A########", "##-###-#####", "CY-##-####", "ACC#########", "H##-####", "#########",
    "M######"),
    "vehicle": _of("???-####", "### ???", "#???###", "??? ####", "VIN"),
}  # fmt: skip
"""What each number slot is drawn from."""


def number(kind: str, rng: random.Random) -> str:
    """Return a number of one of the kinds of ``SHAPES``."""
    shapes = SHAPES[kind]
    shape = shapes[int(rng.random() * len(shapes))]
    if shape == "VIN":
        return "1" + "".join(_VIN[int(rng.random() * len(_VIN))] for _ in range(10)) + digits(6, rng)
    return shaped(shape, rng)


def internet_address(rng: random.Random) -> str:
    """Return a private IPv4 address, now and then an IPv6 one of the documentation range."""
    if rng.random() < 0.9:
        return f"10.{int(rng.random() * 256)}.{int(rng.random() * 256)}.{1 + int(rng.random() * 254)}"
    return "2001:db8:" + ":".join(f"{int(rng.random() * 65536):x}" for _ in range(4)) + "::1"
