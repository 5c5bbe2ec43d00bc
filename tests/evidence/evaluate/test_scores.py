"""Bounds and intervals against closed forms."""

import numpy as np
import pytest

from deid_tasks.evidence.evaluate.scores import (
    Bootstrap,
    Counts,
    Matches,
    bootstrap_interval,
    exact_interval,
    exact_lower_bound,
)


def test_the_exact_bound_is_clopper_pearson():
    # 5 % one-sided, from the closed form for no failures: alpha ** (1 / n).
    assert exact_lower_bound(100, 100, 0.95) == pytest.approx(0.05 ** (1 / 100))
    assert exact_lower_bound(0, 10, 0.95) == 0.0
    # Table value for 45 of 50 (Newcombe 1998, method 5: 0.782 to 0.967).
    interval = exact_interval(45, 50, 0.95)
    assert (interval.lower, interval.upper) == (pytest.approx(0.782, abs=1e-3), pytest.approx(0.967, abs=1e-3))
    assert exact_interval(0, 0, 0.95).lower == 0.0


def test_the_bootstrap_resamples_patients():
    agreeing = [Counts(90, 0, 10)] * 50
    spread = [Counts(100, 0, 0)] * 45 + [Counts(0, 0, 100)] * 5
    narrow = bootstrap_interval(agreeing, "recall", 0.95, 500)
    wide = bootstrap_interval(spread, "recall", 0.95, 500)
    assert narrow.lower == narrow.upper == pytest.approx(0.9)
    assert wide.lower < 0.85 < wide.upper
    assert bootstrap_interval([], "recall", 0.95, 100).upper == 1.0


def test_the_bootstrap_is_wide_as_theory_says():
    # The mean of n independent patients of equal size: its standard error is that of a proportion.
    rng = np.random.default_rng(7)
    groups = [Counts(int(hit), 0, 1 - int(hit)) for hit in rng.random(400) < 0.9]
    interval = bootstrap_interval(groups, "recall", 0.95, 4_000)
    share = sum(g.true_positives for g in groups) / 400
    assert interval.upper - interval.lower == pytest.approx(2 * 1.96 * (share * (1 - share) / 400) ** 0.5, rel=0.1)


def test_columns_see_the_same_resamples():
    patients = np.random.default_rng(1).integers(1, 9, (40, 1, 4)).astype(float)
    patients[:, :, 0] = np.minimum(patients[:, :, 0], patients[:, :, 1])
    doubled = Bootstrap(np.concatenate([patients, 2 * patients], axis=1), 200)
    assert (doubled.values(0, "recall") == doubled.values(1, "recall")).all()


@pytest.mark.parametrize(
    ("matches", "recall", "precision", "f1"),
    [
        (Matches(3, 4, 3, 6), 0.75, 0.5, 0.6),
        (Matches(), 1.0, 1.0, 1.0),
        (Matches(0, 4, 0, 4), 0.0, 0.0, 0.0),
        (Matches(1.5, 2, 1.5, 3), 0.75, 0.5, 0.6),
    ],
)
def test_values(matches, recall, precision, f1):
    found = [matches.value(metric) for metric in ("recall", "precision", "f1")]
    assert found == pytest.approx([recall, precision, f1], abs=6e-5)


@pytest.mark.parametrize(
    ("gold", "missed", "wrong", "recall", "precision", "f1"),
    [
        # Lin 2020, tables 5.1 (and its confusion matrix, 5.3) and 5.2: identifying tokens, FN, FP, recall, precision, F1.
        (15_184, 293, 174, 98.07, 98.85, 98.46),
        (23_030, 367, 191, 98.41, 99.16, 98.78),
        (15_317, 297, 181, 98.06, 98.81, 98.43),
        (11_462, 679, 511, 94.08, 95.48, 94.77),
        (15_184, 940, 143, 93.81, 99.01, 96.34),
        (23_030, 1_808, 649, 92.15, 97.03, 94.53),
        (15_317, 941, 220, 93.86, 98.49, 96.12),
        (11_462, 4_344, 3_341, 62.10, 68.06, 64.94),
    ],
)
def test_published_tables(gold, missed, wrong, recall, precision, f1):
    found = gold - missed
    matches = Matches(found, gold, found, found + wrong)
    assert [100 * matches.value(m) for m in ("recall", "precision", "f1")] == pytest.approx(
        [recall, precision, f1], abs=0.0101
    )
    assert matches.counts == Counts(found, wrong, missed)


def test_a_difference_of_columns_is_paired():
    patients = np.random.default_rng(2).integers(1, 50, (60, 1, 4)).astype(float)
    patients[:, :, 1] = 50
    less = patients.copy()
    less[:, :, 0] -= 1
    interval = Bootstrap(np.concatenate([patients, less], axis=1), 300).difference(0, 1, "recall", 0.95)
    assert (interval.lower, interval.upper) == (pytest.approx(0.02), pytest.approx(0.02))
