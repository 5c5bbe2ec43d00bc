"""The neural detector: reads sentences or whole notes, decides word by word, gives spans.

A text gets the same spans whatever batch, shard or order it comes in; see the runners for what that takes.
"""

import copy
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.decode import decode
from deid_tasks.engine.detect.reader import TextSpan
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.token_model import TokenModel, Window, find_model
from deid_tasks.engine.detect.word_probabilities import (
    ENTITIES,
    LabelProbabilities,
    WordProbabilities,
    first_pieces,
    join,
    mean_of_pieces,
)
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.title_case import title_capitals
from deid_tasks.engine.text.word_groups import WordGroups, broadcast_to_words, group_words
from deid_tasks.engine.text.word_pieces import WordPieces
from deid_tasks.settings import ModelSettings, SecondStageSettings, TransformerSettings

NAME = "transformer"
ALONE = ":alone"
"""Ends the name of a detector that asks for no second opinion."""
_LEAST = 1e-6
"""WordProbabilities whose chance is the lower end of the band are doubted too."""
_CONTEXT = 12
"""WordProbabilities on either side of a doubted one that a second model reads with it; long lines and lists are half of the words of doubted sentences."""
_AT_ONCE_CHARACTERS = 500_000
"""Texts are read in groups of about so many characters: the memory that answers take stays bounded."""


class ModelReader:
    """One token-classification model and the settings that it is read with.

    ``outside_bias`` is added to the logit of *outside*, ``entity_bias`` to those of an entity; entities that the settings do not
    give the model count for nothing.

    Raises:
        ModelError: the model is missing, damaged, pickled or has labels nobody knows.
    """

    def __init__(self, settings: ModelSettings, pieces_read: "Counter[Path] | None" = None) -> None:
        self._pieces_read: Counter[Path] = Counter() if pieces_read is None else pieces_read
        self._model = TokenModel(find_model(settings.model, settings.revision), settings)
        self.sha256: str = self._model.sha256
        self.context = self._model.context
        self.reads_rules = self._model.rules is not None
        entities = frozenset(settings.entities) if settings.entities is not None else frozenset(Entity)
        self._chances = LabelProbabilities(self._model.labels, entities, settings.outside_bias, settings.entity_bias)

    def words(self, texts: Sequence[str], floor: float) -> list[WordProbabilities | None]:
        """What is believed of the words of each text; ``None`` where no word's chance of being an identifier passes ``floor``."""
        found: list[WordProbabilities | None] = []
        for group in _groups(texts):
            found += self._words(group, floor)
        return found

    def _words(self, texts: Sequence[str], floor: float) -> list[WordProbabilities | None]:
        read = [title_capitals(text) for text in texts] if self._model.is_titled else texts
        pieces = self._model.encoder.encode(read)
        units: Sequence[WordGroups | None] = [None] * len(pieces)
        if self._model.has_units:
            units = group_words(read, pieces, self._model.padding)
        cuts = [self._cuts(len(one.ids if unit is None else unit.ids)) for one, unit in zip(pieces, units, strict=True)]
        features = self._model.rules
        rules = [features.of(text) if features else None for text in read]
        windows = [
            self._window(one, unit, a, b, of_words)
            for one, unit, places, of_words in zip(pieces, units, cuts, rules, strict=True)
            for a, b in places
        ]
        if not windows:
            return [None] * len(texts)
        self._pieces_read[self._model.weights] += sum(len(window.ids) for window in windows)
        first, last = len(self._model.prefix), len(self._model.suffix)
        logits = [output[first : len(output) - last] for output in self._model.logits(windows)]
        if self._model.chain is not None:
            scores = iter([self._chances.biased(output) for output in logits])
            return [
                self._settled(one, unit, places, [next(scores) for _ in places])
                for one, unit, places in zip(pieces, units, cuts, strict=True)
            ]
        labels = self._chances.of_pieces(np.concatenate(logits))
        entities = self._chances.of_entities(labels)
        # No mean over the pieces of a word is higher than the highest of them.
        highest = entities.sum(axis=1)
        begins = self._chances.begins(labels, entities)
        ends = np.cumsum([len(output) for output in logits])
        results: list[WordProbabilities | None] = []
        window = 0
        for one, unit, places in zip(pieces, units, cuts, strict=True):
            parts = range(window, window + len(places))
            window += len(places)
            bounds = [(int(ends[part]) - len(logits[part]), int(ends[part])) for part in parts]
            if not any((highest[low:high] > floor).any() for low, high in bounds):
                results.append(None)
                continue
            if unit is not None and len(bounds) == 1:
                [(low, high)] = bounds
                results.append(_of_units(one, unit, entities[low:high], begins[low:high]))
                continue
            results.append(self._settled(one, unit, places, [labels[low:high] for low, high in bounds]))
        return results

    def _cuts(self, count: int) -> list[tuple[int, int]]:
        """Where the windows over ``count`` pieces begin and end."""
        room = self._model.window - len(self._model.prefix) - len(self._model.suffix)
        if count == 0:
            return []
        starts = [0, *range(self._model.stride, count - room + self._model.stride, self._model.stride)]
        return [(start, min(start + room, count)) for start in starts]

    def _window(
        self, pieces: WordPieces, units: WordGroups | None, a: int, b: int, rules: NDArray[np.float32] | None
    ) -> Window:
        if units is not None:
            words = units.words[a:b]
            cases, gaps = pieces.cases[words].astype(np.int64), pieces.gaps[words].astype(np.int64)
            return Window(units.ids[a:b], cases, gaps, None if rules is None else rules[words])
        prefix, suffix, words = self._model.prefix, self._model.suffix, pieces.words[a:b]
        first, last = len(prefix), len(prefix) + b - a
        frame = np.zeros((3, last + len(suffix)), np.int64)
        frame[0, :first], frame[0, last:] = prefix, suffix
        frame[0, first:last] = pieces.ids[a:b]
        frame[1, first:last] = pieces.cases[words]
        frame[2, first:last] = pieces.gaps[words]
        if rules is None:
            return Window(frame[0], frame[1], frame[2])
        of_pieces = np.zeros((frame.shape[1], rules.shape[1]), np.float32)
        of_pieces[first:last] = rules[words]
        return Window(frame[0], frame[1], frame[2], of_pieces)

    def _settled(
        self,
        pieces: WordPieces,
        units: WordGroups | None,
        places: list[tuple[int, int]],
        parts: list[NDArray[np.float32]],
    ) -> WordProbabilities:
        """Where windows overlap, the window that gives a word the higher chance has the say.

        ``parts`` are chances of labels, ``[P, labels]`` for each window; for a model with a chain over words, their scores.
        """
        words_read = pieces.words if units is None else np.arange(len(units.words), dtype=np.int32)
        count = len(pieces.starts if units is None else units.words)
        entities = np.zeros((count, len(ENTITIES)), np.float32)
        begins = np.zeros(count, bool)
        chance = np.full(count, -1.0, np.float32)
        for (a, b), of_pieces in zip(places, parts, strict=True):
            words = words_read[a:b]
            first = first_pieces(words)
            labels = mean_of_pieces(of_pieces, words) if self._model.pieces == "mean" else of_pieces[first]
            if self._model.chain is not None:
                labels = self._model.chain.chances(labels)
            found = self._chances.of_entities(labels)
            total = found.sum(axis=1)
            index = words[first]
            better = total > chance[index]
            chosen = index[better]
            entities[chosen], chance[chosen] = found[better], total[better]
            begins[chosen] = self._chances.begins(labels, found)[better]
        return (
            WordProbabilities(pieces, entities, begins) if units is None else _of_units(pieces, units, entities, begins)
        )


class Stakes(Protocol):
    """Knows what comes of an answer."""

    def differ(
        self, name: str, texts: Sequence[str], one: Sequence[Sequence[TextSpan]], other: Sequence[Sequence[TextSpan]]
    ) -> list[bool]:
        """Of each text, whether other words would be marked in the end with the answer ``one`` of the detector ``name`` than with ``other``."""
        ...


class TransformerDetector:
    """One model, and where the settings give one, a second that reads the texts in which the first doubts.

    The first doubts where a word's chance of being an identifier lies in ``second.band``. With ``stakes`` the second reads only
    those texts in which something hangs on the doubt: where it makes a difference whether all doubted words are identifiers or none.

    Raises:
        ModelError: a model is missing, damaged, pickled or has labels nobody knows.
    """

    def __init__(self, settings: TransformerSettings, name: str = NAME, stakes: Stakes | None = None) -> None:
        self.name = name
        self._stakes = stakes
        self.pieces_read: Counter[Path] = Counter()
        """Word pieces, special tokens too, or units that went through each file of weights, since the detector was built."""
        self._first = ModelReader(settings, self.pieces_read)
        self.context = self._first.context
        """Whether it is given sentences or whole notes to read."""
        self._threshold = settings.threshold
        self._second_settings = settings.second_stage
        self._second = ModelReader(settings.second_stage, self.pieces_read) if settings.second_stage else None
        self.sha256: str = self._first.sha256
        """One hash of the models' files: a part of the fingerprint."""
        if self._second:
            self.sha256 = hashlib.sha256(f"{self._first.sha256} {self._second.sha256}".encode()).hexdigest()
        self.reads_rules = self._first.reads_rules or (
            self._second is not None and (stakes is not None or self._second.reads_rules)
        )
        """Whether patterns and public lists decide too: a model is told what they say of each word, or asked by it."""
        self.doubted = 0
        """How many texts the second model read, since the detector was built."""

    def alone(self) -> "TransformerDetector | None":
        """The first model by itself, under the name with ``:alone``; ``None`` where there is no second."""
        if self._second is None:
            return None
        other = copy.copy(self)
        other.name = f"{self.name}{ALONE}"
        other._second = other._second_settings = None
        other.sha256 = self._first.sha256
        return other

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of each document, in order and disjoint; words are never cut."""
        return SentenceDetector(self).detect(documents)

    def read(self, texts: Sequence[str]) -> list[list[TextSpan]]:
        """What stands in each text, in order; the answer for one depends on that text alone."""
        second = self._second_settings
        floor = min(self._threshold, second.band[0]) if second else self._threshold
        words = self._first.words(texts, floor)
        if second and self._second:
            low, high = second.band
            doubted = self._doubted(texts, words, low, high)
            self.doubted += len(doubted)
            self._ask(self._second, texts, words, doubted, second)
        return [
            [] if one is None else decode(text, one, self._threshold) for text, one in zip(texts, words, strict=True)
        ]

    def _ask(
        self,
        model: ModelReader,
        texts: Sequence[str],
        words: list[WordProbabilities | None],
        doubted: Sequence[int],
        settings: SecondStageSettings,
    ) -> None:
        """Put the second model's beliefs beside the first's where it reads: around the doubted words, or the whole text if it is one for windows."""
        places: list[tuple[int, int]] = []
        parts: list[str] = []
        for i in doubted:
            own = words[i]
            assert own is not None
            stretches = [(0, len(own.begins))]
            if model.context == "sentence":
                stretches = _stretches(_is_doubted(own, *settings.band), _CONTEXT)
            for first, last in stretches:
                places.append((i, first))
                parts.append(texts[i][own.pieces.starts[first] : own.pieces.ends[last - 1]])
        for (i, first), other in zip(places, model.words(parts, 0.0), strict=True):
            own = words[i]
            if own is not None and other is not None:
                words[i] = join(own, other, settings.combine, first)

    def _doubted(
        self, texts: Sequence[str], words: Sequence[WordProbabilities | None], low: float, high: float
    ) -> list[int]:
        doubted = [(i, one) for i, one in enumerate(words) if one is not None and _is_doubted(one, low, high).any()]
        if self._stakes is None or not doubted:
            return [i for i, _ in doubted]
        own = [texts[i] for i, _ in doubted]
        most, least = (
            [decode(text, one, threshold) for text, (_, one) in zip(own, doubted, strict=True)]
            for threshold in (low - _LEAST, high)
        )
        differ = self._stakes.differ(self.name, own, most, least)
        return [i for (i, _), matters in zip(doubted, differ, strict=True) if matters]


class WindowDetector:
    """A model that reads whole notes, in windows as long as it can, each beginning before the last one's end."""

    def __init__(self, reader: TransformerDetector) -> None:
        self.reader = reader
        self.name = reader.name

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of each document, in order and disjoint; words are never cut."""
        found = self.reader.read([document.text for document in documents])
        return [[Span(one.start, one.end, one.entity, self.name, one.score) for one in spans] for spans in found]


def build_readers(settings: Sequence[TransformerSettings], stakes: Stakes | None = None) -> list[TransformerDetector]:
    """A reader for each model; one alone is ``transformer``, several bear their own names."""
    names = [NAME] if len(settings) == 1 else [f"{NAME}:{one.label}" for one in settings]
    return [TransformerDetector(one, name, stakes) for one, name in zip(settings, names, strict=True)]


def _of_units(
    pieces: WordPieces, units: WordGroups, entities: NDArray[np.float32], begins: NDArray[np.bool_]
) -> WordProbabilities:
    of_words = np.zeros(len(pieces.starts), bool)
    of_words[units.words] = begins
    return WordProbabilities(pieces, broadcast_to_words(entities, units), of_words)


def _is_doubted(words: WordProbabilities, low: float, high: float) -> NDArray[np.bool_]:
    chance = words.chance
    return (chance >= low) & (chance <= high)


def _stretches(is_doubted: NDArray[np.bool_], context: int) -> list[tuple[int, int]]:
    """First word and word after the last of the stretches within ``context`` words of a doubted one; those that would touch are one."""
    found: list[tuple[int, int]] = []
    for word in map(int, np.flatnonzero(is_doubted)):
        first, last = max(0, word - context), min(len(is_doubted), word + context + 1)
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    group: list[str] = []
    size = 0
    for text in texts:
        group.append(text)
        size += len(text)
        if size >= _AT_ONCE_CHARACTERS:
            yield group
            group, size = [], 0
    if group:
        yield group
