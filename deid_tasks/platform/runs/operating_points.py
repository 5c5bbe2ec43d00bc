"""Operating points: recall and precision of an engine at several biases of its models, and what their scores are worth.

A model marks a word where the probabilities of all entities together pass its threshold; ``outside_bias``, added to the
logit of O, moves every word towards or away from it. Rules and dictionaries are the same at each point.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.evidence.evaluate import Evaluation, Reliability, ReliabilityTally, Scorer
from deid_tasks.platform.runs.ablation import GoldDocument
from deid_tasks.platform.runs.batches import batched
from deid_tasks.settings import EngineSettings

_BATCH_NOTES = 100
_Settings = TypeVar("_Settings", bound=EngineSettings)


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The scores of the engine at one bias."""

    outside_bias: float
    evaluation: Evaluation
    reliability: Reliability


def with_bias(settings: _Settings, bias: float) -> _Settings:
    """Return the settings with ``outside_bias`` of every model, second stages too, set to ``bias``."""
    models = []
    for model in settings.detect.transformers:
        second = model.second_stage and model.second_stage.model_copy(update={"outside_bias": bias})
        models.append(model.model_copy(update={"outside_bias": bias, "second_stage": second}))
    detect = settings.detect.model_copy(update={"transformers": tuple(models)})
    return settings.model_copy(update={"detect": detect})


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
