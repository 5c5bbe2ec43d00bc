"""From word probabilities to spans: which words belong together, and where a span begins and ends.

A word is an identifier where the probabilities of all entities together pass the threshold. Its group is the most
probable one: entities that are written alike (people, organizations, numbers) form one group, every other entity its
own. The entity is then chosen for the whole span, from the sums over its words.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.engine.detect.reader import TextSpan
from deid_tasks.engine.detect.word_probabilities import COLUMN, ENTITIES, WordProbabilities
from deid_tasks.engine.text.word_pieces import WordPieces

_PEOPLE = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
_PUNCTUATION = 7
_GLUED = 1
_BRACKETS = {"(": ")", "[": "]"}
_MIN_ATTACH_PROBABILITY = 0.2
"""A word glued to a number is part of it at this probability of being an identifier."""


def _group(entity: Entity) -> str:
    if entity in _PEOPLE:
        return "person"
    category = category_of(entity)
    if category is Category.ORGANIZATION:
        return "organization"
    if category is Category.ID or entity in {Entity.PHONE, Entity.FAX, Entity.PAGER}:
        return "number"
    return entity.value


_GROUPS: tuple[str, ...] = tuple(sorted({_group(entity) for entity in ENTITIES}))
_MEMBERS = [[COLUMN[entity] for entity in ENTITIES if _group(entity) == name] for name in _GROUPS]
_BY_GROUP = [column for members in _MEMBERS for column in members]
"""The columns of ``WordProbabilities.entities``, group by group; ``_GROUP_STARTS`` holds the position of each group's
first."""
_GROUP_STARTS = np.cumsum([0, *map(len, _MEMBERS[:-1])])


@dataclass(frozen=True, slots=True)
class _WordSpan:
    """A span by the indices of its words: first, last (exclusive)."""

    first: int
    last: int
    entity: Entity
    score: float = field(default=1.0)


def decode_spans(text: str, words: WordProbabilities, threshold: float) -> list[TextSpan]:
    """Return the spans of ``text``, sorted and disjoint.

    Args:
        text: the text that ``words`` belong to.
        words: a model's word probabilities.
        threshold: probability above which a word is an identifier.

    Returns:
        Spans whose ``score`` is the mean probability of their words of being an identifier.
    """
    probability = words.identifier
    is_found = probability > threshold
    if not is_found.any():
        return []
    sums = np.add.reduceat(words.entities[:, _BY_GROUP], _GROUP_STARTS, axis=1)
    groups = np.where(is_found, sums.argmax(axis=1), -1)
    _join_over_punctuation(groups, words.pieces)
    starts, ends = words.pieces.starts, words.pieces.ends
    return [
        TextSpan(int(starts[one.first]), int(ends[one.last - 1]), one.entity, one.score)
        for one in _word_spans(text, words, groups, words.begins & is_found, probability, threshold)
    ]


def _join_over_punctuation(groups: NDArray[np.int64], pieces: WordPieces) -> None:
    """Give a punctuation mark that is glued between two words of one group that group, in place."""
    if len(groups) < 3:
        return
    is_joined = (
        (groups[1:-1] < 0)
        & (groups[:-2] >= 0)
        & (groups[:-2] == groups[2:])
        & (pieces.cases[1:-1] == _PUNCTUATION)
        & (pieces.gaps[1:-1] == _GLUED)
        & (pieces.gaps[2:] == _GLUED)
    )
    groups[1:-1][is_joined] = groups[2:][is_joined]


def _word_spans(
    text: str,
    words: WordProbabilities,
    groups: NDArray[np.int64],
    begins: NDArray[np.bool_],
    probability: NDArray[np.float32],
    threshold: float,
) -> list[_WordSpan]:
    found: list[_WordSpan] = []
    pieces = words.pieces
    last_end = 0
    for word in map(int, np.flatnonzero(groups >= 0)):
        if word < last_end:
            continue
        first, last, group = word, word + 1, int(groups[word])
        while last < len(groups) and groups[last] == group and not begins[last]:
            last += 1
        members = _MEMBERS[group]
        sums = words.entities[first:last, members].sum(axis=0)
        entity = ENTITIES[members[int(sums.argmax())]]
        a, b = _trimmed(text, pieces, first, last)
        if _GROUPS[group] == "number" or entity is Entity.USERNAME:
            a, b = _extended(pieces, groups, probability, a, b)
            groups[a:b] = group
        last_end = max(last, b)
        if a < b:
            score = round(float(np.maximum(probability[a:b], threshold).mean()), 4)
            found.append(_WordSpan(a, b, entity, min(1.0, score)))
    return found


def _trimmed(text: str, pieces: WordPieces, first: int, last: int) -> tuple[int, int]:
    """Return the words without punctuation at either end; an opening bracket stays if its pair is inside."""
    while first < last and pieces.cases[last - 1] == _PUNCTUATION:
        last -= 1
    while first < last and pieces.cases[first] == _PUNCTUATION:
        closing = _BRACKETS.get(text[pieces.starts[first]])
        if closing and closing in text[pieces.starts[first] : pieces.ends[last - 1]]:
            break
        first += 1
    return first, last


def _extended(
    pieces: WordPieces, groups: NDArray[np.int64], probability: NDArray[np.float32], first: int, last: int
) -> tuple[int, int]:
    """Return the words of a number with the words glued to it that are probable enough."""
    if first >= last:
        return first, last

    def is_attached(word: int) -> bool:
        return bool(
            groups[word] < 0 and pieces.cases[word] != _PUNCTUATION and probability[word] >= _MIN_ATTACH_PROBABILITY
        )

    while first > 0 and pieces.gaps[first] == _GLUED and is_attached(first - 1):
        first -= 1
    while last < len(groups) and pieces.gaps[last] == _GLUED and is_attached(last):
        last += 1
    return first, last
