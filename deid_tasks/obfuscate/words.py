"""Words of a name replaced one by one, with the marks between them left in order."""

import re
from collections.abc import Callable

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words_of(value: str) -> list[str]:
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
