"""Names as text: folding, diacritical marks, and the parts that a written name consists of."""

import re
import unicodedata
from functools import lru_cache

from deid_tasks.core.reference import fold

_NAME_PART = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
"""One part of a name. Hyphens and spaces separate parts."""
_SAINT = re.compile(r"(?:St|Ste|Saint|ST|STE|SAINT|st|ste|saint)(?=\.? ?[^\W\d_])(?:\. ?| |\.)(?=[^\W\d_]{3})")
_UNMARKED = str.maketrans("đĐøØłŁßıæÆœŒ", "dDoOlLsiaAoO")
"""Letters that Unicode does not decompose into a letter and a mark."""
_MISREAD = re.compile(r"(?<=[^\W\d_]{2})[01](?=[^\W\d_])|(?<=[^\W\d_]{4})11(?![^\W_])")
_LETTERS_OF_DIGITS = str.maketrans("10", "lo")
_PATRONYMIC = re.compile(r"\b[ABDSW]/[LOP]\b", re.IGNORECASE)
_MAX_CACHED = 512
_IGNORED_IN_NAMES = str.maketrans("", "", "'’. ")


def fold_name(name: str) -> str:
    """Return ``name`` in the form in which names are compared: folded, without apostrophes, full stops and spaces.

    O'Brien, O’Brien and OBRIEN are one name; so are St. John and St John, Søren and Soren.
    """
    if name.isascii() and name.isalpha():
        return name.lower()
    folded = fold(name) if name.isascii() else fold(name.translate(_UNMARKED))
    return folded if folded.isalpha() else folded.translate(_IGNORED_IN_NAMES)


def without_marks(name: str) -> str:
    """Return ``name`` without diacritical marks, in its own letter case."""
    decomposed = unicodedata.normalize("NFKD", name.translate(_UNMARKED))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def initial_like(name: str, letter: str) -> str:
    """Return the first letter of ``name``, without its mark where ``letter`` has none."""
    return (without_marks(name) if letter.isascii() else name)[0]


@lru_cache(maxsize=_MAX_CACHED)
def name_parts(value: str) -> tuple[tuple[int, int, str], ...]:
    """Return ``(start, end, word)`` of each part of a name.

    A saint ("St. John") is one part. The ending of a possessive belongs to no part, and neither does what stands in
    front of a father's or a husband's name: Kamala d/o Subramaniam.
    """
    if value.isalpha():
        return ((0, len(value), value),)
    if "1" in value or "0" in value:
        # Digits that a scanner read for letters: "Zeig1er", "Marsha11".
        value = _MISREAD.sub(lambda digits: digits.group().translate(_LETTERS_OF_DIGITS), value)
    if "/" in value:
        value = _PATRONYMIC.sub(lambda found: " " * len(found.group()), value)
    found: list[tuple[int, int, str]] = []
    saint_end = -1
    for match in _NAME_PART.finditer(value):
        word, start = match.group(), match.start()
        if len(word) > 3 and word[-2] in "'’" and word[-1] in "sS":
            word = word[:-2]
        end = start + len(word)
        if saint_end == start and found:
            start = found.pop()[0]
            word = value[start:end]
        elif (saint := _SAINT.match(value, start)) is not None:
            saint_end = saint.end()
        found.append((start, end, word))
    return tuple(found)


@lru_cache(maxsize=_MAX_CACHED)
def folded_parts(value: str) -> tuple[str, ...]:
    """Return the parts of a name as they are compared: every rule that reads the names of a note asks for them."""
    return tuple([fold_name(word) for _, _, word in name_parts(value)])
