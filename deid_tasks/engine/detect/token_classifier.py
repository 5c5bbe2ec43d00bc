"""One token-classification model as a function from texts to word probabilities."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.model_files import find_model
from deid_tasks.engine.detect.token_model import TokenModel
from deid_tasks.engine.detect.window import Window
from deid_tasks.engine.detect.word_probabilities import (
    ENTITIES,
    LabelProbabilities,
    WordProbabilities,
    first_pieces,
    mean_of_pieces,
)
from deid_tasks.engine.text.title_case import title_capitals
from deid_tasks.engine.text.word_groups import WordGroups, broadcast_to_words, group_words
from deid_tasks.engine.text.word_pieces import WordPieces
from deid_tasks.settings import ModelSettings

_GROUP_CHARACTERS = 500_000
"""Texts are read in groups of about this size, which bounds the memory of their logits."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _TokenizedText:
    """One text as a model's tokens, and the windows that they are read in."""

    pieces: WordPieces
    groups: WordGroups | None
    """Its word groups, for a model that reads them."""
    windows: list[tuple[int, int]]
    """First token and token after the last of each window, special tokens not counted."""

    @property
    def token_words(self) -> NDArray[np.int32]:
        """``[tokens]``: index of the word (or word group) that each token belongs to."""
        if self.groups is None:
            return self.pieces.words
        return np.arange(len(self.groups.words), dtype=np.int32)

    @property
    def size(self) -> int:
        """How many words (or word groups) the text has."""
        return len(self.pieces.starts if self.groups is None else self.groups.words)


class TokenClassifier:
    """One token-classification model and the settings that it is read with.

    Raises:
        ModelError: the model is missing, damaged or pickled, or has unknown labels.
    """

    def __init__(self, settings: ModelSettings, tokens_read: "Counter[Path] | None" = None) -> None:
        """Load the model.

        Args:
            settings: which model, its biases, and what it may report.
            tokens_read: counter to increase by the tokens that go through the model's weights.
        """
        self.tokens_read: Counter[Path] = Counter() if tokens_read is None else tokens_read
        """Tokens, special ones too, that went through each file of weights since the model was loaded."""
        self._model = TokenModel(find_model(settings.model, settings.revision), settings)
        self.sha256: str = self._model.sha256
        """One hash of the model's files."""
        self.context = self._model.context
        """Whether it reads one ``sentence``, or a whole note in a ``window``."""
        self.reads_rules = self._model.rule_features is not None
        """Whether it reads rule features: what patterns and public word lists say of each word."""
        entities = frozenset(settings.entities) if settings.entities is not None else frozenset(Entity)
        self._labels = LabelProbabilities(self._model.labels, entities, settings.outside_bias, settings.entity_bias)

    def word_probabilities(self, texts: Sequence[str], floor: float) -> list[WordProbabilities | None]:
        """Return the word probabilities of each text, in the order given.

        Args:
            texts: what to read; the answer for each depends on that text alone.
            floor: a text is ``None`` where no word's probability of being an identifier exceeds this.
        """
        found: list[WordProbabilities | None] = []
        for group in _groups(texts):
            found += self._read_group(group, floor)
        return found

    def _read_group(self, texts: Sequence[str], floor: float) -> list[WordProbabilities | None]:
        read = [title_capitals(text) for text in texts] if self._model.is_titled else texts
        tokenized = self._tokenized(read)
        features = self._model.rule_features
        windows: list[Window] = []
        for text, one in zip(read, tokenized, strict=True):
            rules = features.of(text) if features else None
            windows += [self._window(one, first, last, rules) for first, last in one.windows]
        if not windows:
            return [None] * len(texts)
        self.tokens_read[self._model.weights] += sum(len(window.ids) for window in windows)
        first, last = len(self._model.prefix), len(self._model.suffix)
        logits = [output[first : len(output) - last] for output in self._model.logits(windows)]
        if self._model.crf is not None:
            scores = iter([self._labels.biased_logits(output) for output in logits])
            return [self._joined(one, [next(scores) for _ in one.windows]) for one in tokenized]
        return self._by_window(tokenized, logits, floor)

    def _tokenized(self, texts: Sequence[str]) -> list[_TokenizedText]:
        pieces = self._model.tokenizer.encode(texts)
        groups: Sequence[WordGroups | None] = [None] * len(pieces)
        if self._model.has_word_groups:
            groups = group_words(texts, pieces, self._model.pad_id)
        return [
            _TokenizedText(one, group, self._cuts(len(one.ids if group is None else group.ids)))
            for one, group in zip(pieces, groups, strict=True)
        ]

    def _cuts(self, count: int) -> list[tuple[int, int]]:
        """Return the bounds of the windows over ``count`` tokens."""
        room = self._model.window - len(self._model.prefix) - len(self._model.suffix)
        if count == 0:
            return []
        starts = [0, *range(self._model.stride, count - room + self._model.stride, self._model.stride)]
        return [(start, min(start + room, count)) for start in starts]

    def _window(self, text: _TokenizedText, first: int, last: int, rules: Floats | None) -> Window:
        pieces, groups = text.pieces, text.groups
        if groups is not None:
            words = groups.words[first:last]
            cases, gaps = pieces.cases[words].astype(np.int64), pieces.gaps[words].astype(np.int64)
            return Window(groups.ids[first:last], cases, gaps, None if rules is None else rules[words])
        prefix, suffix, words = self._model.prefix, self._model.suffix, pieces.words[first:last]
        low, high = len(prefix), len(prefix) + last - first
        frame = np.zeros((3, high + len(suffix)), np.int64)
        frame[0, :low], frame[0, high:] = prefix, suffix
        frame[0, low:high] = pieces.ids[first:last]
        frame[1, low:high] = pieces.cases[words]
        frame[2, low:high] = pieces.gaps[words]
        if rules is None:
            return Window(frame[0], frame[1], frame[2])
        of_tokens = np.zeros((frame.shape[1], rules.shape[1]), np.float32)
        of_tokens[low:high] = rules[words]
        return Window(frame[0], frame[1], frame[2], of_tokens)

    def _by_window(
        self, tokenized: Sequence[_TokenizedText], logits: list[Floats], floor: float
    ) -> list[WordProbabilities | None]:
        """Return the word probabilities of each text, from the logits of all windows, ``[tokens, labels]`` each."""
        labels = self._labels.of_labels(np.concatenate(logits))
        entities = self._labels.of_entities(labels)
        # The mean over a word's pieces never exceeds the highest of them, so that pieces decide over the floor.
        highest = entities.sum(axis=1)
        begins = self._labels.begins(labels, entities)
        ends = np.cumsum([len(output) for output in logits])
        results: list[WordProbabilities | None] = []
        window = 0
        for text in tokenized:
            parts = range(window, window + len(text.windows))
            window += len(text.windows)
            bounds = [(int(ends[part]) - len(logits[part]), int(ends[part])) for part in parts]
            if not any((highest[low:high] > floor).any() for low, high in bounds):
                results.append(None)
                continue
            if text.groups is not None and len(bounds) == 1:
                [(low, high)] = bounds
                results.append(_of_word_groups(text.pieces, text.groups, entities[low:high], begins[low:high]))
                continue
            results.append(self._joined(text, [labels[low:high] for low, high in bounds]))
        return results

    def _joined(self, text: _TokenizedText, parts: list[Floats]) -> WordProbabilities:
        """Return the word probabilities of one text from its windows.

        A word that several windows read has the probabilities of the window where it is most probably an identifier.

        Args:
            text: the text and its windows.
            parts: label probabilities of each window, ``[tokens, labels]``; for a model with a CRF, its label scores.
        """
        entities = np.zeros((text.size, len(ENTITIES)), np.float32)
        begins = np.zeros(text.size, bool)
        highest = np.full(text.size, -1.0, np.float32)
        token_words = text.token_words
        for (first, last), of_tokens in zip(text.windows, parts, strict=True):
            words = token_words[first:last]
            begin = first_pieces(words)
            labels = mean_of_pieces(of_tokens, words) if self._model.pooling == "mean" else of_tokens[begin]
            if self._model.crf is not None:
                labels = self._model.crf.probabilities(labels)
            found = self._labels.of_entities(labels)
            total = found.sum(axis=1)
            index = words[begin]
            is_better = total > highest[index]
            chosen = index[is_better]
            entities[chosen], highest[chosen] = found[is_better], total[is_better]
            begins[chosen] = self._labels.begins(labels, found)[is_better]
        if text.groups is None:
            return WordProbabilities(text.pieces, entities, begins)
        return _of_word_groups(text.pieces, text.groups, entities, begins)


def _of_word_groups(
    pieces: WordPieces, groups: WordGroups, entities: Floats, begins: NDArray[np.bool_]
) -> WordProbabilities:
    begins_of_words = np.zeros(len(pieces.starts), bool)
    begins_of_words[groups.words] = begins
    return WordProbabilities(pieces, broadcast_to_words(entities, groups), begins_of_words)


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    group: list[str] = []
    size = 0
    for text in texts:
        group.append(text)
        size += len(text)
        if size >= _GROUP_CHARACTERS:
            yield group
            group, size = [], 0
    if group:
        yield group
