"""How far two annotators agree, word by word: Cohen's kappa of a two-by-two table, and how sure one can be of it.

The table and the words are those of Murugadoss et al. 2021 (supplement, "Inter-rater reliability"): each word is identifying
or not, whatever its entity.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Agreement:
    """Words by what two annotators (or two groups of annotators) said of them."""

    both: int = 0
    """Marked by both."""
    first: int = 0
    """Marked by the first alone."""
    second: int = 0
    """Marked by the second alone."""
    neither: int = 0

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(
            self.both + other.both,
            self.first + other.first,
            self.second + other.second,
            self.neither + other.neither,
        )

    @property
    def words(self) -> int:
        """Words looked at."""
        return self.both + self.first + self.second + self.neither

    @property
    def observed(self) -> float:
        """Share of words on which the two agree; 1.0 where there are no words."""
        return (self.both + self.neither) / self.words if self.words else 1.0

    @property
    def expected(self) -> float:
        """Share on which two would agree by chance who mark as many words as these; 1.0 where there are no words."""
        if not self.words:
            return 1.0
        marked = (self.both + self.first) * (self.both + self.second)
        unmarked = (self.second + self.neither) * (self.first + self.neither)
        return (marked + unmarked) / self.words**2

    @property
    def kappa(self) -> float:
        """Cohen's kappa (1960), in [-1, 1]; 1.0 where both put every word into the same one class, and chance explains all."""
        chance = self.both * self.neither - self.first * self.second
        spread = _spread(self)
        return 2 * chance / spread if spread else 1.0

    @property
    def positive(self) -> float:
        """Agreement on identifiers alone: words marked by both, twice, over all marks. It is the F1 of one against the other.

        Kappa itself means nothing on the words that at least one marked: there no word is left on which both said no.
        """
        marks = 2 * self.both + self.first + self.second
        return 2 * self.both / marks if marks else 1.0

    @property
    def standard_error(self) -> float:
        """Of kappa, were words independent of each other (Fleiss, Cohen and Everitt 1969)."""
        slopes, counts = _slopes(self), _counts(self)
        return math.sqrt(float((counts * slopes**2).sum()))


def interval(groups: Iterable[Agreement], confidence: float = 0.95) -> tuple[float, float]:
    """Two-sided interval of the kappa of all ``groups`` together, by the delta method with whole groups as what varies.

    The words of one patient are not independent, so the tables come one a patient: an interval over words would be too narrow.
    With fewer than two groups nothing is known, and the interval is [-1, 1].
    """
    tables = list(groups)
    if len(tables) < 2:
        return -1.0, 1.0
    total = sum(tables, Agreement())
    # Kappa does not change when every count is doubled, so the slopes' mean over groups is 0 and needs no subtracting.
    influence = np.array([_counts(table) for table in tables]) @ _slopes(total)
    error = math.sqrt(float((influence**2).sum()) * len(tables) / (len(tables) - 1))
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    return max(-1.0, total.kappa - reach), min(1.0, total.kappa + reach)


def _spread(table: Agreement) -> int:
    """The denominator of kappa, where its numerator is twice the determinant of the table."""
    a, b, c, d = table.both, table.first, table.second, table.neither
    return (a + b) * (b + d) + (a + c) * (c + d)


def _counts(table: Agreement) -> NDArray[np.float64]:
    return np.array([table.both, table.first, table.second, table.neither], dtype=np.float64)


def _slopes(table: Agreement) -> NDArray[np.float64]:
    """How kappa changes with each of the four counts."""
    a, b, c, d = _counts(table)
    spread = (a + b) * (b + d) + (a + c) * (c + d)
    if not spread:
        return np.zeros(4)
    twice_determinant = 2 * (a * d - b * c)
    rising = np.array([2 * d, -2 * c, -2 * b, 2 * a])
    widening = np.array([b + c + 2 * d, a + 2 * b + d, a + 2 * c + d, 2 * a + b + c])
    slopes: NDArray[np.float64] = (rising * spread - twice_determinant * widening) / spread**2
    return slopes
