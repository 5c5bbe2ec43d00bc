"""Counts of right and wrong, the scores they give, and how sure one can be of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

METRICS = ("recall", "precision", "f1")
_CHUNK = 4_000_000

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Counts:
    """Words (or spans) found rightly, found wrongly, and missed."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.true_positives + other.true_positives,
            self.false_positives + other.false_positives,
            self.false_negatives + other.false_negatives,
        )


@dataclass(slots=True)
class Matches:
    """What a score is made of.

    For words ``found`` and ``right`` are the same words; for spans they need not be: one gold span may be covered by two predicted
    ones. Half credit makes them fractions.
    """

    found: float = 0.0
    """Gold items that were found."""
    gold: int = 0
    """Gold items."""
    right: float = 0.0
    """Predicted items that are gold."""
    predicted: int = 0
    """Predicted items."""

    def add(self, found: float, gold: int, right: float, predicted: int) -> None:
        """Count more of them."""
        self.found += found
        self.gold += gold
        self.right += right
        self.predicted += predicted

    @property
    def row(self) -> tuple[float, int, float, int]:
        """The four numbers."""
        return self.found, self.gold, self.right, self.predicted

    @property
    def counts(self) -> Counts:
        """The same in whole items, half credit rounded up."""
        found, right = int(self.found + 0.5), int(self.right + 0.5)
        return Counts(found, self.predicted - right, self.gold - found)

    def proportion(self, metric: str) -> tuple[float, int]:
        """What ``recall`` or ``precision`` divides by what."""
        return (self.found, self.gold) if metric == "recall" else (self.right, self.predicted)

    def value(self, metric: str) -> float:
        """``recall``, ``precision`` or ``f1``; 1.0 where there was nothing to find or nothing was predicted."""
        recall = self.found / self.gold if self.gold else 1.0
        precision = self.right / self.predicted if self.predicted else 1.0
        if metric == "recall":
            return recall
        if metric == "precision":
            return precision
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval."""

    lower: float
    upper: float


def exact_lower_bound(successes: float, trials: int, confidence: float) -> float:
    """One-sided Clopper-Pearson lower bound of a proportion; 0.0 where nothing was tried.

    Half credits make ``successes`` a fraction; the bound then errs on the low side, since half credits vary less than hits and misses.
    """
    if successes <= 0 or trials == 0:
        return 0.0
    from scipy.special import betaincinv

    return float(betaincinv(successes, trials - successes + 1, 1 - confidence))


def exact_interval(successes: float, trials: int, confidence: float) -> Interval:
    """Two-sided Clopper-Pearson interval of a proportion; [0, 1] where nothing was tried."""
    one_sided = (1 + confidence) / 2
    return Interval(
        exact_lower_bound(successes, trials, one_sided), 1 - exact_lower_bound(trials - successes, trials, one_sided)
    )


class Bootstrap:
    """Percentile intervals that resample whole patients: the words of one patient are not independent of each other.

    Every column of figures sees the same resamples, so that differences between columns can be read too. The literature takes 100
    resamples; bounds far out in the tail need more.
    """

    def __init__(self, patients: Array, resamples: int, seed: int = 0) -> None:
        """Resample ``patients``, an array of (patients, columns, 4): found, gold, right and predicted of each column."""
        count, columns = patients.shape[0], patients.shape[1]
        flat = patients.reshape(count, columns * 4)
        random = np.random.default_rng(seed)
        sums = []
        # A weight matrix of all resamples at once would grow with patients times resamples.
        step = max(1, _CHUNK // max(1, count))
        for first in range(0, resamples, step):
            drawn = min(step, resamples - first)
            weights = random.multinomial(count, np.full(count, 1 / count), size=drawn) if count else None
            sums.append(weights @ flat if weights is not None else np.zeros((drawn, columns * 4)))
        self._sums = np.concatenate(sums).reshape(resamples, columns, 4)

    def values(self, column: int, metric: str) -> Array:
        """The metric of one column in every resample."""
        found, gold, right, predicted = self._sums[:, column].T
        recall, precision = _share(found, gold), _share(right, predicted)
        if metric == "f1":
            return _share(2 * precision * recall, precision + recall, without=0.0)
        return recall if metric == "recall" else precision

    def interval(self, column: int, metric: str, confidence: float) -> Interval:
        """The two-sided percentile interval."""
        return _percentiles(self.values(column, metric), confidence)

    def difference(self, column: int, other: int, metric: str, confidence: float) -> Interval:
        """The same of how much higher the metric is in one column than in another."""
        return _percentiles(self.values(column, metric) - self.values(other, metric), confidence)


def _percentiles(values: Array, confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(values, [tail, 1 - tail])
    return Interval(float(lower), float(upper))


def _share(part: Array, whole: Array, without: float = 1.0) -> Array:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), without)


def bootstrap_interval(
    groups: Sequence[Counts], metric: str, confidence: float, resamples: int, seed: int = 0
) -> Interval:
    """The interval of ``metric`` over ``groups``, the words of one patient each."""
    if not groups:
        return Interval(0.0, 1.0)
    rows = [
        (g.true_positives, g.true_positives + g.false_negatives, g.true_positives, g.true_positives + g.false_positives)
        for g in groups
    ]
    return Bootstrap(np.array(rows, dtype=np.float64)[:, None, :], resamples, seed).interval(0, metric, confidence)
