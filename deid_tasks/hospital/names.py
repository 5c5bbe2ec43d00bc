"""The forms in which notes write a person's name."""

import random
from collections.abc import Callable

from deid_tasks.hospital.records import Person

_NEIGHBOURS = {
    "a": "qwsz", "b": "vghn", "c": "xdfv", "d": "serfcx", "e": "wsdr", "f": "rtgvcd", "g": "ftyhbv", "h": "gyujnb",
    "i": "ujko",
    "j": "huikmn", "k": "jiolm", "l": "kop", "m": "njk", "n": "bhjm", "o": "iklp", "p": "ol", "q": "wa", "r": "edft",
    "s": "wedxza", "t": "rfgy", "u": "yhji", "v": "cfgb", "w": "qase", "x": "zsdc", "y": "tghu", "z": "asx",
}  # fmt: skip
"""Keys beside each key."""


def full(person: Person, rng: random.Random) -> str:
    """Return first and last name, half of the time with the middle initial, seldom with the whole middle name."""
    if person.middle:
        chance = rng.random()
        if chance < 0.45:
            return f"{person.first} {person.middle[0]}. {person.last}"
        if chance < 0.55:
            return f"{person.first} {person.middle} {person.last}"
    return f"{person.first} {person.last}"


def last_first(person: Person, rng: random.Random) -> str:
    """Okafor, Maria T."""
    if person.middle and rng.random() < 0.5:
        return f"{person.last}, {person.first} {person.middle[0]}"
    return f"{person.last}, {person.first}"


def initials(person: Person, rng: random.Random) -> str:
    """MO, half of the time MTO."""
    middle = person.middle[:1] if rng.random() < 0.4 else ""
    return f"{person.first[0]}{middle}{person.last[0]}".upper()


def signoff(person: Person, rng: random.Random) -> str:
    """Return the initials that close a note: mo, MTO, /mo."""
    mark = f"{person.first[0]}{person.middle[:1]}{person.last[0]}"
    chance = rng.random()
    if chance < 0.3:
        return mark.lower()
    if chance < 0.45:
        return "/" + mark.lower()
    if chance < 0.6:
        return f"{person.first[0]}{person.last[0]}".lower()
    return mark.upper()


def misspelled(person: Person, rng: random.Random) -> str:
    """Return the last name with one typing error."""
    return mistype(person.last, rng)


def mistype(word: str, rng: random.Random) -> str:
    """``word`` with one typing error: two letters swapped, one lost, one doubled or a neighbouring key hit."""
    if len(word) < 3:
        return word + word[-1:]
    for _ in range(8):
        place = 1 + int(rng.random() * (len(word) - 1))
        kind = int(rng.random() * 4)
        letter = word[place]
        if not letter.isalpha():
            continue
        if kind == 0 and place + 1 < len(word):
            wrong = word[:place] + word[place + 1] + letter + word[place + 2 :]
        elif kind == 1:
            wrong = word[:place] + word[place + 1 :]
        elif kind == 2:
            wrong = word[:place] + letter + word[place:]
        else:
            keys = _NEIGHBOURS.get(letter.lower(), "")
            if not keys:
                continue
            wrong = word[:place] + keys[int(rng.random() * len(keys))] + word[place + 1 :]
        if wrong != word:
            return wrong
    return word + word[-1]


FORMS: dict[str, Callable[[Person, random.Random], str]] = {
    "full": full,
    "first": lambda person, _: person.first,
    "middle": lambda person, _: person.middle,
    "last": lambda person, _: person.last,
    "last_first": last_first,
    "nick": lambda person, _: person.nickname or person.first,
    "initial_last": lambda person, _: f"{person.first[0]}. {person.last}",
    "initials": initials,
    "misspelled": misspelled,
}
"""The FORMs of `{patient.FORM}` and its like."""
