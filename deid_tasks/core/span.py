"""The span: the position of an identifier in a note."""

from collections.abc import Iterable
from dataclasses import dataclass

from deid_tasks.core.entities import Category, Entity, category_of


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """One detected or annotated identifier.

    ``start`` and ``end`` are code points of the original text, ``end`` exclusive. A span never holds text, so its
    ``repr`` is safe to log. ``score`` is in [0, 1]; rules and dictionaries give 1.0.
    """

    start: int
    end: int
    entity: Entity
    detector: str = ""
    score: float = 1.0

    @property
    def category(self) -> Category:
        """The coarse class of the span's entity."""
        return category_of(self.entity)

    def overlaps(self, other: "Span") -> bool:
        """Whether the two spans share at least one character."""
        return self.start < other.end and other.start < self.end

    def __len__(self) -> int:
        return self.end - self.start


def check_spans(spans: Iterable[Span], length: int) -> None:
    """Raise ``ValueError`` unless all spans lie inside a text of ``length`` code points, sorted and disjoint."""
    previous = 0
    for span in spans:
        if not previous <= span.start < span.end <= length:
            raise ValueError(f"span {span!r} is out of order, overlapping or outside 0..{length}")
        previous = span.end
