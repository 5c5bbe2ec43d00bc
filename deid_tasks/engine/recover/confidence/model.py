"""The confidence model: a logistic regression over the features of a span.

Every feature has one weight for all spans and one for each group of entities. The weights stand in ``weights.tsv``,
which people can read: the log-odds that a feature of 1 adds.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import ModelError
from deid_tasks.core.span import Span
from deid_tasks.engine.recover.confidence.evidence import SpanEvidence, collect_evidence
from deid_tasks.engine.recover.confidence.features import Features, group_of, note_features
from deid_tasks.engine.recover.document_terms import DocumentTerms

WEIGHTS = Path(__file__).with_name("weights.tsv")
COLUMNS = ("feature", "group", "weight")
INTERCEPT = "intercept"
"""The feature that is 1 for every span."""
_DIGITS = 4
_SAYING_LITTLE = frozenset((Entity.INITIALS, Entity.AGE, Entity.LOCATION_OTHER, Entity.OTHER_ID))
"""What tells little of a person by itself, and is more often a wrong guess than a name of equal probability."""
_FACTOR = 2
"""How many times the least probability these must have."""


@dataclass(frozen=True)
class ConfidenceModel:
    """The weights of the features."""

    weights: Mapping[tuple[str, str], float] = field(repr=False)
    """By feature and group of entities; the group is empty for the weight of all spans."""

    @classmethod
    def open(cls, path: Path = WEIGHTS) -> "ConfidenceModel":
        """Return the model of a file.

        Raises:
            ModelError: the file is missing or damaged; the text names it.
        """
        try:
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file, delimiter="\t"))
            weights = {(row["feature"], row["group"]): float(row["weight"]) for row in rows}
        except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError, csv.Error) as error:
            raise ModelError(f"{path}: no weights of a confidence model ({type(error).__name__})") from None
        if not all(map(math.isfinite, weights.values())) or (INTERCEPT, "") not in weights:
            raise ModelError(f"{path}: a weight is not a number, or the intercept is missing")
        return cls(weights)

    def probability(self, features: Features, group: str) -> float:
        """Return the probability that a span of ``group`` with these features is an identifier, to four digits."""
        weights = self.weights
        odds = weights[INTERCEPT, ""] + weights.get((INTERCEPT, group), 0.0)
        for name, value in features.items():
            odds += value * (weights.get((name, ""), 0.0) + weights.get((name, group), 0.0))
        # Rounded, so that the last bits, which differ between processors, decide nothing.
        return round(1 / (1 + math.exp(-max(-30.0, min(30.0, odds)))), _DIGITS)


@cache
def default_model() -> ConfidenceModel:
    """Return the model that the package ships.

    Raises:
        ModelError: its file is missing or damaged.
    """
    return ConfidenceModel.open()


def assess(
    terms: DocumentTerms,
    kept: Sequence[Span],
    recovered: Sequence[Span],
    spans_by_detector: Mapping[str, Sequence[Span]],
    min_confidence: float,
    model: ConfidenceModel | None = None,
) -> tuple[list[Span], list[Span]]:
    """Return the spans that are kept, with their probability as score, and those that are recovered.

    What a model alone found is recovered where its probability is below ``min_confidence``; initials, ages, rooms and
    other numbers are below twice that. What the rules of recovery removed stays recovered. A span that the
    institution's own dictionaries, rules or records found keeps its score.

    Args:
        terms: the note's tokens and dictionary terms.
        kept: the spans that the rules of recovery kept.
        recovered: those that they removed.
        spans_by_detector: what each detector found.
        min_confidence: the lowest probability of a kept span that a model alone found.
        model: the model; the shipped one where ``None``.
    """
    weights = model or default_model()
    evidence = collect_evidence(kept, recovered, spans_by_detector)
    staying, leaving = list[Span](), list(recovered)
    for one, features in zip(evidence, note_features(terms, evidence), strict=True):
        if one.is_recovered:
            continue
        if one.has_own:
            staying.append(one.span)
            continue
        probability = weights.probability(features, group_of(one.span.entity))
        scored = replace(one.span, score=probability)
        least = min_confidence * (_FACTOR if one.span.entity in _SAYING_LITTLE else 1)
        is_kept = probability >= least or not one.is_of_models_alone
        (staying if is_kept else leaving).append(scored)
    return staying, sorted(leaving)


def evidence_features(
    terms: DocumentTerms,
    kept: Sequence[Span],
    recovered: Sequence[Span],
    spans_by_detector: Mapping[str, Sequence[Span]],
) -> list[tuple[SpanEvidence, Features]]:
    """Return the evidence and the features of each merged span of a note, to fit weights on."""
    evidence = collect_evidence(kept, recovered, spans_by_detector)
    return list(zip(evidence, note_features(terms, evidence), strict=True))
