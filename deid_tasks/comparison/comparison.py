"""A whole comparison: gold sets, systems, one document of figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deid_tasks.comparison.document import Document, comparison_document
from deid_tasks.comparison.gold import ComparedSet
from deid_tasks.comparison.protocol import SystemNote
from deid_tasks.comparison.registry import SystemChoice
from deid_tasks.comparison.run import ComparisonProgress, SystemLauncher, run_systems
from deid_tasks.comparison.scores import score_systems
from deid_tasks.core.entities import Group
from deid_tasks.settings import PolicySettings


@dataclass(frozen=True)
class ComparisonSettings:
    """How systems are compared."""

    cache: Path
    """The folder of environments and of the answers of earlier runs."""
    group: Group = Group.C
    """The entities that count."""
    confidence: float = 0.95
    resamples: int = 1_000
    is_fresh: bool = False
    """Whether answers of earlier runs are left aside."""
    policy: PolicySettings = field(default_factory=PolicySettings)
    """Which forms count as identifiers; under ``expert`` every form of the group."""


def compare_systems(
    sets: Sequence[ComparedSet],
    choices: Sequence[SystemChoice],
    settings: ComparisonSettings,
    launch: SystemLauncher,
    progress: ComparisonProgress,
) -> Document:
    """Run all systems on all gold sets, score them, and return the figures as JSON values.

    Args:
        sets: The gold notes.
        choices: The systems.
        settings: How they are compared.
        launch: Makes a system's process.
        progress: Where to say what is done.
    """
    notes = [SystemNote(note.note_id, note.text) for gold in sets for note in gold.notes]
    runs = run_systems(choices, notes, settings.cache, launch, progress, is_fresh=settings.is_fresh)
    scored = []
    first = 0
    for gold in sets:
        progress.announce(f"scoring {gold.name}")
        rows = score_systems(
            gold, runs, first, settings.group, settings.confidence, settings.resamples, policy=settings.policy
        )
        scored.append((gold, rows))
        first += len(gold.notes)
    return comparison_document(
        scored, str(settings.group), settings.confidence, settings.resamples, settings.policy.name
    )
