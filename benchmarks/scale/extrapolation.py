"""What many notes cost, computed from journeys of fewer notes."""

from collections.abc import Iterator, Sequence

from benchmarks.scale.journey import FIXED, Journey

_HOUR, _DAY_HOURS, _THOUSAND = 3_600, 24, 1_000


def per_thousand(journey: Journey, stage: str) -> float:
    """Return the core-seconds of a stage for 1,000 notes."""
    return journey.costs[stage].core_seconds * _THOUSAND / journey.notes


def marginal(journeys: Sequence[Journey], stage: str) -> float:
    """Return the core-seconds for 1,000 notes more, from the smallest journey to the largest.

    What a stage costs whatever the number of notes is, such as the start of dbt, is left out.
    """
    if stage in FIXED:
        return 0.0
    first, last = journeys[0], journeys[-1]
    more = last.costs[stage].core_seconds - first.costs[stage].core_seconds
    return max(0.0, more * _THOUSAND / (last.notes - first.notes))


def core_hours(journeys: Sequence[Journey], notes: int) -> dict[str, float]:
    """Return the core-hours of each stage for that many notes."""
    return {stage: marginal(journeys, stage) * notes / _THOUSAND / _HOUR for stage in journeys[-1].costs}


def days_on_cores(hours: float, counts: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Yield each number of cores and the days that the hours take on them."""
    for cores in counts:
        yield cores, hours / cores / _DAY_HOURS
