"""From beliefs about words to spans: which words belong together, and where a span begins and ends.

A word is an identifier where the chances of all entities together pass the threshold; which one, the sums decide: first
the group of entities that read alike (the people, the organizations, the numbers; any other entity stands alone), then,
over the whole span, the entity.
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
_DOUBT = 0.2
"""A word glued to a number belongs to it when it has at least this chance of being an identifier."""


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
"""The columns of ``WordProbabilities.entities``, group by group; each group begins at its place in ``_GROUP_STARTS``."""
_GROUP_STARTS = np.cumsum([0, *map(len, _MEMBERS[:-1])])


@dataclass(frozen=True, slots=True)
class _Run:
    """A span by its words: first, last (exclusive)."""

    first: int
    last: int
    entity: Entity
    score: float = field(default=1.0)


def decode(text: str, words: WordProbabilities, threshold: float) -> list[TextSpan]:
    """The spans of ``text``, in order and disjoint; ``score`` is the mean chance of a span's words of being an identifier."""
    chance = words.chance
    is_found = chance > threshold
    if not is_found.any():
        return []
    groups = np.add.reduceat(words.entities[:, _BY_GROUP], _GROUP_STARTS, axis=1)
    chosen = np.where(is_found, groups.argmax(axis=1), -1)
    _bridge(chosen, words.pieces)
    starts, ends = words.pieces.starts, words.pieces.ends
    return [
        TextSpan(int(starts[run.first]), int(ends[run.last - 1]), run.entity, run.score)
        for run in _runs(text, words, chosen, words.begins & is_found, chance, threshold)
    ]


def _bridge(chosen: NDArray[np.int64], pieces: WordPieces) -> None:
    """A mark of punctuation glued between two words of one group is of that group too."""
    if len(chosen) < 3:
        return
    is_bridge = (
        (chosen[1:-1] < 0)
        & (chosen[:-2] >= 0)
        & (chosen[:-2] == chosen[2:])
        & (pieces.cases[1:-1] == _PUNCTUATION)
        & (pieces.gaps[1:-1] == _GLUED)
        & (pieces.gaps[2:] == _GLUED)
    )
    chosen[1:-1][is_bridge] = chosen[2:][is_bridge]


def _runs(
    text: str,
    words: WordProbabilities,
    chosen: NDArray[np.int64],
    begins: NDArray[np.bool_],
    chance: NDArray[np.float32],
    threshold: float,
) -> list[_Run]:
    found: list[_Run] = []
    pieces = words.pieces
    last_end = 0
    for word in map(int, np.flatnonzero(chosen >= 0)):
        if word < last_end:
            continue
        first, last, group = word, word + 1, int(chosen[word])
        while last < len(chosen) and chosen[last] == group and not begins[last]:
            last += 1
        members = _MEMBERS[group]
        sums = words.entities[first:last, members].sum(axis=0)
        entity = ENTITIES[members[int(sums.argmax())]]
        a, b = _trimmed(text, pieces, first, last)
        if _GROUPS[group] == "number" or entity is Entity.USERNAME:
            a, b = _grown(pieces, chosen, chance, a, b)
            chosen[a:b] = group
        last_end = max(last, b)
        if a < b:
            score = round(float(np.maximum(chance[a:b], threshold).mean()), 4)
            found.append(_Run(a, b, entity, min(1.0, score)))
    return found


def _trimmed(text: str, pieces: WordPieces, first: int, last: int) -> tuple[int, int]:
    """Without punctuation at either end, but for a bracket whose pair is inside."""
    while first < last and pieces.cases[last - 1] == _PUNCTUATION:
        last -= 1
    while first < last and pieces.cases[first] == _PUNCTUATION:
        closing = _BRACKETS.get(text[pieces.starts[first]])
        if closing and closing in text[pieces.starts[first] : pieces.ends[last - 1]]:
            break
        first += 1
    return first, last


def _grown(
    pieces: WordPieces, chosen: NDArray[np.int64], chance: NDArray[np.float32], first: int, last: int
) -> tuple[int, int]:
    """With the letters and digits glued to a number that are half believed to be of it."""
    if first >= last:
        return first, last

    def joins(word: int) -> bool:
        return bool(chosen[word] < 0 and pieces.cases[word] != _PUNCTUATION and chance[word] >= _DOUBT)

    while first > 0 and pieces.gaps[first] == _GLUED and joins(first - 1):
        first -= 1
    while last < len(chosen) and pieces.gaps[last] == _GLUED and joins(last):
        last += 1
    return first, last
