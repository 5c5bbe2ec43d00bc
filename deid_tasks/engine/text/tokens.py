"""Words and punctuation marks of a text, with exact offsets."""

import re
from typing import NamedTuple

_TOKEN = re.compile(r"[^\W_]+|[^\s\w]|_")


class Token(NamedTuple):
    """The offsets of one token in code points, ``end`` exclusive."""

    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Return the runs of letters and digits and the single punctuation marks of ``text``; white space is dropped."""
    return [Token(*match.span()) for match in _TOKEN.finditer(text)]
