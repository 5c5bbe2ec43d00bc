"""The sentence filter: a small model that reads every text, and decides which texts a larger model has to read.

Most sentences of clinical notes hold no identifier. A network of two narrow layers sees that of many of them at a
seventh of the larger model's cost, and the larger model then reads the others alone.
"""

from collections import Counter
from collections.abc import Sequence
from copy import copy
from pathlib import Path

import numpy as np

from deid_tasks.engine.detect.token_classifier import TokenClassifier
from deid_tasks.settings import SentenceFilterSettings


class SentenceFilter:
    """Passes over the texts in which no word may be an identifier.

    Raises:
        ModelError: its model is missing, damaged or pickled, or has unknown labels.
    """

    def __init__(self, settings: SentenceFilterSettings, tokens_read: "Counter[Path] | None" = None) -> None:
        """Load the model.

        Args:
            settings: the model, and the probability above which a word may be an identifier.
            tokens_read: counter to increase by the tokens that go through the model's weights.
        """
        self.classifier = TokenClassifier(settings, tokens_read)
        """The filter's model."""
        self._threshold = settings.threshold
        self._is_inverted = False
        self.passed_over = 0
        """How many texts were passed over since the filter was built."""

    def inverted(self) -> "SentenceFilter":
        """Return a filter that keeps the texts which this one passes over, to measure what is lost in them."""
        other = copy(self)
        other._is_inverted = not self._is_inverted
        other.passed_over = 0
        return other

    def keeps(self, texts: Sequence[str]) -> list[int]:
        """Return the indices of the texts to read; whether a text is kept depends on that text alone."""
        has_identifier = self.classifier.has_identifier(texts, self._threshold)
        kept: list[int] = np.flatnonzero(has_identifier != self._is_inverted).tolist()
        self.passed_over += len(texts) - len(kept)
        return kept
