"""From a model's logits to the probability that each word is of each entity."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.labels import Label
from deid_tasks.engine.text.ranges import Indices
from deid_tasks.engine.text.shapes import ShapedWords

ENTITIES: tuple[Entity, ...] = tuple(sorted(Entity))
"""The columns of ``WordProbabilities.entities``."""
COLUMN = {entity: column for column, entity in enumerate(ENTITIES)}


@dataclass(frozen=True, slots=True)
class WordProbabilities:
    """What a model says of the words of texts, one text after the other. ``W`` words, ``T`` texts.

    Texts in which no word may be an identifier are left out.
    """

    texts: Indices = field(repr=False)
    """``[T]``: index of each text among those that were read, rising."""
    words: ShapedWords
    entities: NDArray[np.float32] = field(repr=False)
    """``[W, ENTITIES]``: probability that the word is of each entity."""
    begins: NDArray[np.bool_] = field(repr=False)
    """``[W]``: whether a span, if there is one, begins at the word."""

    @property
    def identifier(self) -> NDArray[np.float32]:
        """``[W]``: probability that the word is an identifier of any entity."""
        return self.entities.sum(axis=1)  # type: ignore[no-any-return]

    def take(self, chosen: Indices) -> "WordProbabilities":
        """Return what it says of some texts, given by their positions in ``texts``."""
        if len(chosen) == len(self.texts):
            return self
        words = self.words.words_of(chosen)
        return WordProbabilities(self.texts[chosen], self.words.take(chosen), self.entities[words], self.begins[words])

    @staticmethod
    def joined(parts: "Sequence[WordProbabilities]") -> "WordProbabilities":
        """Return what several say of different texts, in their order."""
        if len(parts) == 1:
            return parts[0]
        return WordProbabilities(
            np.concatenate([part.texts for part in parts]),
            ShapedWords.joined([part.words for part in parts]),
            np.concatenate([part.entities for part in parts]),
            np.concatenate([part.begins for part in parts]),
        )


class LabelProbabilities:
    """Turns the logits of one model's labels into probabilities of labels and of entities."""

    def __init__(
        self,
        labels: Sequence[Label],
        entities: frozenset[Entity],
        outside_bias: float = 0.0,
        entity_bias: dict[Entity, float] | None = None,
    ) -> None:
        """Prepare the biases and columns.

        Args:
            labels: the model's labels.
            entities: what the model may report; labels of other entities are ignored.
            outside_bias: added to the logit of *outside*.
            entity_bias: added to the logits of an entity's labels.
        """
        biases = entity_bias or {}
        self._bias = np.array(
            [outside_bias if one.is_outside else biases.get(one.entity, 0.0) if one.entity else 0.0 for one in labels],
            np.float32,
        )
        # Several labels may stand for one entity; each round adds one label of each. Columns are added one by one,
        # since the last bits of a matrix product depend on how many rows it has.
        sources: list[list[int]] = [[] for _ in ENTITIES]
        for index, label in enumerate(labels):
            if label.entity is not None and label.entity in entities:
                sources[COLUMN[label.entity]].append(index)
        self._rounds: list[tuple[Indices, Indices]] = []
        """For each round, the label of each entity, and the entities that have none, whose label is any."""
        for number in range(max(map(len, sources))):
            has_label = np.array([number < len(one) for one in sources])
            chosen = np.array([one[number] if number < len(one) else 0 for one in sources])
            self._rounds.append((chosen, np.flatnonzero(~has_label)))
        self._begin = [i for i, one in enumerate(labels) if one.is_begin and one.entity in entities]

    def biased_logits(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return ``[N, labels]`` logits, rounded, with the biases of the settings added."""
        # Rounded, so that the last bits, which differ between processors, decide nothing.
        biased: NDArray[np.float32] = (np.round(logits, 3) + self._bias).astype(np.float32)
        return biased

    def of_labels(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the softmax over ``[N, labels]`` logits, after the biases."""
        biased = self.biased_logits(logits)
        powers = np.exp(biased - biased.max(axis=1, keepdims=True))
        return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32, copy=False)  # type: ignore[no-any-return]

    def of_entities(self, labels: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return ``[N, ENTITIES]`` from label probabilities ``[N, labels]``."""
        found = np.zeros((len(labels), len(ENTITIES)), np.float32)
        for number, (chosen, without) in enumerate(self._rounds):
            added = labels.take(chosen, axis=1)
            added[:, without] = 0
            found = added if number == 0 else found + added
        return found

    def begins(self, labels: NDArray[np.float32], entities: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return, for each row, whether *begin* is more probable than *inside*.

        Args:
            labels: label probabilities, ``[N, labels]``.
            entities: entity probabilities of the same rows, ``[N, ENTITIES]``.

        Returns:
            ``[N]``
        """
        if not self._begin:
            return np.zeros(len(labels), bool)
        # Column by column, as the entities.
        begin = labels[:, self._begin[0]].copy()
        for column in self._begin[1:]:
            begin += labels[:, column]
        return begin > entities.sum(axis=1) - begin  # type: ignore[no-any-return]


def mean_of_pieces(values: NDArray[np.float32], first: Indices) -> NDArray[np.float32]:
    """Return the mean of ``values`` over the pieces of each word.

    Args:
        values: ``[P, …]``
        first: index of each word's first piece, ``[W]``; the first one is 0.

    Returns:
        ``[W, …]``
    """
    if len(first) == len(values):
        return values
    sums = np.add.reduceat(values, first, axis=0)
    counts = np.diff(first, append=len(values)).astype(np.float32)
    means: NDArray[np.float32] = (sums / counts[:, None]).astype(np.float32, copy=False)
    return means
