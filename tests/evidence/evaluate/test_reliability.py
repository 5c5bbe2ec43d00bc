"""Reliability: scores against the share of marked words that are identifiers."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.evidence.evaluate import ReliabilityTally

TEXT = "Maria Okafor saw Bruce today"


def span(word, score=1.0):
    start = TEXT.index(word)
    return Span(start, start + len(word), Entity.PATIENT, "transformer", score)


def test_each_marked_word_counts_once_in_the_bin_of_its_score():
    tally = ReliabilityTally()
    tally.add(TEXT, [span("Maria Okafor")], [span("Maria Okafor", 0.95), span("Bruce", 0.55), span("today", 0.59)])
    found = tally.finish()
    assert found.words == 4
    assert [(one.low, one.high, one.words, one.share) for one in found.bins] == [(0.5, 0.6, 2, 0.0), (0.9, 1.0, 2, 1.0)]
    assert found.bins[0].mean_score == pytest.approx(0.57)
    assert found.expected_calibration_error == pytest.approx((2 * 0.57 + 2 * 0.05) / 4)


def test_a_score_of_one_belongs_to_the_last_bin():
    tally = ReliabilityTally()
    tally.add(TEXT, [span("Bruce")], [span("Bruce")])
    (only,) = tally.finish().bins
    assert (only.low, only.high) == (0.9, 1.0)
    assert tally.finish().expected_calibration_error == 0.0


def test_the_interval_of_a_share_narrows_with_words():
    widths = []
    for notes in (1, 50):
        tally = ReliabilityTally()
        for _ in range(notes):
            tally.add(TEXT, [span("Maria")], [span("Maria", 0.8), span("Bruce", 0.8)])
        (only,) = tally.finish().bins
        assert only.interval.lower <= only.share == 0.5 <= only.interval.upper
        widths.append(only.interval.upper - only.interval.lower)
    assert widths[1] < widths[0]


def test_without_marked_words_there_is_no_bin():
    found = ReliabilityTally().finish()
    assert (found.words, found.bins, found.expected_calibration_error) == (0, (), 0.0)
