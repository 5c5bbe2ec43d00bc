"""Words with the marks that are glued to them, as one place each: what a model reads that need not look at every piece.

Clinical text has two word pieces for each word between blanks, special tokens included: names and drugs fall into several, and every dot, colon
and slash is one. A unit is a word, or a number with the point or colon inside it, together with the marks glued to either side. Its pieces
are added up before the first layer. Commas, semicolons and brackets stay units of their own: they part one person from the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deid_tasks.engine.text.word_pieces import WordPieces

SLOTS = 6
"""Word pieces that a unit has room for: its first three, its last, the mark before it and the first mark behind it."""
_LAST, _BEFORE, _BEHIND = 3, 4, 5
_APART = np.array(sorted(map(ord, ",;()[]{}<>|")), np.uint32)
_IN_NUMBERS = np.array(sorted(map(ord, ".,:")), np.uint32)
"""Between digits they make one number, ``3.5`` and ``10:30``. Dashes and slashes do not: ``7-20`` is a date, a range or half of a telephone number."""
_GLUED, _DIGITS, _MARK = 1, 5, 7


@dataclass(frozen=True, slots=True)
class WordGroups:
    """One text. ``U`` units, ``W`` words."""

    ids: NDArray[np.int64] = field(repr=False)
    """``[U, SLOTS]``; an empty slot holds the id of the padding."""
    words: NDArray[np.int32] = field(repr=False)
    """``[U]``: the word that a unit stands for; its case and gap are the unit's."""
    of_words: NDArray[np.int32] = field(repr=False)
    """``[W]``: the unit of each word; never falling."""
    is_attached: NDArray[np.bool_] = field(repr=False)
    """``[W]``: whether the word is a mark before or behind another word, of which the model says nothing."""


def group_words(texts: Sequence[str], pieces: Sequence[WordPieces], padding: int) -> list[WordGroups]:
    """The units of each text, from its pieces; all texts are worked on at once."""
    counts = np.array([len(one.starts) for one in pieces], np.int64)
    total = int(counts.sum())
    if not total:
        return [_EMPTY] * len(texts)
    cases = np.concatenate([one.cases for one in pieces])
    glued = np.concatenate([one.gaps for one in pieces]) == _GLUED
    characters = np.concatenate(
        [
            np.frombuffer(text.encode("utf-32-le"), np.uint32)[one.starts]
            for text, one in zip(texts, pieces, strict=True)
        ]
    )
    opens, attached, core = _opens(cases, glued, characters)
    unit = np.cumsum(opens, dtype=np.int32) - 1
    first_words = np.cumsum(counts) - counts
    word = np.concatenate([one.words + first for one, first in zip(pieces, first_words, strict=True)]).astype(np.int64)
    ids = _filled(np.concatenate([one.ids for one in pieces]), word, unit, core, padding)
    # A mark before a word opens its unit; the word speaks for it.
    speaks = np.flatnonzero(opens)
    speaks = speaks + (core[speaks] == _BEFORE)
    bounds = np.concatenate([unit[np.minimum(first_words, total - 1)], [int(unit[-1]) + 1]])
    found = []
    for number, (first, count) in enumerate(zip(first_words.tolist(), counts.tolist(), strict=True)):
        if not count:
            found.append(_EMPTY)
            continue
        low, high = int(bounds[number]), int(unit[first + count - 1]) + 1
        found.append(
            WordGroups(
                ids[low:high],
                (speaks[low:high] - first).astype(np.int32),
                unit[first : first + count] - low,
                attached[first : first + count],
            )
        )
    return found


def broadcast_to_words(values: NDArray[np.float32], units: WordGroups) -> NDArray[np.float32]:
    """``[W, …]`` from ``[U, …]``: each word has its unit's; a mark between two units has the lower one of theirs, one at an end of the text 0."""
    found: NDArray[np.float32] = values[units.of_words]
    marks = np.flatnonzero(units.is_attached)
    if len(marks):
        behind = units.words[units.of_words[marks]] < marks
        left = units.of_words[marks] - ~behind
        right = left + 1
        is_inner = (left >= 0) & (right < len(values))
        lower = np.minimum(values[left], values[np.minimum(right, len(values) - 1)])
        found[marks] = np.where(is_inner.reshape(-1, *[1] * (values.ndim - 1)), lower, 0)
    return found


def _opens(
    cases: NDArray[np.uint8], glued: NDArray[np.bool_], characters: NDArray[np.uint32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int8]]:
    """Of each word: whether a unit opens at it, whether it is an attached mark, and its role: 0 the unit's own, else its slot."""
    is_mark, is_digits = cases == _MARK, cases == _DIGITS
    nothing = np.zeros(1, bool)
    glued_after = np.append(glued[1:], nothing)
    mark_after, digits_after = np.append(is_mark[1:], nothing), np.append(is_digits[1:], nothing)
    digits_before = np.append(nothing, is_digits[:-1])
    inside = np.isin(characters, _IN_NUMBERS) & glued & glued_after & digits_before & digits_after
    joins = is_mark & ~np.isin(characters, _APART)
    before = joins & ~glued & glued_after & ~mark_after
    behind = joins & glued & ~inside
    goes_on = np.append(nothing, inside[:-1])
    after_before = np.append(nothing, before[:-1])
    opens = ~(inside | behind | goes_on | after_before)
    role = np.zeros(len(cases), np.int8)
    role[before], role[behind] = _BEFORE, _BEHIND
    return opens, before | behind, role


def _filled(
    pieces: NDArray[np.int64],
    word: NDArray[np.int64],
    unit: NDArray[np.int32],
    role: NDArray[np.int8],
    padding: int,
) -> NDArray[np.int64]:
    ids = np.full((int(unit[-1]) + 1, SLOTS), padding, np.int64)
    of_piece, slot = unit[word].astype(np.int64), role[word].astype(np.int64)
    own = np.flatnonzero(slot == 0)
    units = of_piece[own]
    if len(own):
        begins = np.append(True, units[1:] != units[:-1])
        starts = np.flatnonzero(begins)
        place = np.arange(len(own)) - np.repeat(starts, np.diff(np.append(starts, len(own))))
        slot[own] = np.minimum(place, _LAST)
    # Of several pieces for one slot the last one written stays: of a word's the last, of marks behind it the first.
    backwards = np.flatnonzero(slot == _BEHIND)[::-1]
    rest = np.flatnonzero(slot != _BEHIND)
    ids[of_piece[rest], slot[rest]] = pieces[rest]
    ids[of_piece[backwards], _BEHIND] = pieces[backwards]
    return ids


_EMPTY = WordGroups(np.empty((0, SLOTS), np.int64), np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, bool))
