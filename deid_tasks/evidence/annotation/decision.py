"""The decision: who settled what a stretch of a gold note is."""

from dataclasses import dataclass
from enum import StrEnum

from deid_tasks.core.entities import Entity


class Basis(StrEnum):
    """What a decision rests on."""

    AGREEMENT = "agreement"
    ADJUDICATION = "adjudication"


@dataclass(frozen=True, slots=True, order=True)
class Decision:
    """One settled stretch of one note, in code points; ``entity`` is ``None`` where it was settled that it identifies no one."""

    start: int
    end: int
    entity: Entity | None
    basis: Basis
    decided_by: str
    """Pseudonyms, joined by ``+`` where two agreed."""
