"""Logistic regression with a quadratic penalty, by L-BFGS (scipy)."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from deid_tasks.engine.recover.confidence.model import COLUMNS, INTERCEPT
from deid_tasks.learning.confidence.observations import Observation

PENALTY = 4.0
"""Weight of half the sum of squared weights; the intercept of all spans is free."""
MIN_SPANS = 5
"""A weight rests on at least so many spans."""
_DIGITS = 3


def fit_weights(
    observations: Sequence[Observation], penalty: float = PENALTY, min_spans: int = MIN_SPANS
) -> dict[tuple[str, str], float]:
    """Return the weight of each feature and group of entities; the group is empty for the weight of all spans.

    Args:
        observations: spans with their features. A span of which a part is an identifier counts as both.
        penalty: how strongly weights are drawn towards 0.
        min_spans: of a feature in a group that fewer spans have, there is no weight.
    """
    counts = Counter(key for one in observations for key in _keys(one))
    free = (INTERCEPT, "")
    columns = [free, *sorted(key for key, count in counts.items() if count >= min_spans and key != free)]
    position = {key: column for column, key in enumerate(columns)}
    design = _design(observations, position)
    share = np.array([one.share for one in observations])
    weight = np.array([one.weight for one in observations])
    penalties = np.full(len(columns), penalty)
    penalties[position[free]] = 0.0

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        odds = design @ weights
        probability = 1 / (1 + np.exp(-odds))
        value = float(np.sum(weight * (np.logaddexp(0, odds) - share * odds)))
        slope = design.T @ (weight * (probability - share)) + penalties * weights
        return value + float(penalties @ weights**2) / 2, slope

    fitted = minimize(loss, np.zeros(len(columns)), jac=True, method="L-BFGS-B", options={"maxiter": 1_000})
    return {key: round(float(value), _DIGITS) for key, value in zip(columns, fitted.x, strict=True)}


def write_weights(weights: Mapping[tuple[str, str], float], path: Path) -> None:
    """Write the weights as a table that ``ConfidenceModel.open`` reads; weights of 0 are left out."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(
            (name, group, f"{value:g}")
            for (name, group), value in sorted(weights.items())
            if value or (name, group) == (INTERCEPT, "")
        )


def _keys(one: Observation) -> list[tuple[str, str]]:
    return [(name, group) for name in (INTERCEPT, *one.features) for group in ("", one.group)]


def _design(observations: Sequence[Observation], position: Mapping[tuple[str, str], int]) -> csr_array:
    rows, columns, values = list[int](), list[int](), list[float]()
    for row, one in enumerate(observations):
        for name, value in {INTERCEPT: 1.0, **one.features}.items():
            for group in ("", one.group):
                if (column := position.get((name, group))) is not None:
                    rows.append(row)
                    columns.append(column)
                    values.append(value)
    return csr_array((values, (rows, columns)), shape=(len(observations), len(position)))
