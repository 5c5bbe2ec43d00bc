"""From what a model says of pieces to what it says of words: chances of each entity, word by word."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.token_model import Label
from deid_tasks.engine.text.word_pieces import WordPieces

ENTITIES: tuple[Entity, ...] = tuple(sorted(Entity))
"""The columns of ``WordProbabilities.entities``."""
COLUMN = {entity: column for column, entity in enumerate(ENTITIES)}


@dataclass(frozen=True, slots=True)
class WordProbabilities:
    """What is believed of the words of one text. ``W`` words."""

    pieces: WordPieces
    entities: NDArray[np.float32] = field(repr=False)
    """``[W, ENTITIES]``: the chance that the word is of each entity."""
    begins: NDArray[np.bool_] = field(repr=False)
    """``[W]``: whether a span is believed to begin at the word."""

    @property
    def chance(self) -> NDArray[np.float32]:
        """``[W]``: of being an identifier."""
        return self.entities.sum(axis=1)  # type: ignore[no-any-return]


class LabelProbabilities:
    """Turns the logits of one model's labels into chances of entities, with the biases of its settings.

    ``entities`` are those that the model may report; what it says of others counts for nothing.
    """

    def __init__(
        self,
        labels: Sequence[Label],
        entities: frozenset[Entity],
        outside_bias: float = 0.0,
        entity_bias: dict[Entity, float] | None = None,
    ) -> None:
        biases = entity_bias or {}
        self._bias = np.array(
            [outside_bias if one.is_outside else biases.get(one.entity, 0.0) if one.entity else 0.0 for one in labels],
            np.float32,
        )
        # Several labels may stand for one entity; each round adds one label of each. Sums of columns, and no matrix product: that
        # one's last bits depend on how many rows there are.
        self._rounds: list[tuple[list[int], list[int]]] = []
        for index, label in enumerate(labels):
            if label.entity is None or label.entity not in entities:
                continue
            column = COLUMN[label.entity]
            free = next((one for one in self._rounds if column not in one[0]), None)
            if free is None:
                free = ([], [])
                self._rounds.append(free)
            free[0].append(column)
            free[1].append(index)
        self._begin = [i for i, one in enumerate(labels) if one.is_begin and one.entity in entities]

    def biased(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """``[P, labels]``: logits with the biases of the settings."""
        # Rounded: what differs in the last bits between machines must decide nothing.
        biased: NDArray[np.float32] = (np.round(logits, 3) + self._bias).astype(np.float32)
        return biased

    def of_pieces(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """``[P, labels]``: the chance of each label."""
        biased = self.biased(logits)
        powers = np.exp(biased - biased.max(axis=1, keepdims=True))
        return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32, copy=False)  # type: ignore[no-any-return]

    def of_entities(self, labels: NDArray[np.float32]) -> NDArray[np.float32]:
        """``[N, ENTITIES]`` from ``[N, labels]``."""
        found = np.zeros((len(labels), len(ENTITIES)), np.float32)
        for columns, sources in self._rounds:
            found[:, columns] += labels[:, sources]
        return found

    def begins(self, labels: NDArray[np.float32], entities: NDArray[np.float32]) -> NDArray[np.bool_]:
        """``[N]``: whether *begin* is likelier than *inside*."""
        if not self._begin:
            return np.zeros(len(labels), bool)
        begin = labels[:, self._begin].sum(axis=1)
        return begin > entities.sum(axis=1) - begin  # type: ignore[no-any-return]


def first_pieces(words: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where the pieces of each word begin."""
    begins = np.ones(len(words), bool)
    np.not_equal(words[1:], words[:-1], out=begins[1:])
    return np.flatnonzero(begins)


def mean_of_pieces(values: NDArray[np.float32], words: NDArray[np.int32]) -> NDArray[np.float32]:
    """``[W', …]``: the mean over the pieces of each word."""
    first = first_pieces(words)
    if len(first) == len(words):
        return values
    sums = np.add.reduceat(values, first, axis=0)
    counts = np.empty(len(first), np.float32)
    np.subtract(first[1:], first[:-1], out=counts[:-1], casting="unsafe")
    counts[-1] = len(words) - first[-1]
    means: NDArray[np.float32] = (sums / counts[:, None]).astype(np.float32, copy=False)
    return means


def join(first: WordProbabilities, second: WordProbabilities, how: str, place: int = 0) -> WordProbabilities:
    """Two models' beliefs about one text: their ``mean``, ``either`` (the surer one, word by word), or the ``second``'s alone.

    ``second`` may have read a part alone, whose first word is the text's word ``place``; of the other words ``first`` has the say.
    """
    part = slice(place, place + len(second.begins))
    entities, begins = first.entities.copy(), first.begins.copy()
    if how == "mean":
        entities[part] = (first.entities[part] + second.entities) / 2
        begins[part] |= second.begins
    else:
        is_second = np.ones(len(second.begins), bool) if how == "second" else second.chance > first.chance[part]
        entities[part][is_second] = second.entities[is_second]
        begins[part][is_second] = second.begins[is_second]
    return replace(first, entities=entities, begins=begins)
