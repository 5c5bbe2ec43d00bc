"""One patient's record as hashed terms, digits and names: what the patient detector looks for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import islice, product

from deid_tasks.core.patient import PatientRecord, TermKind
from deid_tasks.core.reference import read_tsv
from deid_tasks.engine.lexicon.normalise import normalise
from deid_tasks.engine.lexicon.scan import U64, Hasher
from deid_tasks.engine.lexicon.table import entries
from deid_tasks.engine.lexicon.terms import street_variants

OWN, RELATIVE, FULL, RELATIVE_FULL, EMAIL, STREET, CITY, STATE, ZIP, IDENTIFIER = (1 << bit for bit in range(10))
MAX_FULL = 8
"""Names of one kind beyond this many are not combined with others."""
MIN_MISSPELT = 5
"""A shorter name with a typing error is another name."""
_PARTICLES = frozenset(
    ("de", "la", "las", "los", "del", "van", "von", "der", "den", "di", "da", "do", "dos", "el", "al")
)
_DIGIT_KINDS = (
    TermKind.PHONE,
    TermKind.SSN,
    TermKind.MRN,
    TermKind.HEALTH_PLAN,
    TermKind.ACCOUNT,
    TermKind.LICENSE,
    TermKind.OTHER_ID,
)
MIN_DIGITS = 6
"""Fewer digits say nothing by themselves."""


@dataclass(frozen=True, eq=False)
class PatientTerms:
    """The compiled record; its ``repr`` holds no term. ``keys`` and ``payload`` are entries salted with ``salt``."""

    salt: int = field(repr=False)
    keys: U64 = field(repr=False)
    payload: U64 = field(repr=False)
    names: dict[str, int] = field(repr=False)
    """Normalised one-word names of five letters or more, which a typing error may have changed, as ``OWN``, ``RELATIVE`` or ``CITY``."""
    digits: dict[str, TermKind] = field(repr=False)
    beginnings: frozenset[str] = field(repr=False)
    """Every beginning of the numbers, and they themselves."""
    letters: dict[TermKind, re.Pattern[str]] = field(repr=False)
    """What letters the numbers of a kind begin with, as they stand before the first digit."""
    last_four: frozenset[str] = field(repr=False)
    initials: frozenset[str] = field(repr=False)


@lru_cache(maxsize=1)
def nicknames() -> dict[str, frozenset[str]]:
    """Given name or short form, normalised → the others of the same person, from the public list."""
    found: dict[str, set[str]] = {}
    for row in read_tsv("nicknames.tsv"):
        name, short = normalise(row["name"]), normalise(row["nickname"])
        found.setdefault(name, set()).add(short)
        found.setdefault(short, set()).add(name)
    return {name: frozenset(others) for name, others in found.items()}


@lru_cache(maxsize=4_096)
def compile_patient(record: PatientRecord, hasher: Hasher) -> PatientTerms:
    """The terms of ``record`` for texts that ``hasher`` scans; kept for the next batches, since a shard holds all notes of its patients."""
    given = _normalised(record.of_kind(TermKind.FIRST, TermKind.PREFERRED))
    known = nicknames()
    shorts = sorted({short for name in given for short in known.get(name, ())} - set(given))
    middle = _normalised(record.of_kind(TermKind.MIDDLE))
    last = _normalised(_with_halves(record.of_kind(TermKind.LAST)))
    relative_first = _normalised(record.of_kind(TermKind.RELATIVE_FIRST))
    relative_last = _normalised(record.of_kind(TermKind.RELATIVE_LAST))
    forms: list[tuple[str, int]] = []
    for names, bit in (([*given, *shorts, *middle, *last], OWN), ([*relative_first, *relative_last], RELATIVE)):
        for name in names:
            forms += [(form, bit) for form in _parts(name)]
    forms += [(form, FULL) for form in _full([*given, *shorts], middle, last)]
    forms += [(form, RELATIVE_FULL) for form in _full(relative_first, [], [*relative_last, *last])]
    forms += [(term, EMAIL) for term in record.of_kind(TermKind.EMAIL)]
    for street in record.of_kind(TermKind.STREET):
        forms += [(form, STREET) for form in _streets(street)]
    for kind, bit in ((TermKind.CITY, CITY), (TermKind.STATE, STATE), (TermKind.ZIP, ZIP)):
        forms += [(term, bit) for term in record.of_kind(kind)]
    forms += [(term[:5], ZIP) for term in record.of_kind(TermKind.ZIP)]
    digits: dict[str, TermKind] = {}
    letters: dict[TermKind, re.Pattern[str]] = {}
    for term in record.terms:
        if term.kind in _DIGIT_KINDS:
            number = "".join(character for character in term.term if character.isdecimal())
            if len(number) >= MIN_DIGITS:
                digits.setdefault(number, term.kind)
                if leading := re.match(r"([A-Za-z]+)[^A-Za-z0-9]*\d", term.term):
                    letters[term.kind] = re.compile(rf"(?<![A-Za-z]){leading[1]}[- .#:]{{0,2}}\Z", re.IGNORECASE)
                if term.kind is TermKind.PHONE:
                    digits.setdefault(number.removeprefix("1"), term.kind)
                    digits.setdefault(number[-7:], term.kind)
            elif len(term.term) >= 4 and not term.term.isdecimal():
                forms.append((term.term, IDENTIFIER))
    salt = int.from_bytes(blake2b(record.patient_id.encode(), digest_size=8).digest(), "little")
    usable = [(form, bit) for form, bit in dict.fromkeys(forms) if len(form) > 1]
    keys, payload = entries([form for form, _ in usable], [bit for _, bit in usable], hasher, salt)
    initials = {first[0] + family[0] for first, family in product(given, last)}
    initials |= {first[0] + mid[0] + family[0] for first, mid, family in product(given, middle, last)}
    return PatientTerms(
        salt,
        keys,
        payload,
        _misspellable(
            (CITY, _normalised(record.of_kind(TermKind.CITY))),
            (RELATIVE, [*relative_first, *relative_last]),
            (OWN, [*given, *middle, *last]),
        ),
        digits,
        frozenset(number[:length] for number in digits for length in range(1, len(number) + 1)),
        letters,
        frozenset(ssn[-4:] for ssn, kind in digits.items() if kind is TermKind.SSN),
        frozenset(initials),
    )


def _misspellable(*groups: tuple[int, list[str]]) -> dict[str, int]:
    """Later groups decide where a name is in several."""
    return {name: bit for bit, names in groups for name in names if name.isalpha() and len(name) >= MIN_MISSPELT}


def _normalised(names: Iterable[str]) -> list[str]:
    return [
        name for name in dict.fromkeys(normalise(name.replace("'", "").replace("’", "")) for name in names) if name
    ] + [name for name in dict.fromkeys(normalise(name) for name in names if "'" in name or "’" in name) if name]


def _with_halves(names: Iterable[str]) -> list[str]:
    """Family names, and the halves of hyphenated ones."""
    return [part for name in names for part in (name, *(name.split("-") if "-" in name else ()))]


def _parts(name: str) -> list[str]:
    """A name, its words joined, and each word of it that is no particle."""
    words = name.split()
    if len(words) == 1:
        return [name]
    return [name, "".join(words), *(word for word in words if len(word) > 2 and word not in _PARTICLES)]


def _full(given: list[str], middle: list[str], last: list[str]) -> list[str]:
    forms: list[str] = []
    for first, family in islice(product(given[:MAX_FULL], last[:MAX_FULL]), MAX_FULL * MAX_FULL):
        forms += [f"{first} {family}", f"{family} {first}", f"{first[0]} {family}", f"{family} {first[0]}"]
        forms.append(f"{first}{family}".replace(" ", ""))
        for name in middle[:2]:
            forms += [f"{first} {name} {family}", f"{family} {first} {name}", f"{first} {name[0]} {family}"]
            forms += [f"{family} {first} {name[0]}", f"{first[0]} {name[0]} {family}", f"{first} {name}"]
    return forms


def _streets(street: str) -> list[str]:
    forms = list(dict.fromkeys(normalise(form) for form in (street, *street_variants(street))))
    named = [form.split(" ", 1)[1] for form in forms if form[:1].isdigit() and form.count(" ") >= 2]
    # "at 12 Quail", "on North Quail": the number and the name, and a name of two words by itself.
    bare = [form.rsplit(" ", 1)[0] for form in forms if form[:1].isdigit() and form.count(" ") >= 2]
    return [*forms, *named, *bare, *(form.split(" ", 1)[1] for form in bare if form.count(" ") >= 2)]
