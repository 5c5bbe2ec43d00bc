"""The names of one note as words, and what is made of surrogates for short names and misspelled ones."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice
from typing import NamedTuple

from deid_tasks.core.reference import reference_path
from deid_tasks.engine.obfuscate.people.public_names import UNKNOWN_NAME, given_name_table

_VOWELS = "aeiouy"
_MIN_CLIPPED, _MAX_CLIPPED = 3, 5
_COMMON_WORDS, _FREQUENT_WORDS = 5_000, 1_000
_FORMS_OF_SEXES = re.compile(r"(\w+[sc]k)[iy] \1a|(\w{2,}(?:ov|ev|in)) \2a")
"""A surname for men and, behind it, for women."""


class NoteWords(NamedTuple):
    """The words of the names in one note, folded, in the order in which they first stand there."""

    givens: tuple[str, ...] = ()
    """Words that may be given names."""
    surnames: tuple[str, ...] = ()
    """Words that may be surnames."""
    misspelled: Mapping[tuple[bool, str], str] = {}
    """``(is a surname, word)`` that is one edit away from another name of the note → that name."""
    joined: Mapping[str, tuple[str, ...]] = {}
    """Two surnames of one person that the note also writes as one word → the surnames: ``littleowl``."""
    sex_of: Callable[[str], str] = lambda _: ""
    """Returns what the note says of the sex of somebody of that given name: ``F``, ``M`` or empty."""
    stated_sex_of: Callable[[str], str] = lambda _: ""
    """Returns the sex that a title, a relation or a label states of somebody of that given name, else empty."""
    called: frozenset[str] = frozenset()
    """Given names of people whom the note also calls by a short name."""


NO_WORDS = NoteWords()
"""No note."""


def clipped_names(folded: str) -> list[str]:
    """Return the short forms that a given name is clipped to: ``fab`` of Fabiola, ``burt`` of Burton.

    A short form ends in the consonants behind a vowel, or in the first of them; it is no common word, and no name of
    the other sex.
    """
    if not folded.isascii():
        return []
    sex = given_name_table().get(folded, UNKNOWN_NAME).sex
    for vowel in [i for i, char in enumerate(folded) if char in _VOWELS][:2]:
        start = next((i for i in range(vowel + 1, len(folded)) if folded[i] not in _VOWELS), len(folded))
        stop = next((i for i in range(start, len(folded)) if folded[i] in _VOWELS), len(folded))
        if folded[start : start + 1] == folded[start + 1 : start + 2]:
            stop = start + 1
        ends = [stop] if folded[start : start + 1] == "r" else [start + 1, stop]
        ends = [end for end in ends if _MIN_CLIPPED <= end <= _MAX_CLIPPED and end < len(folded)]
        names = [name for end in ends if (name := folded[:end]) not in _common_words() and _may_be_of(name, sex)]
        if names:
            return names[:1]
        stem = folded[:stop]
        if stop > 2 and _may_be_of(f"{stem}ie", sex) and f"{stem}ie" != folded:
            return [f"{stem}ie"]
    return []


def _may_be_of(name: str, sex: str) -> bool:
    return {given_name_table().get(name, UNKNOWN_NAME).sex, sex} != {"F", "M"}


@cache
def frequent_words() -> frozenset[str]:
    """Return the words of general text that a reader takes for words wherever they stand."""
    with reference_path("common_words.tsv").open(encoding="utf-8") as lines:
        return frozenset(line.partition("\t")[0] for line in islice(lines, 1, _FREQUENT_WORDS))


@cache
def _common_words() -> frozenset[str]:
    with reference_path("common_words.tsv").open(encoding="utf-8") as lines:
        return frozenset(line.partition("\t")[0] for line in islice(lines, _COMMON_WORDS))


def is_misread(one: str, other: str) -> bool:
    """Whether two words differ only as a scanner reads letters that run together: Whitcornb and Whitcomb."""
    return one != other and one.replace("rn", "m") == other.replace("rn", "m")


def misspell(surrogate: str, wrong: str, right: str) -> str:
    """Return ``surrogate`` with one edit, as ``wrong`` is ``right`` with one edit.

    A longer or a shorter word doubles or drops a letter; another word of the same length gets another vowel. The forms
    of one surname for men and women ("Borkowski", "Borkowska") are no error, and become the same.
    """
    if _FORMS_OF_SEXES.fullmatch(f"{wrong} {right}") or _FORMS_OF_SEXES.fullmatch(f"{right} {wrong}"):
        return surrogate
    if wrong in {f"{right}s", f"{right}es"}:
        # The plural: "the Heberts".
        return surrogate + ("ES" if surrogate.isupper() else "es" if surrogate[-1:] in "sxz" else "s")
    if is_misread(wrong, right):
        return surrogate.replace("m", "rn", 1) if len(wrong) > len(right) else surrogate.replace("rn", "m", 1)
    inner = range(1, len(surrogate) - 1)
    doubled = [i for i in inner if surrogate[i] == surrogate[i + 1] and i + 1 < len(surrogate)]
    if len(wrong) < len(right) and (doubled or len(surrogate) > _MAX_CLIPPED):
        i = doubled[-1] if doubled else len(surrogate) - 2
        return surrogate[:i] + surrogate[i + 1 :]
    vowels = [i for i in inner if surrogate[i].lower() in "aeiou"]
    if len(wrong) == len(right) and vowels:
        i = vowels[-1]
        other = {"a": "e", "e": "a", "i": "y", "o": "e", "u": "o"}[surrogate[i].lower()]
        return surrogate[:i] + (other.upper() if surrogate[i].isupper() else other) + surrogate[i + 1 :]
    consonants = [i for i in inner if i not in vowels and i not in doubled] or [len(surrogate) - 1]
    i = consonants[-1]
    return surrogate[: i + 1] + surrogate[i] + surrogate[i + 1 :]
