"""The neural detector: reads sentences, decides word by word, gives spans.

A sentence gets the same spans whatever batch, shard or order it comes in; see ``TokenModel`` for what that takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deid_tasks.detect.reader import Found
from deid_tasks.detect.sentences import SentenceDetector
from deid_tasks.detect.token_model import TokenModel, Window, find_model
from deid_tasks.entities import Category, Entity, category_of
from deid_tasks.settings.model import TransformerSettings
from deid_tasks.span import Span
from deid_tasks.text import Document
from deid_tasks.text.pieces import Pieces

_PEOPLE = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
_PUNCTUATION = 7
_GLUED = 1
_BRACKETS = {"(": ")", "[": "]"}
_DOUBT = 0.2
"""A word glued to a number belongs to it when the model gives it at least this chance of being an identifier."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A span of a sentence, by its words: first, last (exclusive)."""

    first: int
    last: int
    entity: Entity
    score: float = field(default=1.0)


class TransformerDetector:
    """One token-classification model as a detector.

    ``settings.outside_bias`` is added to the logit of *outside*. A word is an identifier where the labels of all
    entities together are more probable than *outside*; which one, the sums decide: first the group of entities that
    read alike (the people, the organizations, the numbers; any other entity stands alone), then, over the whole span,
    the entity. ``score`` is the mean probability of the span's words of being an identifier.

    Raises:
        ModelError: the model is missing, damaged, pickled or has labels nobody knows.
    """

    name = "transformer"

    def __init__(self, settings: TransformerSettings) -> None:
        self._model = TokenModel(find_model(settings.model), settings.threads, settings.batch_pieces)
        self.sha256: str = self._model.sha256
        """One hash of the model's files: a part of the fingerprint."""
        self._bias = np.zeros(len(self._model.labels), np.float32)
        self._bias[[label.is_outside for label in self._model.labels]] = settings.outside_bias
        self._entities: list[Entity] = sorted({label.entity for label in self._model.labels if label.entity})
        self._groups = [_group(entity) for entity in self._entities]
        self._group_names = sorted(set(self._groups))
        # From labels to entities, and from entities to groups: sums as matrix products.
        self._to_entity = np.array(
            [[label.entity is entity for entity in self._entities] for label in self._model.labels], np.float32
        )
        self._to_group = np.array([[g == name for name in self._group_names] for g in self._groups], np.float32)
        self._is_begin = np.array([label.is_begin and label.entity is not None for label in self._model.labels])

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of each document, in order and disjoint; words are never cut."""
        return SentenceDetector(self).detect(documents)

    def read(self, texts: Sequence[str]) -> list[list[Found]]:
        """What stands in each text, in order; the answer for one depends on that text alone."""
        pieces = self._model.encoder.encode(texts)
        windows: list[Window] = []
        places: list[list[tuple[int, int]]] = []
        for one in pieces:
            cuts = self._cuts(len(one.ids))
            places.append(cuts)
            windows += (self._window(one, a, b) for a, b in cuts)
        outputs = iter(self._model.logits(windows))
        results = []
        for text, one, cuts in zip(texts, pieces, places, strict=True):
            parts = [(one.words[a:b], self._probabilities(next(outputs))) for a, b in cuts]
            results.append(self._spans(text, one, parts))
        return results

    def _cuts(self, count: int) -> list[tuple[int, int]]:
        """Where the windows over ``count`` pieces begin and end."""
        room = self._model.window - len(self._model.encoder.prefix) - len(self._model.encoder.suffix)
        if count == 0:
            return []
        starts = [0, *range(self._model.stride, count - room + self._model.stride, self._model.stride)]
        return [(start, min(start + room, count)) for start in starts]

    def _window(self, pieces: Pieces, a: int, b: int) -> Window:
        encoder, words = self._model.encoder, pieces.words[a:b]
        edge = (len(encoder.prefix), len(encoder.suffix))
        return Window(
            np.concatenate([np.array(encoder.prefix, np.int64), pieces.ids[a:b], np.array(encoder.suffix, np.int64)]),
            np.pad(pieces.cases[words].astype(np.int64), edge),
            np.pad(pieces.gaps[words].astype(np.int64), edge),
        )

    def _probabilities(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """``[P, labels]`` of a window's pieces, special tokens dropped."""
        encoder = self._model.encoder
        logits = logits[len(encoder.prefix) : len(logits) - len(encoder.suffix)]
        # Rounded: what differs in the last bits between machines and batch shapes must decide nothing.
        biased: NDArray[np.float32] = (np.round(logits, 3) + self._bias).astype(np.float32)
        powers = np.exp(biased - biased.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]

    def _spans(
        self, text: str, pieces: Pieces, parts: list[tuple[NDArray[np.int32], NDArray[np.float32]]]
    ) -> list[Found]:
        count = len(pieces.starts)
        labels = np.zeros((count, len(self._model.labels)), np.float32)
        chance = np.zeros(count, np.float32)
        """Of being an identifier; where windows overlap, the higher one."""
        for words, probabilities in parts:
            first = np.flatnonzero(np.diff(words, prepend=-1))
            if self._model.pieces == "mean":
                of_words: NDArray[np.float32] = np.add.reduceat(probabilities, first, axis=0).astype(np.float32)
                of_words /= np.diff(first, append=len(words))[:, None].astype(np.float32)
            else:
                of_words = probabilities[first]
            index = words[first]
            inside = (of_words @ self._to_entity).sum(axis=1)
            better = inside >= chance[index]
            labels[index[better]] = of_words[better]
            chance[index[better]] = inside[better]
        if not (chance > 0.5).any():
            return []
        entities = labels @ self._to_entity
        groups = entities @ self._to_group
        chosen = np.where(chance > 0.5, groups.argmax(axis=1), -1)
        self._bridge(chosen, pieces)
        begins = self._begins(labels) & (chance > 0.5)
        return [
            Found(int(pieces.starts[f.first]), int(pieces.ends[f.last - 1]), f.entity, f.score)
            for f in self._runs(text, pieces, chosen, begins, entities, chance)
        ]

    def _bridge(self, chosen: NDArray[np.int64], pieces: Pieces) -> None:
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

    def _begins(self, labels: NDArray[np.float32]) -> NDArray[np.bool_]:
        """``[W]``: whether the model says that a span begins at the word."""
        if not self._is_begin.any():
            return np.zeros(len(labels), bool)
        begin = labels[:, self._is_begin].sum(axis=1)
        return begin > (labels @ self._to_entity).sum(axis=1) - begin  # type: ignore[no-any-return]

    def _runs(
        self,
        text: str,
        pieces: Pieces,
        chosen: NDArray[np.int64],
        begins: NDArray[np.bool_],
        entities: NDArray[np.float32],
        chance: NDArray[np.float32],
    ) -> list[_Run]:
        found: list[_Run] = []
        word, count = 0, len(chosen)
        while word < count:
            if chosen[word] < 0:
                word += 1
                continue
            first = word
            word += 1
            while word < count and chosen[word] == chosen[first] and not begins[word]:
                word += 1
            is_in_group = self._to_group[:, chosen[first]] > 0
            sums = np.where(is_in_group, entities[first:word].sum(axis=0), -1.0)
            entity = self._entities[int(sums.argmax())]
            a, b = self._trimmed(text, pieces, first, word)
            if self._group_names[chosen[first]] == "number" or entity is Entity.USERNAME:
                a, b = _grown(pieces, chosen, chance, a, b)
                chosen[a:b] = chosen[first]
                word = max(word, b)
            if a < b:
                score = round(float(np.maximum(chance[a:b], 0.5).mean()), 4)
                found.append(_Run(a, b, entity, score))
        return found

    def _trimmed(self, text: str, pieces: Pieces, first: int, last: int) -> tuple[int, int]:
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
    pieces: Pieces, chosen: NDArray[np.int64], chance: NDArray[np.float32], first: int, last: int
) -> tuple[int, int]:
    """With the letters and digits glued to a number that the model half believes to be of it."""
    if first >= last:
        return first, last

    def joins(word: int) -> bool:
        return bool(chosen[word] < 0 and pieces.cases[word] != _PUNCTUATION and chance[word] >= _DOUBT)

    while first > 0 and pieces.gaps[first] == _GLUED and joins(first - 1):
        first -= 1
    while last < len(chosen) and pieces.gaps[last] == _GLUED and joins(last):
        last += 1
    return first, last


def _group(entity: Entity) -> str:
    if entity in _PEOPLE:
        return "person"
    category = category_of(entity)
    if category is Category.ORGANIZATION:
        return "organization"
    if category is Category.ID or entity in {Entity.PHONE, Entity.FAX, Entity.PAGER}:
        return "number"
    return entity.value
