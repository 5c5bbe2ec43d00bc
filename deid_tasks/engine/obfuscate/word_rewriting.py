"""Text rewritten word by word, with the punctuation between the words in place."""

import re
from collections.abc import Callable

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""A word with its apostrophes."""


def words_with_apostrophes(value: str, pattern: re.Pattern[str] = WORD) -> list[str]:
    """Return the words of ``value``, each with its apostrophes."""
    return pattern.findall(value)


def rewrite_words(value: str, rewrite: Callable[[str], str | None], pattern: re.Pattern[str] = WORD) -> str:
    """Return ``value`` with each word, as ``pattern`` finds it, as ``rewrite`` returns it.

    Where ``rewrite`` returns ``None``, the word is removed with the punctuation beside it.
    """
    made: list[str] = []
    position = 0
    was_dropped = False
    for match in pattern.finditer(value):
        between = value[position : match.start()]
        word = rewrite(match.group())
        position = match.end()
        if word is None:
            was_dropped = True
            if not made:
                made.append(between)
            continue
        if was_dropped:
            between = ", " if "," in between else " (" if "(" in between else " #" if "#" in between else " "
        made += (between, word)
        was_dropped = False
    tail = value[position:]
    return "".join(made) + (tail.lstrip(".'’-") if was_dropped else tail)
