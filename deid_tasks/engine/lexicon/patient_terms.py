"""One patient's record compiled to hashed terms, digits and names: what the patient detector looks for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import islice, product

from deid_tasks.core.patient import IDENTIFIER_KINDS, PatientRecord, TermKind
from deid_tasks.core.reference import read_tsv
from deid_tasks.engine.lexicon.everyday_names import EverydayNames, everyday_names
from deid_tasks.engine.lexicon.normalise import normalise
from deid_tasks.engine.lexicon.scan import U64, Hasher
from deid_tasks.engine.lexicon.table import entries
from deid_tasks.engine.lexicon.terms import street_variants

OWN, RELATIVE, FULL, RELATIVE_FULL, EMAIL, STREET, CITY, STATE, ZIP, IDENTIFIER = (1 << bit for bit in range(10))
"""The payload bits of a patient's terms."""
MAX_FULL = 8
"""Names of one kind beyond this many are not combined to full names."""
MIN_MISSPELT = 5
"""Letters of the shortest name that is recognised with a typing error."""
MIN_DIGITS = 6
"""Digits of the shortest number that is looked for by its digits alone."""
MIN_IDENTIFIER = 4
"""Characters of the shortest identifier of letters and digits that is looked for."""
_ZIP_DIGITS, _LOCAL_PHONE_DIGITS = 5, 7
_PARTICLES = frozenset(
    ("de", "la", "las", "los", "del", "van", "von", "der", "den", "di", "da", "do", "dos", "el", "al")
)
_NUMBER_KINDS = (*IDENTIFIER_KINDS, TermKind.PHONE)
_LEADING_LETTERS = re.compile(r"([A-Za-z]+)[^A-Za-z0-9]*\d")
_Forms = list[tuple[str, int]]
"""Terms as they may be written, each with its payload bit."""


@dataclass(frozen=True, eq=False)
class PatientTerms:
    """A compiled record, as table entries salted with ``salt``; its ``repr`` shows no term."""

    salt: int = field(repr=False)
    keys: U64 = field(repr=False)
    payload: U64 = field(repr=False)
    names: dict[str, int] = field(repr=False)
    """Normalised one-word names that are recognised with typing errors, as ``OWN``, ``RELATIVE`` or ``CITY``."""
    digits: dict[str, TermKind] = field(repr=False)
    """The digits of the record's numbers."""
    beginnings: frozenset[str] = field(repr=False)
    """Every beginning of ``digits``, and they themselves."""
    letters: dict[TermKind, re.Pattern[str]] = field(repr=False)
    """The letters that the numbers of a kind begin with, as they are written before the first digit."""
    last_four: frozenset[str] = field(repr=False)
    """The last four digits of the social security numbers."""
    initials: frozenset[str] = field(repr=False)
    everyday: EverydayNames | None = field(repr=False)
    """The names of which every word is an everyday word."""


@dataclass(frozen=True, slots=True)
class _Names:
    """The normalised names of a record."""

    given: list[str]
    short: list[str]
    """Short forms of the given names, and given names that they are short for."""
    middle: list[str]
    last: list[str]
    relative_first: list[str]
    relative_last: list[str]


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers of a record."""

    digits: dict[str, TermKind] = field(default_factory=dict)
    letters: dict[TermKind, re.Pattern[str]] = field(default_factory=dict)
    identifiers: list[str] = field(default_factory=list)
    """Identifiers with too few digits to be looked for by their digits alone."""


@lru_cache(maxsize=1)
def related_given_names() -> dict[str, frozenset[str]]:
    """Return, for each given name or short form of the public list, the other names of the same person; normalised."""
    found: dict[str, set[str]] = {}
    for row in read_tsv("nicknames.tsv"):
        name, short = normalise(row["name"]), normalise(row["nickname"])
        found.setdefault(name, set()).add(short)
        found.setdefault(short, set()).add(name)
    return {name: frozenset(others) for name, others in found.items()}


@lru_cache(maxsize=4_096)
def compile_patient(record: PatientRecord, hasher: Hasher) -> PatientTerms:
    """Return the terms of ``record``, hashed for texts that ``hasher`` scans.

    Compiled records are cached, since a shard holds all notes of its patients.
    """
    names, numbers = _names(record), _numbers(record)
    salt = int.from_bytes(blake2b(record.patient_id.encode(), digest_size=8).digest(), "little")
    forms = [*_name_forms(names), *_address_forms(record), *((term, IDENTIFIER) for term in numbers.identifiers)]
    usable = [(form, bit) for form, bit in dict.fromkeys(forms) if len(form) > 1]
    keys, payload = entries([form for form, _ in usable], [bit for _, bit in usable], hasher, salt)
    return PatientTerms(
        salt,
        keys,
        payload,
        _misspellable(
            (CITY, _normalised(record.of_kind(TermKind.CITY))),
            (RELATIVE, [*names.relative_first, *names.relative_last]),
            (OWN, [*names.given, *names.middle, *names.last]),
        ),
        numbers.digits,
        frozenset(number[:length] for number in numbers.digits for length in range(1, len(number) + 1)),
        numbers.letters,
        frozenset(ssn[-4:] for ssn, kind in numbers.digits.items() if kind is TermKind.SSN),
        _initials(names),
        everyday_names_of(record),
    )


@lru_cache(maxsize=4_096)
def everyday_names_of(record: PatientRecord) -> EverydayNames | None:
    """Return the names of ``record`` of which every word is an everyday word; ``None`` if there are none."""
    return everyday_names(_name_forms(_names(record)))


def _names(record: PatientRecord) -> _Names:
    given = _normalised(record.of_kind(TermKind.FIRST, TermKind.PREFERRED))
    related = related_given_names()
    return _Names(
        given,
        sorted({other for name in given for other in related.get(name, ())} - set(given)),
        _normalised(record.of_kind(TermKind.MIDDLE)),
        _normalised(_with_halves(record.of_kind(TermKind.LAST))),
        _normalised(record.of_kind(TermKind.RELATIVE_FIRST)),
        _normalised(record.of_kind(TermKind.RELATIVE_LAST)),
    )


def _name_forms(names: _Names) -> _Forms:
    own = [*names.given, *names.short, *names.middle, *names.last]
    forms = [(form, OWN) for name in own for form in _parts(name)]
    relatives = [*names.relative_first, *names.relative_last]
    forms += [(form, RELATIVE) for name in relatives for form in _parts(name)]
    forms += [(form, FULL) for form in _full([*names.given, *names.short], names.middle, names.last)]
    # Relatives often have the patient's family name.
    family = [*names.relative_last, *names.last]
    return forms + [(form, RELATIVE_FULL) for form in _full(names.relative_first, [], family)]


def _address_forms(record: PatientRecord) -> _Forms:
    forms = [(term, EMAIL) for term in record.of_kind(TermKind.EMAIL)]
    forms += [(form, STREET) for street in record.of_kind(TermKind.STREET) for form in _streets(street)]
    for kind, bit in ((TermKind.CITY, CITY), (TermKind.STATE, STATE), (TermKind.ZIP, ZIP)):
        forms += [(term, bit) for term in record.of_kind(kind)]
    return forms + [(term[:_ZIP_DIGITS], ZIP) for term in record.of_kind(TermKind.ZIP)]


def _numbers(record: PatientRecord) -> _Numbers:
    found = _Numbers()
    for term in record.terms:
        if term.kind not in _NUMBER_KINDS:
            continue
        number = "".join(character for character in term.term if character.isdecimal())
        if len(number) >= MIN_DIGITS:
            found.digits.setdefault(number, term.kind)
            if leading := _LEADING_LETTERS.match(term.term):
                pattern = rf"(?<![A-Za-z]){leading[1]}[- .#:]{{0,2}}\Z"
                found.letters[term.kind] = re.compile(pattern, re.IGNORECASE)
            if term.kind is TermKind.PHONE:
                found.digits.setdefault(number.removeprefix("1"), term.kind)
                found.digits.setdefault(number[-_LOCAL_PHONE_DIGITS:], term.kind)
        elif len(term.term) >= MIN_IDENTIFIER and not term.term.isdecimal():
            found.identifiers.append(term.term)
    return found


def _initials(names: _Names) -> frozenset[str]:
    two = {first[0] + family[0] for first, family in product(names.given, names.last)}
    three = {
        first[0] + middle[0] + family[0] for first, middle, family in product(names.given, names.middle, names.last)
    }
    return frozenset(two | three)


def _misspellable(*groups: tuple[int, list[str]]) -> dict[str, int]:
    """Return the names long enough for typing errors; a name in several groups has the last one's bit."""
    return {name: bit for bit, names in groups for name in names if name.isalpha() and len(name) >= MIN_MISSPELT}


def _normalised(names: Iterable[str]) -> list[str]:
    """Return the names normalised, those with an apostrophe in two ways: ``orourke`` and ``o rourke``."""
    joined = dict.fromkeys(normalise(name.replace("'", "").replace("’", "")) for name in names)
    split = dict.fromkeys(normalise(name) for name in names if "'" in name or "’" in name)
    return [name for name in joined if name] + [name for name in split if name]


def _with_halves(names: Iterable[str]) -> list[str]:
    """Return family names, and the halves of hyphenated ones."""
    return [part for name in names for part in (name, *(name.split("-") if "-" in name else ()))]


def _parts(name: str) -> list[str]:
    """Return a name, its words joined, and each of its words that is not a particle."""
    words = name.split()
    if len(words) == 1:
        return [name]
    return [name, "".join(words), *(word for word in words if len(word) > 2 and word not in _PARTICLES)]


def _full(given: list[str], middle: list[str], last: list[str]) -> list[str]:
    """Return the full names of a person in every order, with initials and joined."""
    forms: list[str] = []
    for first, family in islice(product(given[:MAX_FULL], last[:MAX_FULL]), MAX_FULL * MAX_FULL):
        forms += [f"{first} {family}", f"{family} {first}", f"{first[0]} {family}", f"{family} {first[0]}"]
        forms.append(f"{first}{family}".replace(" ", ""))
        for name in middle[:2]:
            forms += [f"{first} {name} {family}", f"{family} {first} {name}", f"{first} {name[0]} {family}"]
            forms += [f"{family} {first} {name[0]}", f"{first[0]} {name[0]} {family}", f"{first} {name}"]
    return forms


def _streets(street: str) -> list[str]:
    """Return a street line in every form: whole, without its number, without its last word."""
    forms = list(dict.fromkeys(normalise(form) for form in (street, *street_variants(street))))
    without_number = [form.split(" ", 1)[1] for form in forms if form[:1].isdigit() and form.count(" ") >= 2]
    # "at 12 Quail", "on North Quail": the number and the name, and a name of two words by itself.
    without_kind = [form.rsplit(" ", 1)[0] for form in forms if form[:1].isdigit() and form.count(" ") >= 2]
    names = [form.split(" ", 1)[1] for form in without_kind if form.count(" ") >= 2]
    return [*forms, *without_number, *without_kind, *names]
