"""How many identifiers remain in a whole release: the measured rate times the population, by note type.

A missed identifier is a gold span of which at least one word was not marked. The rate of a note type is missed
identifiers a gold note; a type without gold notes takes the rate of all gold notes. The interval resamples patients,
since the notes of one patient depend on each other. A bootstrap of nothing missed is nothing, whatever was not seen:
therefore the upper end is at least the exact Poisson limit (Garwood 1936) of all notes together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deid_tasks.evidence.evaluate import Cluster, Interval
from deid_tasks.evidence.evaluate.intervals import exact_interval

_SEED = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """An expected number, with a two-sided interval."""

    expected: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class TypeResidual:
    """What is expected to remain in the published notes of one type."""

    note_type: str
    published: int
    gold_notes: int
    gold_missed: int
    rate: float
    """Missed identifiers a note; that of all gold notes where the type has none."""
    expected: float
    is_borrowed: bool
    """Whether the rate is that of all gold notes."""


@dataclass(frozen=True, slots=True)
class Residual:
    """What is expected to remain in a release."""

    published: int
    gold_notes: int
    gold_patients: int
    gold_identifiers: int
    gold_missed: int
    identifiers: Estimate
    """Missed identifiers in all published notes."""
    notes: Estimate
    """Published notes with at least one missed identifier."""
    note_types: tuple[TypeResidual, ...]
    """The most expected first."""
    borrowed_share: float
    """Share of the published notes whose type has no gold note."""


def estimate_residual(
    clusters: Sequence[Cluster], published: Mapping[str, int], confidence: float, resamples: int
) -> Residual:
    """Return what is expected to remain in the published notes.

    Args:
        clusters: What was missed in the gold notes, by patient and note type.
        published: Published notes by type.
        confidence: Of the intervals.
        resamples: Of patients.

    Raises:
        ValueError: there are no gold notes.
    """
    if not clusters:
        raise ValueError("there are no gold notes to estimate from")
    types = sorted({*published, *(cluster.note_type for cluster in clusters)})
    index = {name: number for number, name in enumerate(types)}
    patients = sorted({cluster.patient for cluster in clusters})
    row = {patient: number for number, patient in enumerate(patients)}
    # [patients, types, (notes, affected, missed)]
    table = np.zeros((len(patients), len(types), 3))
    for one in clusters:
        table[row[one.patient], index[one.note_type]] += (one.notes, one.affected, one.missed)
    population = np.array([published.get(name, 0) for name in types], dtype=np.float64)
    total = int(population.sum())
    sums = table.sum(axis=0)
    expected = _expected(sums[None], population)[0]
    weights = np.random.default_rng(_SEED).multinomial(
        len(patients), np.full(len(patients), 1 / len(patients)), size=resamples
    )
    resampled = _expected(np.einsum("rp,ptc->rtc", weights, table), population)
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(resampled, [tail, 1 - tail], axis=0)
    notes, missed, affected = int(sums[:, 0].sum()), int(sums[:, 2].sum()), int(sums[:, 1].sum())
    highest = poisson_interval(missed, confidence).upper / notes * total
    highest_share = exact_interval(affected, notes, confidence).upper
    overall = missed / notes
    rows = []
    for name, (gold, _, gold_missed), count in zip(types, sums, population, strict=True):
        rate = gold_missed / gold if gold else overall
        rows.append(
            TypeResidual(name, int(count), int(gold), int(gold_missed), rate, rate * count, is_borrowed=not gold)
        )
    return Residual(
        total,
        notes,
        len(patients),
        sum(one.identifiers for one in clusters),
        missed,
        Estimate(float(expected[1]), float(lower[1]), max(float(upper[1]), highest)),
        Estimate(float(expected[0]), float(lower[0]), min(float(total), max(float(upper[0]), highest_share * total))),
        tuple(sorted(rows, key=lambda one: (-one.expected, -one.published, one.note_type))),
        sum(one.published for one in rows if one.is_borrowed) / total if total else 0.0,
    )


def _expected(sums: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Return ``[resamples, 2]``: affected notes and missed identifiers in the population.

    Args:
        sums: ``[resamples, types, 3]``: notes, affected notes and missed identifiers.
        population: ``[types]``: published notes.
    """
    notes, counts = sums[:, :, 0], sums[:, :, 1:]
    overall = counts.sum(axis=1) / np.maximum(notes.sum(axis=1), 1)[:, None]
    rates = np.where(notes[:, :, None] > 0, counts / np.maximum(notes, 1)[:, :, None], overall[:, None, :])
    return np.asarray((rates * population[None, :, None]).sum(axis=1))


def poisson_interval(count: int, confidence: float) -> Interval:
    """Return the exact two-sided interval of a Poisson mean, of which ``count`` was seen (Garwood 1936)."""
    from scipy.special import gammaincinv

    tail = (1 - confidence) / 2
    return Interval(float(gammaincinv(count, tail)) if count else 0.0, float(gammaincinv(count + 1, 1 - tail)))


def patients_affected(
    missed: int, gold_notes: int, notes_per_patient: Mapping[int, int], confidence: float
) -> Estimate:
    """Return how many patients of a release are expected to have at least one missed identifier of a kind.

    Misses are taken as independent from note to note, which counts more patients than misses that come together.

    Args:
        missed: Missed gold spans of the kind.
        gold_notes: Gold notes in which they were counted.
        notes_per_patient: Number of patients by the number of their published notes.
        confidence: Of the interval.
    """
    interval = poisson_interval(missed, confidence)

    def affected(count: float) -> float:
        return sum(patients * -math.expm1(-count / gold_notes * notes) for notes, patients in notes_per_patient.items())

    return Estimate(affected(missed), affected(interval.lower), affected(interval.upper))


def scale_errors(errors: Mapping[str, int], gold_notes: int, published: int, confidence: float) -> dict[str, Estimate]:
    """Return the expected number of missed identifiers in a release by entity.

    Args:
        errors: Missed gold spans by entity; 0 for an entity of which none was missed.
        gold_notes: Gold notes in which they were counted.
        published: Published notes.
        confidence: Of the intervals.
    """
    scale = published / gold_notes
    found: dict[str, Estimate] = {}
    for entity, count in errors.items():
        interval = poisson_interval(count, confidence)
        found[entity] = Estimate(count * scale, interval.lower * scale, interval.upper * scale)
    return found
