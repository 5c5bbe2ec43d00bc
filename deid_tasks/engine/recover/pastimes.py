"""What people watch, read, play, sing, eat and travel with: "Wheel of Fortune", "Goodnight Moon", "Ben & Jerry's"."""

import re
from functools import cache
from pathlib import Path

from deid_tasks.core.span import Span
from deid_tasks.engine.recover.organizations import is_employed_before

_LIST = Path(__file__).with_name("pastimes.txt")
_WORD = re.compile(r"[^\W_]{2,}")
_LOWER_BEHIND_NAME = re.compile(r"[A-Z][a-z]+['’]?s? [a-z]{3,}$")
_REACH = 32
"""Characters of the longest entry beside the span that it holds."""


def is_of_pastime(text: str, span: Span) -> bool:
    """Whether a span lies inside the name of a pastime, and nobody works there."""
    word = _WORD.search(text, span.start, span.end)
    entries = _entries().get(word.group().lower(), ()) if word else ()
    if not entries:
        return False
    low = max(0, span.start - _REACH)
    near = text[low : span.end + _REACH].lower().replace("’", "'")
    for entry in entries:
        start = near.find(entry)
        while start >= 0:
            end = start + len(entry)
            is_whole = not near[start - 1 : start].isalnum() and not near[end : end + 1].isalnum()
            if is_whole and low + start <= span.start and span.end <= low + end:
                # A title of several words has a capital: "Charlotte's Web", and no web of Charlotte's.
                written = text[low + start : low + end]
                is_title = " " not in entry or _LOWER_BEHIND_NAME.search(written) is None
                return is_title and not is_employed_before(text, low + start)
            start = near.find(entry, start + 1)
    return False


@cache
def _entries() -> dict[str, tuple[str, ...]]:
    """Return the entries in lower case by each of their words."""
    found: dict[str, list[str]] = {}
    for line in _LIST.read_text(encoding="utf-8").lower().splitlines():
        for word in set(_WORD.findall(line)) if line and not line.startswith("#") else ():
            found.setdefault(word, []).append(line)
    return {word: tuple(lines) for word, lines in found.items()}
