"""Counts of right and wrong words, the scores they give, and how sure one can be of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Counts:
    """Words found rightly, found wrongly, and missed."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.true_positives + other.true_positives,
            self.false_positives + other.false_positives,
            self.false_negatives + other.false_negatives,
        )

    @property
    def recall(self) -> float:
        """Share of gold words that were found; 1.0 where there are none."""
        total = self.true_positives + self.false_negatives
        return self.true_positives / total if total else 1.0

    @property
    def precision(self) -> float:
        """Share of found words that are gold; 1.0 where none were found."""
        total = self.true_positives + self.false_positives
        return self.true_positives / total if total else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = 2 * self.true_positives + self.false_positives + self.false_negatives
        return 2 * self.true_positives / total if total else 1.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Score:
    """One figure with its counts and its interval."""

    value: float
    interval: Interval
    counts: Counts


def exact_lower_bound(successes: int, trials: int, confidence: float) -> float:
    """One-sided Clopper-Pearson lower bound of a proportion; 0.0 where nothing was tried."""
    if successes == 0 or trials == 0:
        return 0.0
    from scipy.stats import beta

    return float(beta.ppf(1 - confidence, successes, trials - successes + 1))


def bootstrap(groups: Sequence[Counts], metric: str, confidence: float, resamples: int, seed: int = 0) -> Interval:
    """Percentile interval of ``recall``, ``precision`` or ``f1``, resampling whole groups (the notes of one patient).

    Words of one patient are not independent: resampling words would make the interval too narrow.
    """
    if not groups:
        return Interval(0.0, 1.0)
    table = np.array([(g.true_positives, g.false_positives, g.false_negatives) for g in groups], dtype=np.int64)
    random = np.random.default_rng(seed)
    values = np.empty(resamples)
    for i in range(resamples):
        tp, fp, fn = table[random.integers(0, len(table), len(table))].sum(axis=0)
        values[i] = getattr(Counts(int(tp), int(fp), int(fn)), metric)
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(values, [tail, 1 - tail])
    return Interval(float(lower), float(upper))
