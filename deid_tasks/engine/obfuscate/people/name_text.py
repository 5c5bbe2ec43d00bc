"""Words of a name replaced one by one, with the marks between them left in order."""

import re
import unicodedata
from collections.abc import Callable

from deid_tasks.core.reference import fold

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
NAME_PART = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
"""One part of a name; hyphens and spaces part them."""


_SAINT = re.compile(r"(?:St|Ste|Saint|ST|STE|SAINT|st|ste|saint)(?=\.? ?[^\W\d_])(?:\. ?| |\.)(?=[^\W\d_]{3})")
_UNMARKED = str.maketrans("đĐøØłŁßıæÆœŒ", "dDoOlLsiaAoO")
_NO_LETTERS = str.maketrans("", "", "'’. ")


def fold_name(name: str) -> str:
    """``name`` folded, without apostrophes: O'Brien, O’Brien and OBRIEN are one name, and so are St. John and St John."""
    if name.isascii() and name.isalpha():
        return name.lower()
    folded = fold(name)
    return folded if folded.isalpha() else folded.translate(_NO_LETTERS)


def without_marks(name: str) -> str:
    """``name`` as it is written where no marks are."""
    decomposed = unicodedata.normalize("NFKD", name.translate(_UNMARKED))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def name_parts(value: str) -> list[tuple[int, int, str]]:
    """``(start, end, word)`` of each part of a name; a saint is one part, and the ending of a possessive belongs to none."""
    if value.isalpha():
        return [(0, len(value), value)]
    found: list[tuple[int, int, str]] = []
    saint = -1
    for match in NAME_PART.finditer(value):
        word, start = match.group(), match.start()
        if len(word) > 3 and word[-2] in "'’" and word[-1] in "sS":
            word = word[:-2]
        end = start + len(word)
        if saint == start and found:
            start = found.pop()[0]
            word = value[start:end]
        elif (known := _SAINT.match(value, start)) is not None:
            saint = known.end()
        found.append((start, end, word))
    return found


def split_words(value: str) -> list[str]:
    """The words of ``value``, each with its apostrophes."""
    return _WORD.findall(value)


def rewrite_words(value: str, rewrite: Callable[[str], str | None]) -> str:
    """``value`` with each word as ``rewrite`` gives it; a word given as ``None`` goes, and so do the marks beside it."""
    made: list[str] = []
    position = 0
    was_dropped = False
    for match in _WORD.finditer(value):
        marks = value[position : match.start()]
        word = rewrite(match.group())
        position = match.end()
        if word is None:
            was_dropped = True
            if not made:
                made.append(marks)
            continue
        if was_dropped:
            marks = ", " if "," in marks else " (" if "(" in marks else " #" if "#" in marks else " "
        made += (marks, word)
        was_dropped = False
    tail = value[position:]
    return "".join(made) + (tail.lstrip(".'’-") if was_dropped else tail)
