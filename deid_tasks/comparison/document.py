"""A comparison as JSON values: figures, failures, speeds and versions. It holds no text of a note."""

import datetime
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deid_tasks.comparison.gold import ComparedSet
from deid_tasks.comparison.scores import METRICS, SystemScores
from deid_tasks.core.entities import Category
from deid_tasks.core.policies import EXPERT
from deid_tasks.evidence.evaluate import CATEGORY_VIEW, Evaluation, Figure

Document = dict[str, Any]


def comparison_document(
    sets: Sequence[tuple[ComparedSet, Sequence[SystemScores]]],
    group: str,
    confidence: float,
    resamples: int,
    policy: str = EXPERT,
) -> Document:
    """Return the whole comparison.

    Args:
        sets: Each gold set with the scores of all systems on it.
        group: The entities that counted: A, B or C.
        confidence: Of the intervals.
        resamples: Of the bootstrap.
        policy: The name of the policy that says what counted.
    """
    return {
        "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        "machine": machine_name(),
        "group": group,
        "policy": policy,
        "confidence": confidence,
        "resamples": resamples,
        "systems": [_system(scores) for scores in sets[0][1]] if sets else [],
        "sets": [_set(gold, rows) for gold, rows in sets],
    }


def machine_name() -> str:
    """Return processor and number of cores of this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.machine()
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _system(scores: SystemScores) -> Document:
    """Return what is the same on all sets."""
    run = scores.run
    failure = run.failure
    return {
        "system": run.choice.key,
        "title": run.choice.title,
        "about": run.choice.definition.about,
        "options": {key: value for key, value in run.choice.options.items() if key != "path"},
        "version": run.announcement.version if run.announcement else "",
        "start_up_seconds": run.announcement.seconds if run.announcement else None,
        "answers_of_earlier_runs": run.cached,
        "reason": failure.reason if failure else "",
        "message": str(failure) if failure else "",
        "advice": failure.advice if failure else "",
    }


def _set(gold: ComparedSet, rows: Sequence[SystemScores]) -> Document:
    ours = next((row.evaluation for row in rows if row.evaluation and not row.differences), None)
    return {
        "name": gold.name,
        "notes": len(gold.notes),
        "words": gold.words,
        "groups": len({note.group for note in gold.notes}),
        "categories": sorted(map(str, gold.categories)),
        "is_partial": gold.categories != frozenset(Category) or bool(gold.without),
        "without": sorted(map(str, gold.without)),
        "rows": [_row(scores, ours) for scores in rows],
    }


def _row(scores: SystemScores, ours: Evaluation | None) -> Document:
    row: Document = {"system": scores.run.choice.key, "title": scores.run.choice.title}
    evaluation = scores.evaluation
    if evaluation is None:
        return {**row, "figures": None}
    names = (*METRICS, "full", "over_redaction")
    figures: dict[str, Document | None] = {name: _figure(evaluation.find(metric=name)) for name in names}
    if _marks_nothing(evaluation):
        # Of no word, no share is right: the scorer's 1.0 would make silence the best system.
        figures["precision"] = None
    return {
        **row,
        "figures": figures,
        "differences": {
            metric: {
                "value": evaluation.find(metric=metric).value - ours.find(metric=metric).value if ours else None,
                "lower": interval.lower,
                "upper": interval.upper,
            }
            for metric, interval in scores.differences.items()
            if figures[metric]
        },
        "categories": _categories(evaluation, is_typed=not scores.run.choice.definition.is_untyped),
        "failures": [{"note_id": one.note_id, "error": one.error} for one in scores.failures],
        "speed": _speed(scores),
        "totals": scores.totals,
        "unknown_labels": dict(scores.unknown_labels),
    }


def _marks_nothing(evaluation: Evaluation) -> bool:
    counts = evaluation.find(metric="precision").counts
    return counts.true_positives + counts.false_positives == 0


def _figure(figure: Figure) -> Document:
    counts = figure.counts
    return {
        "value": figure.value,
        "lower": figure.lower,
        "upper": figure.upper,
        "true_positives": counts.true_positives,
        "false_positives": counts.false_positives,
        "false_negatives": counts.false_negatives,
    }


def _categories(evaluation: Evaluation, *, is_typed: bool) -> list[Document]:
    """Return the share of each category's words that was found as anything, and with the right category."""
    rows = []
    for recall in evaluation.select():
        category = recall.entity.removeprefix("category:")
        gold = recall.counts.true_positives + recall.counts.false_negatives
        if category == recall.entity or not gold:
            continue
        right = evaluation.find(view=CATEGORY_VIEW, entity=category) if is_typed else None
        rows.append(
            {
                "category": category,
                "gold_words": gold,
                "recall": _figure(recall),
                "right_category": _figure(right) if right else None,
            }
        )
    return sorted(rows, key=lambda row: str(row["category"]))


def _speed(scores: SystemScores) -> Document | None:
    speed = scores.speed
    if speed is None:
        return None
    return {
        "words": speed.words,
        "seconds": speed.seconds,
        "core_seconds": speed.cpu_seconds,
        "median_seconds_per_note": speed.median_seconds,
        "words_per_core_second": speed.words_per_core_second,
    }
