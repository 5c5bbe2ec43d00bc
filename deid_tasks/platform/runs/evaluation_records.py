"""An evaluation as rows of ``_results.evaluation``, as content of the certificate, and as the sentence of a failure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from deid_tasks.evidence.evaluate import ALL, CATEGORY_VIEW, WORD, Evaluation, Figure
from deid_tasks.platform.warehouse.gold import GoldSet
from deid_tasks.platform.warehouse.results import EvaluationRow

_WORST = 3


def evaluation_rows(
    evaluation_id: str, fingerprint: str, gold: GoldSet, evaluations: Mapping[str, Evaluation]
) -> list[EvaluationRow]:
    """Return every figure of every variant, the lower bounds of recall, and the recall that the dictionaries add."""
    head = (evaluation_id, fingerprint, gold.version, gold.design)
    rows: list[EvaluationRow] = []
    for variant, evaluation in evaluations.items():
        rows += [
            EvaluationRow(
                *head,
                variant,
                f.view,
                f.stratum,
                f.metric,
                f.entity,
                f.value,
                f.lower,
                f.upper,
                f.counts.true_positives,
                f.counts.false_positives,
                f.counts.false_negatives,
                evaluation.policy,
            )
            for f in evaluation.figures
        ]
        rows.append(_single(head, variant, "recall_lower_bound", evaluation.recall_lower_bound, evaluation))
    gain = evaluations["full"].recall - evaluations["without_dictionaries"].recall
    rows.append(_single(head, "full", "dictionary_gain", gain, evaluations["full"]))
    return rows


def evaluated_on(
    gold: GoldSet, drawn: Mapping[str, Any] | None, full: Evaluation, without: Evaluation
) -> dict[str, Any]:
    """Return what the certificate says of one gold set: its origin, and the figures on it with their bounds.

    The keys are signed content of certificates that exist, so they never change.

    Args:
        gold: The gold set.
        drawn: The settings that its sample was drawn with.
        full: The evaluation of the engine.
        without: The evaluation of the engine without dictionaries.
    """
    return {
        "design": gold.design,
        "gold_version": gold.version,
        "sample_version": gold.sample_version,
        "drawn": drawn,
        "preannotated_by": gold.preannotated_by,
        "kappa": gold.kappa,
        "frozen_at": gold.frozen_at.isoformat(),
        "group": full.group,
        "policy": full.policy,
        "confidence": full.confidence,
        "resamples": full.resamples,
        "notes": full.notes,
        "words": full.words,
        "patients": full.patients,
        "full_notes": full.full_notes,
        "recall_lower_bound": full.recall_lower_bound,
        "figures": {
            **{metric: _shown(full.find(metric=metric)) for metric in ("recall", "precision", "f1")},
            "category": _shown(full.find(view=CATEGORY_VIEW)),
        },
        "without_dictionaries": {metric: _shown(without.find(metric=metric)) for metric in ("recall", "precision")},
        "note_types": {_name(f): _shown(f) for f in full.strata("note_type")},
        "periods": {_name(f): _shown(f) for f in full.strata("period")},
        "worst_note_types": [_name(f) for f in _most_missed(full.strata("note_type"))],
        "worst_entities": [f.entity for f in _most_missed(_entities(full))],
    }


def history(documents: Sequence[str]) -> list[dict[str, Any]]:
    """Return the main figures of earlier certificates, on the random gold set where there is one."""
    found = []
    for content in map(json.loads, documents):
        one = min(content["evaluated"], key=lambda part: part["design"] != "random")
        found.append(
            {
                "issued_at": content["issued_at"],
                "recall": one["figures"]["recall"]["value"],
                "recall_lower_bound": one["recall_lower_bound"],
                "precision": one["figures"]["precision"]["value"],
            }
        )
    return found


def describe_worst(design: str, evaluation: Evaluation, recall_min: float) -> str:
    """Return a sentence about the note types and entities with the most missed words.

    Note types and entities whose upper bound of recall is below ``recall_min`` are named first, and all of them.
    Example: ``worst on the random gold notes: note types nursing (12 words, 40% of all missed, recall 0.9000)``.
    """
    missed = evaluation.find().counts.false_negatives
    parts = []
    for what, figures in (("note types", evaluation.strata("note_type")), ("entities", _entities(evaluation))):
        shown = ", ".join(
            f"{_name(f)} ({f.counts.false_negatives} words, {f.counts.false_negatives / missed:.0%} of all missed,"
            f" recall {f.value:.4f})"
            for f in _most_missed(figures, recall_min)
        )
        if shown:
            parts.append(f"{what} {shown}")
    return (
        f"worst on the {design} gold notes: {'; '.join(parts)}"
        if parts
        else f"nothing missed on the {design} gold notes"
    )


def _entities(evaluation: Evaluation) -> list[Figure]:
    return [f for f in evaluation.select(WORD, "", "recall") if f.entity != ALL and ":" not in f.entity]


def _most_missed(figures: list[Figure], recall_min: float = 0.0) -> list[Figure]:
    """Return all figures whose upper bound of recall is below ``recall_min``, then those with the most missed words."""
    missed = [f for f in figures if f.counts.false_negatives]
    ranked = sorted(
        missed, key=lambda f: (f.upper >= recall_min, -f.counts.false_negatives, f.value, f.stratum, f.entity)
    )
    return ranked[: max(_WORST, sum(f.upper < recall_min for f in ranked))]


def _name(figure: Figure) -> str:
    return figure.stratum.partition("=")[2] or figure.entity


def _shown(figure: Figure) -> dict[str, Any]:
    return {
        "value": figure.value,
        "lower": figure.lower,
        "upper": figure.upper,
        "exact_lower": figure.exact_lower,
        "true_positives": figure.counts.true_positives,
        "false_positives": figure.counts.false_positives,
        "false_negatives": figure.counts.false_negatives,
    }


def _single(
    head: tuple[str, str, str, str], variant: str, metric: str, value: float, evaluation: Evaluation
) -> EvaluationRow:
    counts = evaluation.find().counts
    return EvaluationRow(
        *head,
        variant,
        WORD,
        "",
        metric,
        ALL,
        value,
        value,
        value,
        counts.true_positives,
        counts.false_positives,
        counts.false_negatives,
        evaluation.policy,
    )
