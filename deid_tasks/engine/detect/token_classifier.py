"""One token-classification model as a function from texts to word probabilities.

The texts of a group are computed together, in arrays with one text after the other.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.model_files import find_model
from deid_tasks.engine.detect.token_model import TokenModel
from deid_tasks.engine.detect.window import Windows
from deid_tasks.engine.detect.word_probabilities import (
    ENTITIES,
    LabelProbabilities,
    WordProbabilities,
    mean_of_pieces,
)
from deid_tasks.engine.text.ranges import Indices, bounds_of, joined_ranges
from deid_tasks.engine.text.title_case import title_capitals
from deid_tasks.engine.text.word_groups import WordGroups, broadcast_to_words, group_words
from deid_tasks.engine.text.word_pieces import WordPieces
from deid_tasks.settings import ModelSettings

_GROUP_CHARACTERS = 500_000
"""Texts are read in groups of about this size, which bounds the memory of their logits."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _TokenizedTexts:
    """Texts as a model's tokens, and the windows that they are read in. ``N`` windows, ``R`` tokens of windows, special
    tokens not counted."""

    pieces: WordPieces
    groups: WordGroups | None
    """Their word groups, for a model that reads them."""
    tokens: Indices
    """``[R]``: index of the word piece, or word group, that each token is; windows may overlap."""
    bounds: Indices
    """``[N + 1]``: index of each window's first token, and ``R``."""
    text_of_window: Indices
    """``[N]``"""

    @property
    def words(self) -> Indices:
        """``[R]``: index of the word (or word group) that each token belongs to."""
        return self.pieces.word_of_piece[self.tokens] if self.groups is None else self.tokens

    @property
    def size(self) -> int:
        """How many words (or word groups) the texts have."""
        return len(self.pieces.words.starts if self.groups is None else self.groups.main_words)


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

    def word_probabilities(self, texts: Sequence[str], floor: float) -> WordProbabilities:
        """Return the word probabilities of the texts.

        Args:
            texts: what to read; the answer for each depends on that text alone.
            floor: a text is left out where no word's probability of being an identifier exceeds this.
        """
        found = []
        for first, group in _groups(texts):
            tokenized, values = self._read(group)
            chosen = np.flatnonzero(self._is_above(tokenized, values, floor))
            found.append(self._of_words(tokenized, values, chosen, chosen + first))
        return WordProbabilities.joined(found)

    def has_identifier(self, texts: Sequence[str], floor: float) -> NDArray[np.bool_]:
        """Return, for each text, whether a word's probability of being an identifier exceeds ``floor``."""
        found = [self._is_above(*self._read(group), floor) for _, group in _groups(texts)]
        return np.concatenate(found)

    def _read(self, texts: Sequence[str]) -> tuple[_TokenizedTexts, Floats]:
        """Return the tokens of the texts, and their label probabilities, ``[R, labels]``; for a model with a CRF, their
        label scores."""
        read = [title_capitals(text) for text in texts] if self._model.is_titled else texts
        tokenized = self._tokenized(read)
        if not len(tokenized.tokens):
            return tokenized, np.empty((0, len(self._model.labels)), np.float32)
        windows, positions = self._windows(read, tokenized)
        self.tokens_read[self._model.weights] += len(windows.ids)
        logits = self._model.logits(windows)
        logits = logits if len(positions) == len(logits) else logits[positions]
        has_crf = self._model.crf is not None
        return tokenized, self._labels.biased_logits(logits) if has_crf else self._labels.of_labels(logits)

    def _tokenized(self, texts: Sequence[str]) -> _TokenizedTexts:
        pieces = self._model.tokenizer.encode(texts)
        groups = group_words(pieces, self._model.pad_id) if self._model.has_word_groups else None
        bounds = pieces.bounds if groups is None else groups.bounds
        counts = np.diff(bounds)
        room = self._model.window - len(self._model.prefix) - len(self._model.suffix)
        stride = self._model.stride
        windows = np.where(counts > 0, 1 + np.maximum(0, -(-(counts - room) // stride)), 0)
        text_of_window = np.repeat(np.arange(len(texts)), windows)
        number = np.arange(len(text_of_window)) - bounds_of(windows)[text_of_window]
        firsts = bounds[text_of_window] + number * stride
        lasts = np.minimum(firsts + room, bounds[text_of_window + 1])
        return _TokenizedTexts(pieces, groups, joined_ranges(firsts, lasts), bounds_of(lasts - firsts), text_of_window)

    def _windows(self, texts: Sequence[str], tokenized: _TokenizedTexts) -> tuple[Windows, Indices]:
        """Return the windows with their special tokens, and the positions of all other tokens in them."""
        groups, pieces = tokenized.groups, tokenized.pieces
        prefix, suffix = self._model.prefix, self._model.suffix
        bounds = bounds_of(np.diff(tokenized.bounds) + len(prefix) + len(suffix))
        positions = joined_ranges(bounds[:-1] + len(prefix), bounds[1:] - len(suffix))
        source = pieces if groups is None else groups
        ids = np.zeros((bounds[-1], *source.ids.shape[1:]), np.int64)
        ids[positions] = source.ids[tokenized.tokens]
        for position, special in enumerate(prefix):
            ids[bounds[:-1] + position] = special
        for position, special in enumerate(suffix):
            ids[bounds[1:] - len(suffix) + position] = special
        words = tokenized.words if groups is None else groups.main_words[tokenized.tokens]
        cases, gaps = np.zeros((2, bounds[-1]), np.int64)
        cases[positions], gaps[positions] = pieces.words.cases[words], pieces.words.gaps[words]
        if self._model.rule_features is None:
            return Windows(ids, cases, gaps, bounds), positions
        hits = np.concatenate([self._model.rule_features.of(text) for text in texts])
        rules = np.zeros((bounds[-1], hits.shape[1]), np.float32)
        rules[positions] = hits[words]
        return Windows(ids, cases, gaps, bounds, rules), positions

    def _is_above(self, tokenized: _TokenizedTexts, values: Floats, floor: float) -> NDArray[np.bool_]:
        """Return, for each text, whether a token's probability of being an identifier exceeds ``floor``.

        The mean over a word's pieces never exceeds the highest of them, so that tokens decide.
        """
        if self._model.crf is not None:
            # Its probabilities depend on the whole window, and are computed for all texts.
            return np.full(len(tokenized.pieces.bounds) - 1, len(tokenized.tokens) > 0)
        entities = self._labels.of_entities(values)
        is_above = np.zeros(len(tokenized.pieces.bounds) - 1, bool)
        windows = np.repeat(tokenized.text_of_window, np.diff(tokenized.bounds))
        is_above[windows[entities.sum(axis=1) > floor]] = True
        return is_above

    def _of_words(
        self, tokenized: _TokenizedTexts, values: Floats, chosen: Indices, texts: Indices
    ) -> WordProbabilities:
        """Return the word probabilities of the texts ``chosen``.

        A word that several windows read has the probabilities of the window where it is most probably an identifier.
        """
        words = tokenized.words
        is_first = np.ones(len(words), bool)
        np.not_equal(words[1:], words[:-1], out=is_first[1:])
        is_first[tokenized.bounds[:-1]] = True
        first = np.flatnonzero(is_first)
        labels = self._pooled(tokenized, values, first)
        found = self._labels.of_entities(labels)
        begin = self._labels.begins(labels, found)
        read = words[first]
        if len(tokenized.text_of_window) > len(np.unique(tokenized.text_of_window)):
            order = np.lexsort((-found.sum(axis=1), read))
            best = order[np.flatnonzero(np.diff(read[order], prepend=-1))]
            found, begin, read = found[best], begin[best], read[best]
        entities = np.zeros((tokenized.size, len(ENTITIES)), np.float32)
        begins = np.zeros(tokenized.size, bool)
        entities[read], begins[read] = found, begin
        if tokenized.groups is not None:
            entities = broadcast_to_words(entities, tokenized.groups)
            begins_of_words = np.zeros(len(entities), bool)
            begins_of_words[tokenized.groups.main_words] = begins
            begins = begins_of_words
        every = np.arange(len(tokenized.pieces.bounds) - 1)
        return replace(WordProbabilities(every, tokenized.pieces.words, entities, begins).take(chosen), texts=texts)

    def _pooled(self, tokenized: _TokenizedTexts, values: Floats, first: Indices) -> Floats:
        """Return the label probabilities of each word of each window, whose first token is at ``first``."""
        labels = mean_of_pieces(values, first) if self._model.pooling == "mean" else values[first]
        crf = self._model.crf
        if crf is None:
            return labels
        bounds = np.searchsorted(first, tokenized.bounds).tolist()
        return np.concatenate([labels[:0], *(crf.probabilities(labels[low:high]) for low, high in pairwise(bounds))])


def _groups(texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield groups of texts, each with the index of its first text; one of no text where there is none."""
    group: list[str] = []
    first = size = 0
    for text in texts:
        group.append(text)
        size += len(text)
        if size >= _GROUP_CHARACTERS:
            yield first, group
            first += len(group)
            group, size = [], 0
    if group or not first:
        yield first, group
