"""A linkage attack on shifted dates: every date of a patient moves by the same days, so the days between them stay.

The attacker knows some days on which a person had notes, such as from a calendar or a claim, and looks for patients of
the release with notes at the same distances. The distances are exact, and nothing else about the person is used unless
named. How far the attack reaches is counted in the release itself.
"""

import random
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

_MAX_DAYS = 400
"""Days of one patient that are compared; of more, evenly many are left out."""


@dataclass(frozen=True, slots=True)
class LinkageResult:
    """What an attacker with some known days reaches."""

    known_days: int
    with_attributes: bool
    """Whether age and sex are known too."""
    eligible: int
    """Patients with notes on at least so many days."""
    patients: int
    """All patients of the release."""
    targets: int
    """Patients who were attacked, drawn at random from the eligible ones."""
    unique: int
    """Targets whose days fit nobody else."""
    expected_correct: float
    """Targets named correctly by a guess among all who fit: the sum of 1/candidates."""


def linkage_attack(
    days: Mapping[str, Sequence[int]],
    known_days: int,
    *,
    targets: int,
    attributes: Mapping[str, Hashable] | None = None,
    seed: int = 0,
) -> LinkageResult:
    """Attack some patients of a release.

    Args:
        days: The shifted days of each patient's notes, as ordinals.
        known_days: Number of days that the attacker knows, at least 2.
        targets: Maximum number of patients to attack.
        attributes: What else the attacker knows of each patient; nothing where ``None``.
        seed: Of the choice of patients and days.
    """
    rng = random.Random(seed)  # noqa: S311 - a choice of targets, not a secret
    by_patient = {patient: _thinned(sorted(set(some))) for patient, some in days.items()}
    eligible = [patient for patient, some in by_patient.items() if len(some) >= known_days]
    chosen = rng.sample(eligible, min(targets, len(eligible)))
    patterns = {target: _pattern(rng.sample(by_patient[target], known_days)) for target in chosen}
    # All patients are read once: by the distance of a target's first two days, which few others have.
    by_first: defaultdict[int, list[str]] = defaultdict(list)
    for target, pattern in patterns.items():
        by_first[pattern[0]].append(target)
    candidates: defaultdict[str, int] = defaultdict(int)
    for patient, some in by_patient.items():
        present = set(some)
        starts: defaultdict[str, list[int]] = defaultdict(list)
        for first, second in combinations(some, 2):
            for target in by_first.get(second - first, ()):
                starts[target].append(first)
        for target, positions in starts.items():
            if attributes is not None and attributes.get(patient) != attributes.get(target):
                continue
            pattern = patterns[target]
            candidates[target] += any(all(start + gap in present for gap in pattern) for start in positions)
    return LinkageResult(
        known_days,
        attributes is not None,
        len(eligible),
        len(by_patient),
        len(chosen),
        sum(candidates[target] == 1 for target in chosen),
        sum(1 / candidates[target] for target in chosen),
    )


def _pattern(days: Sequence[int]) -> tuple[int, ...]:
    """Return the distances of the later days from the first."""
    first, *others = sorted(days)
    return tuple(day - first for day in others)


def _thinned(days: list[int]) -> list[int]:
    step = -(-len(days) // _MAX_DAYS) if days else 1
    return days[::step]
