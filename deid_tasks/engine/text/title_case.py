"""Words in capitals in Title case, as models read them that were trained on normalised text."""

import re

_LETTERS = re.compile(r"[^\W\d_]{2,}")


def title_capitals(text: str) -> str:
    """Return ``text`` with words in capitals in Title case and every offset kept: ``DR. O'NEIL``, ``Dr. O'Neil``."""
    return _LETTERS.sub(_title, text)


def _title(match: re.Match[str]) -> str:
    word = match.group()
    rest = word[1:].lower()
    # A few capitals have a lower-case form of two characters, which would move the offsets.
    return word[0] + rest if word.isupper() and len(rest) == len(word) - 1 else word
