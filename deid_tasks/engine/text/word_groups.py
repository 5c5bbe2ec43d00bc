"""Word groups: words together with the marks that are glued to them, each read by a model as one token.

Clinical text has about two word pieces for each word between blanks, special tokens included: names and drugs are cut
into several pieces, and every dot, colon and slash is one. A word group is a word, or a number with the point or colon
inside it, together with the marks glued to either side. The embeddings of its pieces are added up before the first
layer, so that the model reads fewer tokens. Commas, semicolons and brackets are groups of their own, since they
separate one person from the next.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deid_tasks.engine.text.ranges import Indices, bounds_of
from deid_tasks.engine.text.shapes import DIGITS, GLUED, MARK, ShapedWords
from deid_tasks.engine.text.word_pieces import WordPieces

SLOTS = 6
"""Word pieces that a group has room for: its word's first three and its last, one mark before it, one mark after it."""
_LAST, _BEFORE, _AFTER = 3, 4, 5
_SEPARATORS = np.array(sorted(map(ord, ",;()[]{}<>|")), np.uint32)
"""Marks that are always groups of their own."""
_IN_NUMBERS = np.array(sorted(map(ord, ".,:")), np.uint32)
"""Marks that join digits to one number: ``3.5``, ``10:30``. A dash or slash does not: ``7-20`` may be a date, a range
or a phone number."""


@dataclass(frozen=True, slots=True)
class WordGroups:
    """The word groups of texts, one text after the other. ``G`` groups, ``W`` words, ``T`` texts."""

    ids: NDArray[np.int64] = field(repr=False)
    """``[G, SLOTS]``: ids of the word pieces; an empty slot holds the id of the padding."""
    main_words: Indices = field(repr=False)
    """``[G]``: index of each group's main word, whose case and gap are the group's."""
    group_of_word: Indices = field(repr=False)
    """``[W]``: index of each word's group; not falling."""
    is_attached: NDArray[np.bool_] = field(repr=False)
    """``[W]``: whether the word is a mark before or after a group's main word; the model gives no probability of its
    own for it."""
    bounds: Indices = field(repr=False)
    """``[T + 1]``: index of each text's first group, and ``G``."""

    def one(self, text: int) -> "WordGroups":
        """Return the word groups of one text, given by its index."""
        groups = slice(self.bounds[text], self.bounds[text + 1])
        first, last = np.searchsorted(self.group_of_word, self.bounds[text : text + 2])
        return WordGroups(
            self.ids[groups],
            self.main_words[groups] - first,
            self.group_of_word[first:last] - self.bounds[text],
            self.is_attached[first:last],
            self.bounds[text : text + 2] - self.bounds[text],
        )


class _Roles(NamedTuple):
    """How each word belongs to a group; ``[W]`` each."""

    is_start: NDArray[np.bool_]
    """Whether a group starts at the word."""
    is_attached: NDArray[np.bool_]
    slot: NDArray[np.int8]
    """0 for the group's main word, else ``_BEFORE`` or ``_AFTER``."""


def group_words(pieces: WordPieces, padding: int) -> WordGroups:
    """Return the word groups of texts.

    Args:
        pieces: the word pieces of the texts.
        padding: id of the padding token, which fills empty slots.
    """
    roles = _roles(pieces.words)
    group = np.cumsum(roles.is_start) - 1
    # A text's first word starts a group, since it is not glued to any.
    bounds = bounds_of(roles.is_start)[pieces.words.bounds]
    ids = np.full((int(bounds[-1]), SLOTS), padding, np.int64)
    _fill_slots(ids, pieces.ids, group[pieces.word_of_piece], roles.slot[pieces.word_of_piece])
    # Where a mark before the word starts the group, the word behind it is the main one.
    main = np.flatnonzero(roles.is_start)
    main = main + (roles.slot[main] == _BEFORE)
    return WordGroups(ids, main, group, roles.is_attached, bounds)


def broadcast_to_words(values: NDArray[np.float32], groups: WordGroups) -> NDArray[np.float32]:
    """Return the values of each word's group.

    An attached mark between two groups has the lower one of their values; one at an end of a text has 0.

    Args:
        values: ``[G, …]``
        groups: the groups of the texts.

    Returns:
        ``[W, …]``
    """
    found: NDArray[np.float32] = values[groups.group_of_word]
    marks = np.flatnonzero(groups.is_attached)
    if len(marks):
        text_of_group = np.repeat(np.arange(len(groups.bounds) - 1), np.diff(groups.bounds))
        is_after = groups.main_words[groups.group_of_word[marks]] < marks
        left = groups.group_of_word[marks] - ~is_after
        right = np.minimum(left + 1, len(values) - 1)
        is_inner = (left >= 0) & (right > left) & (text_of_group[left] == text_of_group[right])
        lower = np.minimum(values[left], values[right])
        found[marks] = np.where(is_inner.reshape(-1, *[1] * (values.ndim - 1)), lower, 0)
    return found


def _roles(words: ShapedWords) -> _Roles:
    cases, is_glued, characters = words.cases, words.gaps == GLUED, words.characters
    is_mark, is_digits = cases == MARK, cases == DIGITS
    nothing = np.zeros(1, bool)
    next_is_glued = np.append(is_glued[1:], nothing)
    next_is_mark, next_is_digits = np.append(is_mark[1:], nothing), np.append(is_digits[1:], nothing)
    previous_is_digits = np.append(nothing, is_digits[:-1])
    is_in_number = np.isin(characters, _IN_NUMBERS) & is_glued & next_is_glued & previous_is_digits & next_is_digits
    can_attach = is_mark & ~np.isin(characters, _SEPARATORS)
    is_before = can_attach & ~is_glued & next_is_glued & ~next_is_mark
    is_after = can_attach & is_glued & ~is_in_number
    follows_number_mark = np.append(nothing, is_in_number[:-1])
    follows_mark_before = np.append(nothing, is_before[:-1])
    slot = np.zeros(len(cases), np.int8)
    slot[is_before], slot[is_after] = _BEFORE, _AFTER
    is_start = ~(is_in_number | is_after | follows_number_mark | follows_mark_before)
    return _Roles(is_start, is_before | is_after, slot)


def _fill_slots(ids: NDArray[np.int64], pieces: NDArray[np.int64], group: Indices, role: NDArray[np.int8]) -> None:
    """Write the id of each word piece (``[P]``) into ``ids`` (``[G, SLOTS]``), by its group and its word's role."""
    slot = role.astype(np.int64)
    own = np.flatnonzero(slot == 0)
    groups = group[own]
    if len(own):
        starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
        position = np.arange(len(own)) - np.repeat(starts, np.diff(np.append(starts, len(own))))
        slot[own] = np.minimum(position, _LAST)
    # The last piece written to a slot stays: the last one of a word, and the first one of the marks after it.
    backwards = np.flatnonzero(slot == _AFTER)[::-1]
    rest = np.flatnonzero(slot != _AFTER)
    ids[group[rest], slot[rest]] = pieces[rest]
    ids[group[backwards], _AFTER] = pieces[backwards]
