"""Text rewritten word by word, with the punctuation between the words in place."""

import re
from collections.abc import Callable

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words_with_apostrophes(value: str) -> list[str]:
    """Return the words of ``value``, each with its apostrophes."""
    return _WORD.findall(value)


def rewrite_words(value: str, rewrite: Callable[[str], str | None]) -> str:
    """Return ``value`` with each word as ``rewrite`` returns it.

    Where ``rewrite`` returns ``None``, the word is removed with the punctuation beside it.
    """
    made: list[str] = []
    position = 0
    was_dropped = False
    for match in _WORD.finditer(value):
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
