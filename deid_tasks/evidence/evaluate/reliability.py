"""Reliability of the scores of spans: of words marked with a score near p, is the share p identifiers?

The expected calibration error (ECE) is the mean distance between score and share, weighed by words, over bins of equal
width (Naeini et al. 2015, Obtaining well calibrated probabilities using Bayesian binning).
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.evaluate.intervals import Interval, exact_interval


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Marked words whose scores lie between two bounds."""

    low: float
    high: float
    words: int
    mean_score: float
    share: float
    """Share of the words that are identifiers."""
    interval: Interval
    """Of the share; exact binomial, as if words did not depend on each other."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """The reliability of scores, bin by bin; bins without words are left out."""

    words: int
    expected_calibration_error: float
    bins: tuple[ReliabilityBin, ...]


class ReliabilityTally:
    """Counts marked words by score, one note at a time; it keeps two numbers a marked word."""

    def __init__(self) -> None:
        """Begin with no words."""
        self._scores = array("d")
        self._is_identifier = array("b")

    def add(self, text: str, gold: Sequence[Span], predicted: Sequence[Span]) -> None:
        """Count the words that ``predicted`` marks in one note; ``gold`` says which are identifiers.

        Args:
            text: the note.
            gold: the identifiers, in code points of ``text``.
            predicted: disjoint spans with their scores.
        """
        words = split_words(text)
        identifiers = mark_words(words, gold)
        for span in predicted:
            for word in mark_words(words, [span]):
                self._scores.append(span.score)
                self._is_identifier.append(word in identifiers)

    def finish(self, bins: int = 10, confidence: float = 0.95) -> Reliability:
        """Return the reliability over ``bins`` bins of equal width."""
        scores, hits = np.array(self._scores), np.array(self._is_identifier, dtype=np.int64)
        numbers = np.minimum((scores * bins).astype(np.int64), bins - 1)
        found: list[ReliabilityBin] = []
        for number in range(bins):
            inside = numbers == number
            count = int(inside.sum())
            if not count:
                continue
            correct = int(hits[inside].sum())
            found.append(
                ReliabilityBin(
                    number / bins,
                    (number + 1) / bins,
                    count,
                    float(scores[inside].mean()),
                    correct / count,
                    exact_interval(correct, count, confidence),
                )
            )
        error = sum(one.words * abs(one.mean_score - one.share) for one in found) / max(1, len(scores))
        return Reliability(len(scores), error, tuple(found))
