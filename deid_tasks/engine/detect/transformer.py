"""The neural detector: one token-classification model that reads sentences or whole notes and returns spans.

A sentence filter may stand before it; the model then reads the texts that the filter keeps.

A text gets the same spans whatever batch, shard or order it comes in; the runners' docstrings say what that takes.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np

from deid_tasks.core.span import Span
from deid_tasks.engine.detect.decode import decode_spans
from deid_tasks.engine.detect.reader import Answer, Reader
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.sentence_filter import SentenceFilter
from deid_tasks.engine.detect.token_classifier import TokenClassifier
from deid_tasks.engine.detect.word_probabilities import WordProbabilities
from deid_tasks.engine.text import Document
from deid_tasks.settings import ModelSettings, SentenceFilterSettings

NAME = "transformer"
FILTER_STAGE = ", sentence filter"
"""Ends the name of the stage in which a sentence filter reads."""
PASSED_OVER = ":passed_over"
"""Ends the name of a detector that reads the texts which its sentence filter passes over."""


class TransformerDetector:
    """One model, whose word probabilities are decoded to spans.

    It is a ``Reader`` of texts, and a ``Detector`` that reads the sentences of notes.

    Raises:
        ModelError: a model is missing, damaged or pickled, or has unknown labels.
    """

    def __init__(
        self,
        settings: ModelSettings,
        name: str = NAME,
        sentence_filter: SentenceFilterSettings | None = None,
    ) -> None:
        """Load the model and its filter.

        Args:
            settings: the model.
            name: the detector's name.
            sentence_filter: the filter that decides which texts the model reads; it reads all where ``None``.
        """
        self.name = name
        self.classifier = TokenClassifier(settings)
        """The model."""
        self.sentence_filter: SentenceFilter | None = None
        """Decides which texts the model reads; it reads all where ``None``."""
        self.context = self.classifier.context
        """Whether it reads one ``sentence``, or a whole note in a ``window``."""
        self.threshold = settings.threshold
        """Probability above which a word is an identifier."""
        self.sha256: str = self.classifier.sha256
        """One hash of the files of the model and its filter: a part of the fingerprint."""
        if sentence_filter is not None:
            self.sentence_filter = SentenceFilter(sentence_filter, self.classifier.tokens_read)
            hashes = f"{self.sentence_filter.classifier.sha256} {self.sha256}"
            self.sha256 = hashlib.sha256(hashes.encode()).hexdigest()
        self.reads_rules = self.classifier.reads_rules
        """Whether it reads rule features, so that patterns and public word lists influence its answers."""

    @property
    def tokens_read(self) -> "Counter[Path]":
        """Tokens, special ones too, that went through each file of weights since the detector was built."""
        return self.classifier.tokens_read

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the spans of each document, sorted and disjoint; they never cut a word."""
        return SentenceDetector(self).detect(documents)

    def read(self, texts: Sequence[str]) -> list[Answer]:
        """Return the answer for each text, in the order given; it depends on that text alone."""
        words = self.word_probabilities(texts, self.threshold)
        answers = [Answer([]) for _ in texts]
        for index, spans in zip(words.texts.tolist(), decode_spans(words, self.threshold), strict=True):
            answers[index] = Answer(spans)
        return answers

    def word_probabilities(self, texts: Sequence[str], floor: float) -> WordProbabilities:
        """Return the word probabilities of the texts.

        Args:
            texts: what to read; the answer for each depends on that text alone.
            floor: a text is left out where no word's probability of being an identifier exceeds this, and where the
                filter passes over it.
        """
        if self.sentence_filter is None:
            return self.classifier.word_probabilities(texts, floor)
        kept = self.sentence_filter.keeps(texts)
        words = self.classifier.word_probabilities([texts[index] for index in kept], floor)
        return replace(words, texts=np.array(kept, np.int64)[words.texts])

    def of_passed_over(self) -> "TransformerDetector | None":
        """Return the detector that reads the texts which the filter passes over and no others, to measure what is lost
        in them; ``None`` without a filter."""
        if self.sentence_filter is None:
            return None
        other = copy(self)
        other.name = f"{self.name}{PASSED_OVER}"
        other.sentence_filter = self.sentence_filter.inverted()
        return other

    def stages(self) -> list[tuple[str, TokenClassifier]]:
        """Return the filter, if there is one, and the model, each with the name of its stage."""
        own = (self.name, self.classifier)
        if self.sentence_filter is None:
            return [own]
        return [(f"{self.name}{FILTER_STAGE}", self.sentence_filter.classifier), own]

    def choose_again(self, _texts: Sequence[str], answers: Sequence[Answer], /) -> list[Answer | None]:
        """Return the answers as they are: there is one model and nothing to choose."""
        return list(answers)


class WindowDetector:
    """A detector that gives whole notes to a model, which reads them in overlapping windows."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.name = reader.name

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the spans of each document, sorted and disjoint; they never cut a word."""
        found = self.reader.read([document.text for document in documents])
        return [
            [Span(one.start, one.end, one.entity, self.name, one.score) for one in answer.spans] for answer in found
        ]
