"""Figures with their intervals, from counts."""

from collections.abc import Mapping

import numpy as np

from deid_tasks.evidence.evaluate.counts import METRICS, Counts, MatchCounts
from deid_tasks.evidence.evaluate.evaluation import ALL, WORD, Figure
from deid_tasks.evidence.evaluate.intervals import Array, Bootstrap, Interval, exact_interval, exact_lower_bound

_WORDS_PER_RATE = 1_000
"""Over-redaction is given per this number of words."""


def figures_of_column(
    view: str, stratum: str, total: MatchCounts, bootstrap: Bootstrap, column: int, confidence: float
) -> list[Figure]:
    """Return the figures of one view over all notes and entities; intervals from column ``column`` of the bootstrap."""
    return [
        _figure(view, stratum, ALL, metric, total, bootstrap.interval(column, metric, confidence), confidence)
        for metric in METRICS
    ]


def figures_of_entity(view: str, entity: str, matches: MatchCounts, confidence: float) -> list[Figure]:
    """Return the figures of one entity or category, with exact intervals: it may have too few words to resample."""
    figures = []
    for metric in METRICS:
        value = matches.value(metric)
        interval = Interval(value, value)
        if metric != "f1":
            interval = exact_interval(*matches.proportion(metric), confidence)
        figures.append(_figure(view, "", entity, metric, matches, interval, confidence))
    return figures


def figures_of_stratum(stratum: str, patients: Array, resamples: int, confidence: float) -> list[Figure]:
    """Return the headline figures of some of the notes.

    A bootstrap over few patients is too narrow, and an exact interval ignores that words of one patient depend on each
    other. Each end of the interval is therefore the wider one of both.

    Args:
        stratum: ``note_type=…``, ``period=…`` or another name and value.
        patients: Shape (patients, 4): found, gold, correct and predicted words of each patient with such notes.
        resamples: Of the bootstrap.
        confidence: Of the intervals.
    """
    bootstrap = Bootstrap(patients[:, None, :], resamples)
    total = match_counts_of(patients.sum(axis=0))
    figures = []
    for metric in METRICS:
        interval = bootstrap.interval(0, metric, confidence)
        if metric != "f1":
            exact = exact_interval(*total.proportion(metric), confidence)
            interval = Interval(min(interval.lower, exact.lower), max(interval.upper, exact.upper))
        figures.append(_figure(WORD, stratum, ALL, metric, total, interval, confidence))
    return figures


def figures_of_notes(full: int, notes: int, wrong: int, plain_words: int, confidence: float) -> list[Figure]:
    """Return the share of notes with nothing missed, and the rate of over-redaction.

    Args:
        full: Notes with nothing missed.
        notes: All notes.
        wrong: Words that were marked although they are not identifiers.
        plain_words: All words that are not identifiers.
        confidence: Of the intervals.
    """
    figures = []
    for metric, hits, trials, scale, if_empty, counts in (
        ("full", full, notes, 1, 1.0, Counts(full, 0, notes - full)),
        ("over_redaction", wrong, plain_words, _WORDS_PER_RATE, 0.0, Counts(0, wrong, 0)),
    ):
        interval = exact_interval(hits, trials, confidence)
        value = scale * hits / trials if trials else if_empty
        lower = scale * exact_lower_bound(hits, trials, confidence)
        figures.append(
            Figure(WORD, "", ALL, metric, value, scale * interval.lower, scale * interval.upper, counts, lower)
        )
    return figures


def share_of_patients(full: int, patients: int, confidence: float) -> Figure:
    """Return the share of patients in whose notes nothing was missed, with its exact interval."""
    interval, counts = exact_interval(full, patients, confidence), Counts(full, 0, patients - full)
    lower = exact_lower_bound(full, patients, confidence)
    value = full / patients if patients else 1.0
    return Figure(WORD, "", ALL, "full_patients", value, interval.lower, interval.upper, counts, lower)


def match_counts_of(row: Array) -> MatchCounts:
    """Return four summed numbers (found, gold, correct, predicted) as ``MatchCounts``."""
    found, gold, correct, predicted = np.asarray(row, dtype=np.float64).tolist()
    return MatchCounts(found, int(gold), correct, int(predicted))


def add_labels(
    by_label: Mapping[tuple[str, str], MatchCounts], view: str, gold: str, predicted: str, correct: int, words: int
) -> None:
    """Count words with a gold and a predicted label in the rows of both; an empty label has no row."""
    if gold:
        by_label[view, gold].add(correct, words, 0, 0)
    if predicted:
        by_label[view, predicted].add(0, 0, correct, words)


def _figure(
    view: str, stratum: str, entity: str, metric: str, matches: MatchCounts, interval: Interval, confidence: float
) -> Figure:
    lower = None if metric == "f1" else exact_lower_bound(*matches.proportion(metric), confidence)
    value = matches.value(metric)
    return Figure(view, stratum, entity, metric, value, interval.lower, interval.upper, matches.counts, lower)
