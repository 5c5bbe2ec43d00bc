"""The protocol of the models behind the neural pass, and the spans that they return."""

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
    """Finds identifiers in texts, which are sentences or whole notes.

    The answer for a text depends on that text alone, so that it can be cached.
    """

    name: str
    """``transformer``, or ``transformer:`` and the model's name."""
    sha256: str
    """One hash of weights and configuration."""
    context: str
    """Whether its texts are sentences (``sentence``) or whole notes (``window``)."""
    reads_rules: bool
    """Whether patterns and public word lists influence its answers."""

    def read(self, texts: Sequence[str]) -> Sequence[Sequence[TextSpan]]:
        """Return the spans of each text, in the order given; those of one text are sorted and disjoint."""
        ...
