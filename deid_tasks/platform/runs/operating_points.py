"""Operating points: recall and precision of an engine at several biases of its models, and what their scores are worth.

A model marks a word where the probabilities of all entities together pass its threshold; ``outside_bias``, added to the
logit of O, moves every word towards or away from it. Rules and dictionaries are the same at each point.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from deid_tasks.core.errors import GateError
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.evidence.evaluate import Evaluation, Reliability, ReliabilityTally, Scorer
from deid_tasks.platform.runs.ablation import GoldDocument, gold_documents
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.institution_engine import load_candidate
from deid_tasks.settings import Design, InstitutionSettings, Secrets

BIASES = (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 1.0)
"""Values of ``outside_bias`` that are tried unless others are asked for."""
_BATCH_NOTES = 100


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The scores of the engine at one bias."""

    outside_bias: float
    evaluation: Evaluation
    reliability: Reliability


class ChosenPoint(TypedDict):
    """The operating point that an evaluation chose, as its certificate names it."""

    outside_bias: float
    target_recall: float
    design: Design
    """Of the gold set that it was chosen on; figures on that set flatter it."""
    recall: float
    precision: float


def choose_point(settings: InstitutionSettings, secrets: Secrets) -> ChosenPoint | None:
    """Return the most precise operating point with ``detect.target_recall``; ``None`` where the settings set none.

    It is chosen on the newest gold set of the first design of ``gate.designs``.

    Raises:
        GateError: no point has that recall; the text names the best one.
        WarehouseError: there is no such gold set.
    """
    target = settings.detect.target_recall
    if target is None:
        return None
    design, gate = settings.gate.designs[0], settings.gate
    points = score_biases(
        lambda: gold_documents(settings, secrets, design),
        lambda bias: load_candidate(settings, secrets, bias)[0],
        BIASES,
        Scorer(settings.policy.group, gate.confidence, gate.resamples, policy=settings.policy),
    )
    chosen = most_precise(points, target)
    if chosen is None:
        best = max(points, key=lambda point: point.evaluation.recall)
        raise GateError(
            f"{settings.institution}: no certificate: no operating point has the recall of {target:g} that"
            f" detect.target_recall asks for; the highest on the {design} gold set is {best.evaluation.recall:.4f}, at"
            f" outside_bias {best.outside_bias:+g}"
        )
    return {
        "outside_bias": chosen.outside_bias,
        "target_recall": target,
        "design": design,
        "recall": round(chosen.evaluation.recall, 5),
        "precision": round(chosen.evaluation.precision, 5),
    }


def score_biases(
    notes: Callable[[], Iterable[GoldDocument]],
    engine_of: Callable[[float], EngineParts],
    biases: Sequence[float],
    scorer: Scorer,
) -> list[OperatingPoint]:
    """Score the engine at each bias.

    Args:
        notes: yields the gold notes, anew for each bias, so that one batch of them is in memory.
        engine_of: builds the engine with a bias.
        biases: the values of ``outside_bias``.
        scorer: an empty scorer, whose settings all points take.
    """
    points = []
    for bias in biases:
        engine = engine_of(bias)
        detectors = tuple(one.uncached() if isinstance(one, SentenceDetector) else one for one in engine.detectors)
        engine = replace(engine, detectors=detectors)
        own, tally = scorer.fresh(), ReliabilityTally()
        for batch in batched(notes(), _BATCH_NOTES):
            records = {note.document.patient_id or "": note.record for note in batch if note.record}
            found = find_identifiers([note.document for note in batch], BatchContext(engine, records))
            for note, detection in zip(batch, found, strict=True):
                text = note.document.text
                own.add(text, note.spans, detection.spans, note.patient, note.document.note_type or "")
                tally.add(text, note.spans, detection.spans)
        points.append(OperatingPoint(bias, own.finish(), tally.finish()))
    return points


def most_precise(points: Iterable[OperatingPoint], recall: float) -> OperatingPoint | None:
    """Return the point with the highest precision of those that reach ``recall``; ``None`` where none does."""
    reaching = [point for point in points if point.evaluation.recall >= recall]
    return max(reaching, key=lambda point: (point.evaluation.precision, point.outside_bias), default=None)
