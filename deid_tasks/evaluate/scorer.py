"""Accumulates notes one at a time and gives the scores; memory grows with patients and entities, never with text."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from deid_tasks.entities import CATEGORY, GROUP_ENTITIES, Entity, Group
from deid_tasks.evaluate.scores import Counts, Interval, Score, bootstrap, exact_lower_bound
from deid_tasks.evaluate.words import label_words
from deid_tasks.span import Span

ALL = "ALL"
"""The row of the headline figure: identifying words against all others."""

METRICS = ("recall", "precision", "f1")


@dataclass(frozen=True)
class Evaluation:
    """The scores of one variant of the engine on one gold set."""

    notes: int
    words: int
    full_notes: int
    """Notes in which nothing was missed."""
    recall_lower_bound: float
    """One-sided: the lower of the patient bootstrap's and the exact binomial bound, so neither is picked for its answer."""
    scores: dict[tuple[str, str], Score] = field(default_factory=dict)
    """By (metric, entity); ``ALL`` is every entity, and each category and fine type has a row of its own."""

    @property
    def recall(self) -> float:
        """Word recall over all entities."""
        return self.scores["recall", ALL].value

    @property
    def precision(self) -> float:
        """Word precision over all entities."""
        return self.scores["precision", ALL].value

    def rows(self) -> Iterator[tuple[str, str, Score]]:
        """``(metric, entity, score)`` of every figure."""
        for (metric, entity), score in self.scores.items():
            yield metric, entity, score


class Scorer:
    """Word-level scores, identifier against none, as Murugadoss et al. 2021 count them.

    A fine type's recall is the share of its gold words that were found as any identifier; its precision the share of the words
    predicted as it that are any identifier: what matters first is that a word was found. Entities outside ``group`` are left
    out of the count on both sides.
    """

    def __init__(self, group: Group = Group.C, confidence: float = 0.95, resamples: int = 1_000) -> None:
        self._ignored = frozenset(map(str, frozenset(Entity) - GROUP_ENTITIES[group]))
        self._confidence = confidence
        self._resamples = resamples
        self._by_entity: defaultdict[str, Counts] = defaultdict(Counts)
        self._by_patient: defaultdict[str, Counts] = defaultdict(Counts)
        self._notes = self._words = self._full_notes = 0

    def add(self, text: str, gold: Sequence[Span], predicted: Sequence[Span], patient: str) -> Counts:
        """Score one note and return its counts."""
        tp = fp = fn = 0
        tallies: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for truth, guess in label_words(text, gold, predicted):
            self._words += 1
            if truth in self._ignored or (not truth and guess in self._ignored):
                continue
            if truth and guess:
                tp += 1
                tallies[truth][0] += 1
            elif guess:
                fp += 1
                tallies[guess][1] += 1
            elif truth:
                fn += 1
                tallies[truth][2] += 1
        for entity, tally in tallies.items():
            self._by_entity[entity] += Counts(*tally)
        counts = Counts(tp, fp, fn)
        self._by_patient[patient] += counts
        self._notes += 1
        self._full_notes += fn == 0
        return counts

    def finish(self) -> Evaluation:
        """The scores of everything added."""
        groups = [self._by_patient[key] for key in sorted(self._by_patient)]
        total = sum(groups, Counts())
        scores: dict[tuple[str, str], Score] = {}
        for metric in METRICS:
            interval = bootstrap(groups, metric, self._confidence, self._resamples)
            scores[metric, ALL] = Score(getattr(total, metric), interval, total)
        for name, counts in sorted(self._with_categories().items()):
            for metric in METRICS:
                scores[metric, name] = Score(getattr(counts, metric), _exact(counts, metric, self._confidence), counts)
        one_sided = bootstrap(groups, "recall", 2 * self._confidence - 1, self._resamples).lower
        exact = exact_lower_bound(total.true_positives, total.true_positives + total.false_negatives, self._confidence)
        return Evaluation(self._notes, self._words, self._full_notes, min(one_sided, exact), scores)

    def _with_categories(self) -> dict[str, Counts]:
        counts = dict(self._by_entity)
        for entity, own in self._by_entity.items():
            if entity in CATEGORY:
                category = f"category:{CATEGORY[Entity(entity)]}"
                counts[category] = counts.get(category, Counts()) + own
        return counts


def _exact(counts: Counts, metric: str, confidence: float) -> Interval:
    """Clopper-Pearson interval of a recall or a precision; F1 is no proportion and gets its own value twice."""
    wrong = {"recall": counts.false_negatives, "precision": counts.false_positives}.get(metric)
    if wrong is None:
        return Interval(counts.f1, counts.f1)
    right, two_sided = counts.true_positives, (1 + confidence) / 2
    return Interval(
        exact_lower_bound(right, right + wrong, two_sided), 1 - exact_lower_bound(wrong, right + wrong, two_sided)
    )
