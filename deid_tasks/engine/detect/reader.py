"""What stands behind the neural pass: something that reads texts one by one, whatever stands beside them."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from deid_tasks.core.entities import Entity


class TextSpan(NamedTuple):
    """One identifier of one text; ``start`` and ``end`` are code points of that text, ``end`` exclusive."""

    start: int
    end: int
    entity: Entity
    score: float


class Reader(Protocol):
    """Reads texts. What it finds in one depends on that text alone, so that an answer may be kept and given again."""

    name: str
    """``transformer``, or ``transformer:`` and the model's name."""
    sha256: str
    """One hash of weights and configuration."""

    def read(self, texts: Sequence[str]) -> Sequence[Sequence[TextSpan]]:
        """What stands in each text, in the order given."""
        ...
