"""The words of a text as neural models read them, with the class of their case and of the gap before them."""

import re

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_LINE_OR_TAB = re.compile(r"[\n\r\t]")

CASES = 8
"""Case classes: 0 not a word, 1 lower, 2 Title, 3 UPPER, 4 a single capital, 5 digits, 6 mixedCase, 7 punctuation and
the rest."""
GAPS = 4
"""Gap classes: 0 not a word, 1 glued to the word before, 2 after spaces or at the text's start, 3 after a line break or
a tab."""


def shape_words(text: str) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return ``(starts, ends, cases, gaps)`` of the words of ``text``, each ``[W]``; offsets in code points.

    A word is a run of letters, a run of digits, or one other visible character. ``61Sex`` is two words, so that a model
    can tell a value from the field name glued to it.
    """
    starts: list[int] = []
    ends: list[int] = []
    cases: list[int] = []
    gaps: list[int] = []
    previous = -1
    for match in _WORD.finditer(text):
        start, end = match.span()
        starts.append(start)
        ends.append(end)
        cases.append(case_of(match.group()))
        if start == previous:
            gaps.append(1)
        elif previous < 0 or text[previous:start] == " " or not _LINE_OR_TAB.search(text, previous, start):
            gaps.append(2)
        else:
            gaps.append(3)
        previous = end
    return (
        np.array(starts, np.int32),
        np.array(ends, np.int32),
        np.array(cases, np.uint8),
        np.array(gaps, np.uint8),
    )


def case_of(word: str) -> int:
    """Return the case class of one word, see ``CASES``."""
    if word.islower():
        return 1
    if word.isupper():
        return 4 if len(word) == 1 else 3
    if word[0].isupper() and word[1:].islower():
        return 2
    if word.isdigit() or word.isnumeric():
        return 5
    return 6 if word.isalpha() else 7
