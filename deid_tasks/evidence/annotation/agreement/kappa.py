"""Cohen's kappa of two annotators, word by word, with its interval.

The table and the words are those of Murugadoss et al. 2021 (supplement, "Inter-rater reliability"): each word is an
identifier or not, whatever its entity.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """The number of words by the labels that two annotators, or two groups of annotators, gave them."""

    both: int = 0
    """Words that both marked."""
    first: int = 0
    """Words that the first alone marked."""
    second: int = 0
    """Words that the second alone marked."""
    neither: int = 0
    """Words that neither marked."""

    def __add__(self, other: "AgreementTable") -> "AgreementTable":
        return AgreementTable(
            self.both + other.both,
            self.first + other.first,
            self.second + other.second,
            self.neither + other.neither,
        )

    @property
    def words(self) -> int:
        """The number of words compared."""
        return self.both + self.first + self.second + self.neither

    @property
    def kappa(self) -> float:
        """Cohen's kappa (1960), in [-1, 1]; 1.0 if both put every word into the same single class."""
        determinant = self.both * self.neither - self.first * self.second
        denominator = _kappa_denominator(self)
        return 2 * determinant / denominator if denominator else 1.0

    @property
    def positive(self) -> float:
        """Agreement on identifiers alone: twice the words that both marked, divided by all marks.

        This equals the F1 of one annotator against the other. Kappa is undefined on these words: none of them is
        unmarked by both.
        """
        marks = 2 * self.both + self.first + self.second
        return 2 * self.both / marks if marks else 1.0


def kappa_interval(groups: Iterable[AgreementTable], confidence: float = 0.95) -> tuple[float, float]:
    """Return the two-sided interval of kappa over all ``groups`` together, by the delta method with groups as the
    sampling unit.

    The words of one patient depend on each other, so callers pass one table per patient; an interval over words would
    be too narrow.

    Args:
        groups: One table per patient.
        confidence: The coverage of the interval.

    Returns:
        Lower and upper end, within [-1, 1]. With fewer than two groups the interval is [-1, 1].
    """
    tables = list(groups)
    if len(tables) < 2:
        return -1.0, 1.0
    total = sum(tables, AgreementTable())
    # Kappa does not change if every count is doubled, so the mean influence over groups is 0 and needs no subtraction.
    influence = np.array([_counts(table) for table in tables]) @ _kappa_gradient(total)
    error = math.sqrt(float((influence**2).sum()) * len(tables) / (len(tables) - 1))
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    return max(-1.0, total.kappa - reach), min(1.0, total.kappa + reach)


def _kappa_denominator(table: AgreementTable) -> int:
    """The denominator of kappa, if its numerator is twice the determinant of the table."""
    a, b, c, d = table.both, table.first, table.second, table.neither
    return (a + b) * (b + d) + (a + c) * (c + d)


def _counts(table: AgreementTable) -> NDArray[np.float64]:
    return np.array([table.both, table.first, table.second, table.neither], dtype=np.float64)


def _kappa_gradient(table: AgreementTable) -> NDArray[np.float64]:
    """The partial derivatives of kappa by the four counts."""
    a, b, c, d = _counts(table)
    denominator = (a + b) * (b + d) + (a + c) * (c + d)
    if not denominator:
        return np.zeros(4)
    numerator = 2 * (a * d - b * c)
    numerator_gradient = np.array([2 * d, -2 * c, -2 * b, 2 * a])
    denominator_gradient = np.array([b + c + 2 * d, a + 2 * b + d, a + 2 * c + d, 2 * a + b + c])
    gradient: NDArray[np.float64] = (
        numerator_gradient * denominator - numerator * denominator_gradient
    ) / denominator**2
    return gradient
