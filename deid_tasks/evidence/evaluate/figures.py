"""Counts to figures, each with its interval."""

from collections.abc import Mapping

import numpy as np

from deid_tasks.evidence.evaluate.evaluation import ALL, WORD, Figure
from deid_tasks.evidence.evaluate.scores import (
    METRICS,
    Array,
    Bootstrap,
    Counts,
    Interval,
    Matches,
    exact_interval,
    exact_lower_bound,
)


def figures_of_column(
    view: str, stratum: str, total: Matches, bootstrap: Bootstrap, column: int, confidence: float
) -> list[Figure]:
    """What is counted over all notes and entities: intervals from the bootstrap."""
    return [
        _figure(view, stratum, ALL, metric, total, bootstrap.interval(column, metric, confidence), confidence)
        for metric in METRICS
    ]


def figures_of_part(view: str, entity: str, matches: Matches, confidence: float) -> list[Figure]:
    """One entity or category: exact intervals, for there can be too few of its words to resample."""
    figures = []
    for metric in METRICS:
        value = matches.value(metric)
        interval = Interval(value, value)
        if metric != "f1":
            interval = exact_interval(*matches.proportion(metric), confidence)
        figures.append(_figure(view, "", entity, metric, matches, interval, confidence))
    return figures


def figures_of_stratum(stratum: str, patients: Array, resamples: int, confidence: float) -> list[Figure]:
    """The headline on some of the notes; ``patients`` holds four numbers for each patient that has any.

    Resampling a handful of patients says less than it seems to, and exact bounds know nothing of patients: the wider end of both counts.
    """
    bootstrap = Bootstrap(patients[:, None, :], resamples)
    total = matches_of(patients.sum(axis=0))
    figures = []
    for metric in METRICS:
        interval = bootstrap.interval(0, metric, confidence)
        if metric != "f1":
            exact = exact_interval(*total.proportion(metric), confidence)
            interval = Interval(min(interval.lower, exact.lower), max(interval.upper, exact.upper))
        figures.append(_figure(WORD, stratum, ALL, metric, total, interval, confidence))
    return figures


def figures_of_notes(full: int, notes: int, wrong: int, plain_words: int, confidence: float) -> list[Figure]:
    """Notes with nothing missed, and what was marked beyond need."""
    figures = []
    for metric, hits, trials, unit, empty, counts in (
        ("full", full, notes, 1, 1.0, Counts(full, 0, notes - full)),
        ("over_redaction", wrong, plain_words, 1_000, 0.0, Counts(0, wrong, 0)),
    ):
        interval = exact_interval(hits, trials, confidence)
        value = unit * hits / trials if trials else empty
        lower = unit * exact_lower_bound(hits, trials, confidence)
        figures.append(
            Figure(WORD, "", ALL, metric, value, unit * interval.lower, unit * interval.upper, counts, lower)
        )
    return figures


def matches_of(row: Array) -> Matches:
    """Four summed numbers as ``Matches``."""
    found, gold, right, predicted = np.asarray(row, dtype=np.float64).tolist()
    return Matches(found, int(gold), right, int(predicted))


def add_labels(
    parts: Mapping[tuple[str, str], Matches], view: str, names: tuple[str, str], right: int, count: int
) -> None:
    """Count words that ``names`` call this in the gold and that in the prediction; an empty name is no label."""
    truth, guess = names
    if truth:
        parts[view, truth].add(right, count, 0, 0)
    if guess:
        parts[view, guess].add(0, 0, right, count)


def _figure(
    view: str, stratum: str, entity: str, metric: str, matches: Matches, interval: Interval, confidence: float
) -> Figure:
    lower = None if metric == "f1" else exact_lower_bound(*matches.proportion(metric), confidence)
    value = matches.value(metric)
    return Figure(view, stratum, entity, metric, value, interval.lower, interval.upper, matches.counts, lower)
