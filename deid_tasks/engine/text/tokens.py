"""Words and punctuation with exact offsets."""

import re
from typing import NamedTuple

_TOKEN = re.compile(r"[^\W_]+|[^\s\w]|_")


class Token(NamedTuple):
    """``text[start:end]`` of the note, in code points."""

    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Runs of letters and digits, and single punctuation marks; white space separates and is dropped."""
    return [Token(*match.span()) for match in _TOKEN.finditer(text)]
