"""The neural detector: one token-classification model that reads sentences or whole notes and returns spans.

A text gets the same spans whatever batch, shard or order it comes in; the runners' docstrings say what that takes.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from deid_tasks.core.span import Span
from deid_tasks.engine.detect.decode import decode_spans
from deid_tasks.engine.detect.reader import Answer, Reader
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.token_classifier import TokenClassifier
from deid_tasks.engine.text import Document
from deid_tasks.settings import ModelSettings

NAME = "transformer"


class TransformerDetector:
    """One model, whose word probabilities are decoded to spans.

    It is a ``Reader`` of texts, and a ``Detector`` that reads the sentences of notes.

    Raises:
        ModelError: the model is missing, damaged or pickled, or has unknown labels.
    """

    def __init__(self, settings: ModelSettings, name: str = NAME) -> None:
        self.name = name
        self.classifier = TokenClassifier(settings)
        """The model; a cascade reads its word probabilities."""
        self.context = self.classifier.context
        """Whether it reads one ``sentence``, or a whole note in a ``window``."""
        self.threshold = settings.threshold
        """Probability above which a word is an identifier."""
        self.sha256: str = self.classifier.sha256
        """One hash of the model's files: a part of the fingerprint."""
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
        words = self.classifier.word_probabilities(texts, self.threshold)
        return [
            Answer([] if one is None else decode_spans(text, one, self.threshold))
            for text, one in zip(texts, words, strict=True)
        ]

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
