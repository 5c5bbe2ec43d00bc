"""What belongs to one world alone: which names, cities and organisations may appear in it."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from deid_tasks.hospital.records import World

_SHARES = ((World.TRAIN, 0.5), (World.DEV, 0.65), (World.TEST, 1.0))
_APOSTROPHE = re.compile(r"['’]")
_SEPARATOR = re.compile(r"[\W_]+")


def fold_for_world(value: str) -> str:
    """``value`` in lower case, without accents and apostrophes, other marks as single spaces."""
    plain = unicodedata.normalize("NFKD", _APOSTROPHE.sub("", value).casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return _SEPARATOR.sub(" ", plain.translate(_LETTERS)).strip()


_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})


def stable(*parts: object) -> int:
    """Return a 64-bit number that depends on ``parts`` alone, the same on every machine and in every run."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def world_of(value: str) -> World:
    """Return the one world that a name, city or organisation belongs to, from its folded spelling."""
    place = stable("world", fold_for_world(value)) / 2**64
    return next(world for world, limit in _SHARES if place < limit)


@dataclass(frozen=True, slots=True)
class Town:
    """One ZIP of a city, with the telephone area codes in use there."""

    city: str
    state: str
    zip: str
    county: str
    area_codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """The public places and organisations of one world."""

    world: World
    towns: tuple[Town, ...]
    organizations: tuple[str, ...]
    places: tuple[str, ...]
    countries: tuple[str, ...]
    professions: tuple[str, ...]
    clinic_abbreviations: tuple[str, ...]
    domains: tuple[str, ...]
