"""Bounds and intervals against closed forms."""

import numpy as np
import pytest

from deid_tasks.evidence.evaluate.intervals import Bootstrap, exact_interval, exact_lower_bound


def recall_interval(patients, resamples):
    """The 95 % bootstrap interval of recall over ``patients``, found and missed words each."""
    rows = [(found, found + missed, found, found) for found, missed in patients]
    return Bootstrap(np.array(rows, dtype=float).reshape(-1, 1, 4), resamples).interval(0, "recall", 0.95)


def test_the_exact_bound_is_clopper_pearson():
    # 5 % one-sided, from the closed form for no failures: alpha ** (1 / n).
    assert exact_lower_bound(100, 100, 0.95) == pytest.approx(0.05 ** (1 / 100))
    assert exact_lower_bound(0, 10, 0.95) == 0.0
    # Table value for 45 of 50 (Newcombe 1998, method 5: 0.782 to 0.967).
    interval = exact_interval(45, 50, 0.95)
    assert (interval.lower, interval.upper) == (pytest.approx(0.782, abs=1e-3), pytest.approx(0.967, abs=1e-3))
    assert exact_interval(0, 0, 0.95).lower == 0.0


def test_the_bootstrap_resamples_patients():
    narrow = recall_interval([(90, 10)] * 50, 500)
    wide = recall_interval([(100, 0)] * 45 + [(0, 100)] * 5, 500)
    assert narrow.lower == narrow.upper == pytest.approx(0.9)
    assert wide.lower < 0.85 < wide.upper
    assert recall_interval([], 100).upper == 1.0


def test_the_bootstrap_is_wide_as_theory_says():
    # The mean of n independent patients of equal size: its standard error is that of a proportion.
    rng = np.random.default_rng(7)
    patients = [(int(hit), 1 - int(hit)) for hit in rng.random(400) < 0.9]
    interval = recall_interval(patients, 4_000)
    share = sum(found for found, _ in patients) / 400
    assert interval.upper - interval.lower == pytest.approx(2 * 1.96 * (share * (1 - share) / 400) ** 0.5, rel=0.1)


def test_columns_see_the_same_resamples():
    patients = np.random.default_rng(1).integers(1, 9, (40, 1, 4)).astype(float)
    patients[:, :, 0] = np.minimum(patients[:, :, 0], patients[:, :, 1])
    doubled = Bootstrap(np.concatenate([patients, 2 * patients], axis=1), 200)
    assert (doubled.values(0, "recall") == doubled.values(1, "recall")).all()


def test_a_difference_of_columns_is_paired():
    patients = np.random.default_rng(2).integers(1, 50, (60, 1, 4)).astype(float)
    patients[:, :, 1] = 50
    less = patients.copy()
    less[:, :, 0] -= 1
    interval = Bootstrap(np.concatenate([patients, less], axis=1), 300).difference(0, 1, "recall", 0.95)
    assert (interval.lower, interval.upper) == (pytest.approx(0.02), pytest.approx(0.02))
