"""Recall, precision and F1 from counts, against hand-made and published tables."""

import pytest

from deid_tasks.evidence.evaluate.counts import Counts, MatchCounts


@pytest.mark.parametrize(
    ("matches", "recall", "precision", "f1"),
    [
        (MatchCounts(3, 4, 3, 6), 0.75, 0.5, 0.6),
        (MatchCounts(), 1.0, 1.0, 1.0),
        (MatchCounts(0, 4, 0, 4), 0.0, 0.0, 0.0),
        (MatchCounts(1.5, 2, 1.5, 3), 0.75, 0.5, 0.6),
    ],
)
def test_values(matches, recall, precision, f1):
    found = [matches.value(metric) for metric in ("recall", "precision", "f1")]
    assert found == pytest.approx([recall, precision, f1], abs=6e-5)


@pytest.mark.parametrize(
    ("gold", "missed", "wrong", "recall", "precision", "f1"),
    [
        # Lin 2020, tables 5.1 (and its confusion matrix, 5.3) and 5.2: identifying tokens, FN, FP, recall, precision,
        # F1.
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
    matches = MatchCounts(found, gold, found, found + wrong)
    assert [100 * matches.value(m) for m in ("recall", "precision", "f1")] == pytest.approx(
        [recall, precision, f1], abs=0.0101
    )
    assert matches.counts == Counts(found, wrong, missed)
