"""The tables and kinds of a lexicon, and the variants in which one term may be written."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from deid_tasks.engine.lexicon.normalise import normalise

Table = Literal["patient_name", "provider", "facility", "address", "medical", "common", "cue"]

KINDS: dict[str, tuple[str, ...]] = {
    "patient_name": ("first", "last", "preferred", "full"),
    "provider": ("first", "last", "full", "user_id", "npi", "phone", "pager"),
    "facility": ("name", "short_name", "phone", "fax"),
    "address": ("street", "city", "state", "zip"),
    "medical": (
        "disease",
        "drug",
        "procedure",
        "eponym",
        "anatomy",
        "test",
        "scale",
        "abbreviation",
        "harvested",
        "other",
    ),
    "common": ("word", "frequent"),
    "cue": ("clinician_title", "title", "role", "subject", "credential", "locative", "month", "verb"),
}
"""The kinds of each table, in the order of their payload bits, which is part of the artefact's format.

Unlisted medical kinds are ``other``.
"""

_BITS = {(table, kind): bit for bit, (table, kind) in enumerate((t, k) for t, kinds in KINDS.items() for k in kinds)}
PREFIX = 1 << 63
"""The payload bit of a beginning of longer terms."""
MAX_TOKENS = 8
"""Words of the longest term."""

_STREET_WORDS = {
    "street": "st",
    "avenue": "ave",
    "road": "rd",
    "drive": "dr",
    "lane": "ln",
    "boulevard": "blvd",
    "court": "ct",
    "place": "pl",
    "circle": "cir",
    "terrace": "ter",
    "highway": "hwy",
    "parkway": "pkwy",
    "square": "sq",
    "apartment": "apt",
    "north": "n",
    "south": "s",
    "east": "e",
    "west": "w",
}
_STREET_FORMS = {**_STREET_WORDS, **{short: long for long, short in _STREET_WORDS.items()}}


@dataclass(frozen=True, slots=True)
class LexiconTerm:
    """One row of a dictionary table ``dict_<table>``; the ``repr`` shows no term."""

    table: Table
    kind: str
    term: str = field(repr=False)
    occurrences: int = 0


def bit_of(table: str, kind: str) -> int | None:
    """Return the payload bit of a table's kind; ``None`` where the table has no such kind."""
    bit = _BITS.get((table, kind))
    if bit is None and table == "medical":
        bit = _BITS["medical", "other"]
    return None if bit is None else 1 << bit


def mask_of(table: str, *kinds: str) -> int:
    """Return the payload bits of the given kinds, or of all kinds of the table if none is given."""
    return sum(1 << _BITS[table, kind] for kind in kinds or KINDS[table])


def kinds_of(payload: int) -> tuple[str, ...]:
    """Return the tables and kinds of a payload, as ``patient_name.last``."""
    return tuple(f"{table}.{kind}" for (table, kind), bit in _BITS.items() if payload >> bit & 1)


def variants(table: str, kind: str, term: str) -> Iterator[str]:
    """Yield ``term`` and the other ways it is written; variants that normalise to the same form are left out."""
    yield term
    if term.isalpha():
        return
    if "'" in term or "’" in term or "-" in term:
        yield term.replace("'", "").replace("’", "").replace("-", "")
    if kind == "full":
        yield from name_variants(term)
    elif table == "medical":
        yield from _possessives(term, is_eponym=kind == "eponym")
    elif kind in ("phone", "pager", "fax", "npi"):
        yield from digit_variants(term)
    elif kind == "street":
        yield from street_variants(term)
    elif table == "facility":
        words = normalise(term).split()
        if words[:1] == ["the"]:
            yield " ".join(words[1:])
        if "st" in words or "saint" in words:
            yield " ".join({"st": "saint", "saint": "st"}.get(word, word) for word in words)


def name_variants(term: str) -> Iterator[str]:
    """Yield a full name with its parts in the other order, and with initials.

    Given names come first in ``term``, or after a comma.
    """
    if "," in term:
        last, _, rest = term.partition(",")
        given = normalise(rest).split()
        family = normalise(last)
    else:
        # Words of letters alone are normalised by the scan.
        words = term.split()
        if not all(map(str.isalpha, words)):
            words = normalise(term).split()
        given, family = words[:-1], words[-1] if words else ""
    if not given or not family:
        return
    first, middle = given[0], given[1:]
    if middle or "," in term:
        yield f"{first} {family}"
    yield f"{family} {first}"
    if len(family) > 2:
        yield f"{first[0]} {family}"
        yield f"{family} {first[0]}"
    if middle:
        names = " ".join(middle)
        yield f"{first} {names} {family}"
        yield f"{family} {first} {names}"
        yield f"{first} {middle[0][0]} {family}"
        yield f"{family} {first} {middle[0][0]}"
        yield f"{first[0]} {middle[0][0]} {family}"


def _possessives(term: str, *, is_eponym: bool) -> Iterator[str]:
    """Yield a medical term with and without the possessive s: ``crohn s disease``, ``crohn disease``."""
    words = normalise(term).split()
    for index in range(1, len(words)):
        if words[index] == "s":
            yield " ".join((*words[:index], *words[index + 1 :]))
            yield " ".join((*words[: index - 1], words[index - 1] + "s", *words[index + 1 :]))
    if is_eponym and "s" not in words:
        for index, word in enumerate(words[:-1]):
            if len(word) > 3:
                yield " ".join((*words[: index + 1], "s", *words[index + 1 :]))
                yield " ".join((*words[:index], word + "s", *words[index + 1 :]))
                if word.endswith("s"):
                    yield " ".join((*words[:index], word[:-1], "s", *words[index + 1 :]))


def digit_variants(term: str) -> Iterator[str]:
    """Yield a telephone number or identifier with its digits joined, and grouped 3-3-4."""
    digits = "".join(character for character in term if character.isdigit())
    if len(digits) >= 7:
        yield digits
    if len(digits) == 11 and digits[0] == "1":
        digits = digits[1:]
        yield digits
    if len(digits) == 10:
        yield f"{digits[:3]} {digits[3:6]} {digits[6:]}"
        yield f"1 {digits[:3]} {digits[3:6]} {digits[6:]}"
    elif len(digits) == 7:
        yield f"{digits[:3]} {digits[3:]}"


def street_variants(term: str) -> Iterator[str]:
    """Yield a street line with its words short and long: ``12 North Oak Street``, ``12 N Oak St``."""
    words = normalise(term).split()
    yield " ".join(_STREET_WORDS.get(word, word) for word in words)
    if words:
        yield " ".join((*words[:-1], _STREET_FORMS.get(words[-1], words[-1])))
        full = {short: long for long, short in _STREET_WORDS.items() if len(short) > 1}
        yield " ".join(full.get(word, word) if index else word for index, word in enumerate(words))
