"""What remains in a release: rates by note type times the published notes, with intervals that cover."""

import numpy as np
import pytest

from deid_tasks.evidence.evaluate import Cluster
from deid_tasks.evidence.release import estimate_residual, patients_affected, scale_errors
from deid_tasks.evidence.release.residual import poisson_interval


def cluster(patient: int, note_type: str, notes: int, missed: int, affected: int | None = None) -> Cluster:
    return Cluster(patient, note_type, notes, min(notes, missed) if affected is None else affected, 10 * notes, missed)


def test_each_type_has_its_own_rate_and_others_the_rate_of_all():
    clusters = [cluster(1, "nursing", 4, 2), cluster(2, "nursing", 4, 0), cluster(2, "letter", 2, 1)]
    found = estimate_residual(clusters, {"nursing": 800, "letter": 100, "radiology": 50}, 0.95, 500)
    rows = {row.note_type: row for row in found.note_types}
    assert (rows["nursing"].expected, rows["letter"].expected) == (pytest.approx(200), pytest.approx(50))
    assert rows["radiology"].is_borrowed
    assert rows["radiology"].expected == pytest.approx(50 * 3 / 10)
    assert found.identifiers.expected == pytest.approx(265)
    assert found.identifiers.lower <= 265 <= found.identifiers.upper
    assert found.borrowed_share == pytest.approx(50 / 950)
    assert (found.gold_notes, found.gold_missed, found.gold_patients, found.published) == (10, 3, 2, 950)


def test_nothing_missed_does_not_mean_that_nothing_remains():
    found = estimate_residual([cluster(n, "letter", 1, 0) for n in range(100)], {"letter": 10_000}, 0.95, 200)
    assert (found.identifiers.expected, found.identifiers.lower) == (0, 0)
    # The exact limit of 0 of 100 notes: 3.69 in 100 notes, two-sided.
    assert found.identifiers.upper == pytest.approx(368.9, abs=0.1)
    assert found.notes.upper == pytest.approx(362.2, abs=0.1)


def test_notes_with_a_leak_are_at_most_the_published_notes():
    found = estimate_residual([cluster(1, "letter", 1, 9, affected=1)], {"letter": 10}, 0.95, 100)
    assert found.notes.upper == found.notes.expected == 10
    assert found.identifiers.expected == 90


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    rng, covered, trials = np.random.default_rng(3), 0, 60
    for _ in range(trials):
        # Patients differ in how often something is missed, as real ones do.
        rates = rng.gamma(2, 0.05, size=80)
        clusters = [cluster(n, "letter", 3, int(rng.poisson(3 * rate))) for n, rate in enumerate(rates)]
        found = estimate_residual(clusters, {"letter": 1_000}, 0.95, 400)
        covered += found.identifiers.lower <= 100 <= found.identifiers.upper
    assert covered >= 0.85 * trials


def test_without_gold_notes_nothing_is_estimated():
    with pytest.raises(ValueError, match="no gold notes"):
        estimate_residual([], {"letter": 1}, 0.95, 100)


def test_poisson_intervals_are_those_of_the_tables():
    assert (poisson_interval(0, 0.95).lower, poisson_interval(0, 0.95).upper) == (0, pytest.approx(3.6889, abs=1e-4))
    assert poisson_interval(10, 0.95).lower == pytest.approx(4.7954, abs=1e-4)
    assert poisson_interval(10, 0.95).upper == pytest.approx(18.3904, abs=1e-4)


def test_a_patient_with_many_notes_is_reached_more_often():
    few, many = (patients_affected(5, 100, {notes: 50}, 0.95) for notes in (1, 20))
    assert few.expected == pytest.approx(50 * (1 - np.exp(-0.05)))
    assert few.expected < many.expected < 50
    assert many.lower < many.expected < many.upper < 50
    assert patients_affected(0, 100, {3: 10}, 0.95).expected == 0


def test_kinds_are_scaled_with_their_own_intervals():
    found = scale_errors({"DATE": 10, "MRN": 0}, 100, 1_000, 0.95)
    assert (found["DATE"].expected, found["MRN"].expected) == (100, 0)
    assert found["MRN"].upper == pytest.approx(36.889, abs=1e-3)
