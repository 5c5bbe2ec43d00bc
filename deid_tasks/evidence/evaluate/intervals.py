"""Bounds and intervals of scores: exact binomial (Clopper-Pearson), and a bootstrap over patients."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_MAX_WEIGHTS = 4_000_000
"""Resampling weights held in memory at once."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval."""

    lower: float
    upper: float


def exact_lower_bound(successes: float, trials: int, confidence: float) -> float:
    """Return the one-sided Clopper-Pearson lower bound of a proportion; 0.0 for no trials.

    With half credit ``successes`` is a fraction. The bound is then conservative, since half credit varies less than
    hits and misses.
    """
    if successes <= 0 or trials == 0:
        return 0.0
    # scipy.stats.binomtest takes whole successes only, and takes a second to import.
    from scipy.special import betaincinv

    return float(betaincinv(successes, trials - successes + 1, 1 - confidence))


def exact_interval(successes: float, trials: int, confidence: float) -> Interval:
    """Return the two-sided Clopper-Pearson interval of a proportion; [0, 1] for no trials."""
    one_sided = (1 + confidence) / 2
    return Interval(
        exact_lower_bound(successes, trials, one_sided), 1 - exact_lower_bound(trials - successes, trials, one_sided)
    )


class Bootstrap:
    """Percentile intervals from resampling whole patients, since the words of one patient depend on each other.

    All columns share the same resamples, so that differences between columns have intervals too. The literature uses
    100 resamples; bounds far out in the tail need more.
    """

    def __init__(self, patients: Array, resamples: int, seed: int = 0) -> None:
        """Draw the resamples.

        Args:
            patients: Shape (patients, columns, 4): found, gold, correct and predicted items of each column.
            resamples: How many to draw.
            seed: Of the random numbers.
        """
        count, columns = patients.shape[0], patients.shape[1]
        flat = patients.reshape(count, columns * 4)
        random = np.random.default_rng(seed)
        sums = []
        # The weights of all resamples at once would need memory of resamples times patients.
        step = max(1, _MAX_WEIGHTS // max(1, count))
        for first in range(0, resamples, step):
            drawn = min(step, resamples - first)
            weights = random.multinomial(count, np.full(count, 1 / count), size=drawn) if count else None
            sums.append(weights @ flat if weights is not None else np.zeros((drawn, columns * 4)))
        self._sums = np.concatenate(sums).reshape(resamples, columns, 4)

    def values(self, column: int, metric: str) -> Array:
        """Return the metric of one column in every resample."""
        found, gold, correct, predicted = self._sums[:, column].T
        recall, precision = _share(found, gold), _share(correct, predicted)
        if metric == "f1":
            return _share(2 * precision * recall, precision + recall, if_empty=0.0)
        return recall if metric == "recall" else precision

    def interval(self, column: int, metric: str, confidence: float) -> Interval:
        """Return the two-sided percentile interval of one column's metric."""
        return _percentiles(self.values(column, metric), confidence)

    def difference(self, column: int, other: int, metric: str, confidence: float) -> Interval:
        """Return the two-sided percentile interval of one column's metric minus that of ``other``."""
        return _percentiles(self.values(column, metric) - self.values(other, metric), confidence)


def _percentiles(values: Array, confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(values, [tail, 1 - tail])
    return Interval(float(lower), float(upper))


def _share(part: Array, whole: Array, if_empty: float = 1.0) -> Array:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), if_empty)
