"""Counts of matching words or spans, and the recall, precision and F1 that they give."""

from dataclasses import dataclass

METRICS = ("recall", "precision", "f1")


@dataclass(frozen=True, slots=True)
class Counts:
    """Words, or spans, that were found correctly, found wrongly, and missed."""

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
class MatchCounts:
    """The four numbers behind a score.

    For words, ``found`` equals ``correct``. For spans they may differ: two predicted spans may cover one gold span.
    Half credit makes them fractions.
    """

    found: float = 0.0
    """Gold items that were found."""
    gold: int = 0
    """Gold items."""
    correct: float = 0.0
    """Predicted items that are gold."""
    predicted: int = 0
    """Predicted items."""

    def add(self, found: float, gold: int, correct: float, predicted: int) -> None:
        """Add to each of the four numbers."""
        self.found += found
        self.gold += gold
        self.correct += correct
        self.predicted += predicted

    @property
    def row(self) -> tuple[float, int, float, int]:
        """The four numbers."""
        return self.found, self.gold, self.correct, self.predicted

    @property
    def counts(self) -> Counts:
        """The same in whole items, with half credit rounded up."""
        found, correct = int(self.found + 0.5), int(self.correct + 0.5)
        return Counts(found, self.predicted - correct, self.gold - found)

    def proportion(self, metric: str) -> tuple[float, int]:
        """Return numerator and denominator of ``recall`` or ``precision``."""
        return (self.found, self.gold) if metric == "recall" else (self.correct, self.predicted)

    def value(self, metric: str) -> float:
        """Return ``recall``, ``precision`` or ``f1``; 1.0 if there was no gold item, or no predicted one."""
        recall = self.found / self.gold if self.gold else 1.0
        precision = self.correct / self.predicted if self.predicted else 1.0
        if metric == "recall":
            return recall
        if metric == "precision":
            return precision
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
