"""From word probabilities to spans: which words belong together, and where a span begins and ends.

A word is an identifier where the probabilities of all entities together pass the threshold. Its group is the most
probable one: entities that are written alike (people, organizations, numbers) form one group, every other entity its
own. The entity is then chosen for the whole span, from the sums over its words.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.engine.detect.reader import TextSpan
from deid_tasks.engine.detect.word_probabilities import COLUMN, ENTITIES, WordProbabilities
from deid_tasks.engine.text.ranges import bounds_of
from deid_tasks.engine.text.shapes import GLUED, MARK, ShapedWords

_PEOPLE = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
_BRACKETS = {ord("("): ord(")"), ord("["): ord("]")}
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
"""The columns of ``WordProbabilities.entities``, group by group; ``_GROUP_BOUNDS`` holds the position of each group's
first, and the end."""
_GROUP_BOUNDS: list[int] = bounds_of([len(members) for members in _MEMBERS]).tolist()


def decode_spans(words: WordProbabilities, threshold: float) -> list[list[TextSpan]]:
    """Return the spans of each text of ``words``, sorted and disjoint.

    Args:
        words: a model's word probabilities.
        threshold: probability above which a word is an identifier.

    Returns:
        Spans whose ``score`` is the mean probability of their words of being an identifier.
    """
    found: list[list[TextSpan]] = [[] for _ in words.texts]
    probability = words.identifier
    is_found = probability > threshold
    if not is_found.any():
        return found
    groups = _groups_of_words(words, is_found)
    bounded = np.maximum(probability, threshold)
    starts, ends = words.words.starts, words.words.ends
    text, text_ends = 0, words.words.bounds[1:].tolist()
    for first, last, entity in _word_spans(words, groups, words.begins & is_found, probability):
        while first >= text_ends[text]:
            text += 1
        score = round(float(np.add.reduce(bounded[first:last]) / np.float32(last - first)), 4)
        found[text].append(TextSpan(int(starts[first]), int(ends[last - 1]), entity, min(1.0, score)))
    return found


def _groups_of_words(words: WordProbabilities, is_found: NDArray[np.bool_]) -> NDArray[np.int64]:
    """``[W]``: the most probable group of each word that is found, and -1 for the others.

    A punctuation mark that is glued between two words of one group has that group.
    """
    index = np.flatnonzero(is_found)
    sums = np.add.reduceat(words.entities[index][:, _BY_GROUP], _GROUP_BOUNDS[:-1], axis=1)
    groups = np.full(len(is_found), -1)
    groups[index] = sums.argmax(axis=1)
    is_mark, is_glued = words.words.cases == MARK, words.words.gaps == GLUED
    is_joined = (groups[1:-1] < 0) & (groups[:-2] >= 0) & (groups[:-2] == groups[2:])
    is_joined &= is_mark[1:-1] & is_glued[1:-1] & is_glued[2:]
    groups[1:-1][is_joined] = groups[2:][is_joined]
    return groups


def _word_spans(
    words: WordProbabilities, groups: NDArray[np.int64], begins: NDArray[np.bool_], probability: NDArray[np.float32]
) -> Iterator[tuple[int, int, Entity]]:
    """Yield the first word, the word after the last, and the entity of each span.

    Args:
        words: the words of the texts.
        groups: the group of each word, -1 for a word that is not found; ``[W]``.
        begins: whether a span begins at the word, ``[W]``.
        probability: probability of being an identifier, ``[W]``.
    """
    marked = np.flatnonzero(groups >= 0)
    by_group = words.entities[marked][:, _BY_GROUP]
    is_border = begins.copy()
    is_border[words.words.bounds[:-1][np.diff(words.words.bounds) > 0]] = True
    borders = [*is_border.tolist(), True]
    edges = _Edges.of(words.words, groups, probability)
    last_end = 0
    for position, word in enumerate(marked.tolist()):
        if word < last_end:
            continue
        first, last, group = word, word + 1, edges.groups[word]
        while not borders[last] and edges.groups[last] == group:
            last += 1
        entity = _entity(by_group[position : position + last - first], group)
        last_end = last
        first, last = edges.trimmed(first, last)
        if _GROUPS[group] == "number" or entity is Entity.USERNAME:
            first, last = edges.extended(first, last)
            edges.groups[first:last] = [group] * (last - first)
            last_end = max(last_end, last)
        if first < last:
            yield first, last, entity


def _entity(probabilities: NDArray[np.float32], group: int) -> Entity:
    """Return the most probable entity of a group over the words of a span, ``[words, ENTITIES]`` group by group."""
    members = _MEMBERS[group]
    if len(members) == 1:
        return ENTITIES[members[0]]
    sums = np.add.reduce(probabilities[:, _GROUP_BOUNDS[group] : _GROUP_BOUNDS[group + 1]], axis=0)
    return ENTITIES[members[int(sums.argmax())]]


@dataclass(frozen=True, slots=True)
class _Edges:
    """What decides where a span begins and ends; lists, since numpy takes longer for single elements. ``W`` words."""

    groups: list[int]
    """``[W]``: the group of each word, -1 for none."""
    is_mark: list[bool]
    """``[W]``: whether the word is a punctuation mark."""
    is_glued: list[bool]
    """``[W + 1]``: whether it is glued to the word before, which then belongs to the same text."""
    can_attach: list[bool]
    """``[W]``: whether it is part of a number that it is glued to."""
    characters: list[int]
    """``[W]``: its first character."""

    @classmethod
    def of(cls, words: ShapedWords, groups: NDArray[np.int64], probability: NDArray[np.float32]) -> "_Edges":
        is_mark = words.cases == MARK
        return cls(
            groups.tolist(),
            is_mark.tolist(),
            [*(words.gaps == GLUED).tolist(), False],
            (~is_mark & (probability >= _MIN_ATTACH_PROBABILITY)).tolist(),
            words.characters.tolist(),
        )

    def trimmed(self, first: int, last: int) -> tuple[int, int]:
        """Return the words without punctuation at either end; an opening bracket stays if its pair is inside."""
        while first < last and self.is_mark[last - 1]:
            last -= 1
        while first < last and self.is_mark[first]:
            closing = _BRACKETS.get(self.characters[first])
            if closing and closing in self.characters[first:last]:
                break
            first += 1
        return first, last

    def extended(self, first: int, last: int) -> tuple[int, int]:
        """Return the words of a number with the words glued to it that are probable enough."""
        if first >= last:
            return first, last
        while self.is_glued[first] and self.can_attach[first - 1] and self.groups[first - 1] < 0:
            first -= 1
        while self.is_glued[last] and self.can_attach[last] and self.groups[last] < 0:
            last += 1
        return first, last
