"""The words of texts as neural models read them, with the class of their case and of the gap before them.

All texts are computed together. Each character has a class, a few bits, which says where a word ends and, or-ed over
the characters of a word, what the word's case is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from deid_tasks.engine.text.ranges import Indices, bounds_of, joined_ranges

CASES = 8
"""Case classes: 0 not a word, 1 lower, 2 Title, 3 UPPER, 4 a single capital, 5 digits, 6 mixedCase, 7 punctuation and
the rest."""
GAPS = 4
"""Gap classes: 0 not a word, 1 glued to the word before, 2 after spaces or at the text's start, 3 after a line break or
a tab."""
DIGITS, MARK = 5, 7
"""The case classes of digits, and of punctuation and the rest."""
GLUED = 1
"""The gap class of a word glued to the one before."""

_LETTER, _DIGIT, _VISIBLE = 1, 2, 4
"""What a character is part of: a run of letters, a run of digits, a word of its own; none of the three is white
space."""
_KIND = _LETTER | _DIGIT | _VISIBLE
_LOWER, _UPPER, _TITLE, _NOT_NUMERIC, _NOT_ALPHABETIC, _LINE = 8, 16, 32, 64, 128, 256


@dataclass(frozen=True, slots=True)
class ShapedWords:
    """The words of texts, one text after the other. ``W`` words, ``T`` texts."""

    starts: NDArray[np.int32] = field(repr=False)
    """``[W]``: start of each word in its text, in code points."""
    ends: NDArray[np.int32] = field(repr=False)
    """``[W]``: end of each word in its text, in code points, exclusive."""
    cases: NDArray[np.uint8] = field(repr=False)
    """``[W]``: case class, see ``CASES``."""
    gaps: NDArray[np.uint8] = field(repr=False)
    """``[W]``: gap class, see ``GAPS``."""
    characters: NDArray[np.uint32] = field(repr=False)
    """``[W]``: code point of each word's first character."""
    bounds: Indices = field(repr=False)
    """``[T + 1]``: index of each text's first word, and ``W``."""

    @property
    def text_of_word(self) -> Indices:
        """``[W]``: index of the text that each word belongs to."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    def take(self, texts: Indices) -> "ShapedWords":
        """Return the words of some texts, given by their indices."""
        words = self.words_of(texts)
        return ShapedWords(
            self.starts[words],
            self.ends[words],
            self.cases[words],
            self.gaps[words],
            self.characters[words],
            bounds_of(np.diff(self.bounds)[texts]),
        )

    @staticmethod
    def joined(parts: "Sequence[ShapedWords]") -> "ShapedWords":
        """Return the words of the texts of all parts."""
        return ShapedWords(
            np.concatenate([part.starts for part in parts]),
            np.concatenate([part.ends for part in parts]),
            np.concatenate([part.cases for part in parts]),
            np.concatenate([part.gaps for part in parts]),
            np.concatenate([part.characters for part in parts]),
            bounds_of(np.concatenate([np.diff(part.bounds) for part in parts])),
        )

    def words_of(self, texts: Indices) -> Indices:
        """Return the indices of the words of some texts."""
        return joined_ranges(self.bounds[texts], self.bounds[texts + 1])


def shape_words(texts: Sequence[str]) -> ShapedWords:
    """Return the words of ``texts``.

    A word is a run of letters, a run of digits, or one other visible character. ``61Sex`` is two words, so that a model
    can tell a value from the field name glued to it.
    """
    characters = np.frombuffer("\n".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    classes = _classes(characters)
    kinds = classes & _KIND
    is_edge = (kinds[1:] != kinds[:-1]) | (kinds[1:] == _VISIBLE)
    border = np.ones(min(1, len(kinds)), bool)
    starts = np.flatnonzero((kinds > 0) & np.concatenate([border, is_edge]))
    ends = np.flatnonzero((kinds > 0) & np.concatenate([is_edge, border])) + 1
    text_starts = bounds_of([len(text) + 1 for text in texts])
    bounds = np.searchsorted(starts, text_starts)
    first = bounds[:-1][bounds[:-1] < bounds[1:]]
    offsets = np.repeat(text_starts[:-1], np.diff(bounds))
    # From the start of each word to the start of the next one: white space adds nothing but ``_LINE``.
    inner = classes.copy()
    inner[starts] = 0
    inner = np.bitwise_or.reduceat(inner, starts) if len(starts) else inner[:0]
    initial = classes[starts]
    gaps = np.full(len(starts), 2, np.uint8)
    gaps[1:][(inner[:-1] & _LINE) > 0] = 3
    gaps[1:][starts[1:] == ends[:-1]] = GLUED
    gaps[first] = 2
    return ShapedWords(
        (starts - offsets).astype(np.int32),
        (ends - offsets).astype(np.int32),
        _cases(initial, inner, ends - starts == 1),
        gaps,
        characters[starts],
        bounds,
    )


def _cases(initial: NDArray[np.uint16], inner: NDArray[np.uint16], is_single: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return the case class of each word.

    Args:
        initial: class of each word's first character, ``[W]``.
        inner: classes of its other characters, or-ed, ``[W]``.
        is_single: whether it has one character, ``[W]``.
    """
    case, inner_case = (initial | inner) & (_LOWER | _UPPER | _TITLE), inner & (_LOWER | _UPPER | _TITLE)
    found: NDArray[np.uint8] = np.select(
        [
            case == _LOWER,
            (case == _UPPER) & is_single,
            case == _UPPER,
            ((initial & _UPPER) > 0) & (inner_case == _LOWER),
            ((initial | inner) & _NOT_NUMERIC) == 0,
            ((initial | inner) & _NOT_ALPHABETIC) == 0,
        ],
        [np.uint8(1), np.uint8(4), np.uint8(3), np.uint8(2), np.uint8(DIGITS), np.uint8(6)],
        np.uint8(MARK),
    )
    return found


def _classes(characters: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """Return the class of each character; that of each distinct one is computed once."""
    counts = np.bincount(characters)
    classes = np.zeros(len(counts), np.uint16)
    distinct = np.flatnonzero(counts)
    classes[distinct] = [_class_of(code) for code in distinct.tolist()]
    return classes[characters]


@cache
def _class_of(code: int) -> int:
    character = chr(code)
    if character.isspace():
        return _LINE if character in "\n\r\t" else 0
    kind = _VISIBLE if not character.isalnum() else _DIGIT if character.isdecimal() else _LETTER
    is_title = character.istitle() and not character.isupper()
    return (
        kind
        | _LOWER * character.islower()
        | _UPPER * character.isupper()
        | _TITLE * is_title
        | _NOT_NUMERIC * (not character.isnumeric())
        | _NOT_ALPHABETIC * (not character.isalpha())
    )
