"""Words in capitals as words in Title case: what models trained on normalised text read."""

import re

_LETTERS = re.compile(r"[^\W\d_]{2,}")


def title_capitals(text: str) -> str:
    """``text`` of the same length, its words in capitals in Title case: ``DR. O'NEIL`` becomes ``Dr. O'Neil``."""
    return _LETTERS.sub(_title, text)


def _title(match: re.Match[str]) -> str:
    word = match.group()
    rest = word[1:].lower()
    # A few capitals have a small form of two characters.
    return word[0] + rest if word.isupper() and len(rest) == len(word) - 1 else word
