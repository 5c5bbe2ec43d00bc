"""Two JSONL files to scores, and scores to a screen."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from deid_tasks.cli.jsonl import Problems, parse_spans, read_records
from deid_tasks.entities import Group
from deid_tasks.evaluate import Evaluation, Scorer


def score_files(
    gold: Path, predicted: Path, group: Group, confidence: float, problems: Problems, progress: Callable[[int], None]
) -> Evaluation:
    """Score ``predicted`` against ``gold``, joined by id.

    Files in the same order are read side by side in flat memory; lines out of order wait in memory until their partner comes.
    A gold note without a prediction is scored as if nothing had been found in it, and reported.
    """
    scorer = Scorer(group, confidence)
    for number, note, record in _joined(gold, predicted, problems):
        place = f"{gold}:{number}"
        if record is None:
            problems.report(place, f"note {note['id']!r} has no line in {predicted}; counted as nothing found")
        try:
            text = note["text"]
            truth = parse_spans(note, len(text))
            found = parse_spans(record or {}, len(text))
        except KeyError:
            problems.report(place, "has no text")
            continue
        except ValueError as error:
            problems.report(place, str(error))
            continue
        scorer.add(text, truth, found, str(note.get("patient_id", note["id"])))
        progress(1)
    return scorer.finish()


def print_evaluation(evaluation: Evaluation, console: Console) -> None:
    """One screen: the headline with intervals, then each category and type with its counts."""
    table = Table(title=f"{evaluation.notes:,} notes, {evaluation.words:,} words")
    table.add_column("entity")
    for heading in ("recall", "precision", "F1", "gold words", "found", "missed", "false"):
        table.add_column(heading, justify="right")
    for (metric, entity), recall in evaluation.scores.items():
        if metric != "recall":
            continue
        precision, f1 = evaluation.scores["precision", entity], evaluation.scores["f1", entity]
        counts = recall.counts
        gold = counts.true_positives + counts.false_negatives
        table.add_row(
            entity.removeprefix("category:"),
            f"{recall.value:.4f} [{recall.interval.lower:.4f}, {recall.interval.upper:.4f}]" if gold else "–",
            f"{precision.value:.4f} [{precision.interval.lower:.4f}, {precision.interval.upper:.4f}]",
            f"{f1.value:.4f}",
            f"{gold:,}",
            f"{counts.true_positives:,}",
            f"{counts.false_negatives:,}",
            f"{counts.false_positives:,}",
            style="bold" if entity == "ALL" else "cyan" if entity.startswith("category:") else None,
        )
    console.print(table)
    console.print(
        f"nothing missed in {evaluation.full_notes:,} of {evaluation.notes:,} notes;"
        f" one-sided lower bound of recall {evaluation.recall_lower_bound:.4f}"
    )


def _joined(
    gold: Path, predicted: Path, problems: Problems
) -> Iterator[tuple[int, dict[str, Any], dict[str, Any] | None]]:
    waiting: dict[str, dict[str, Any]] = {}
    predictions = read_records(predicted, problems)
    for number, note in read_records(gold, problems):
        if "id" not in note:
            problems.report(f"{gold}:{number}", "has no id")
            continue
        key = str(note["id"])
        while key not in waiting:
            following = next(predictions, None)
            if following is None:
                break
            waiting[str(following[1].get("id"))] = following[1]
        yield number, note, waiting.pop(key, None)
