"""What a judge is asked, and what it decides. Nothing here holds text, but ``UncertainNote``, whose repr hides it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from deid_tasks.core.span import Span


class JudgeDecision(StrEnum):
    """What became of a span that a judge was asked about."""

    REDACTED = "redacted"
    KEPT = "kept"
    """It stays in the text, and is no span any more."""
    FAILED = "failed"
    """No usable answer came, and so it is redacted."""


@dataclass(frozen=True, slots=True)
class JudgedSpan:
    """One span with its decision, and what it cost."""

    span: Span
    decision: JudgeDecision
    is_cached: bool = False
    """Whether the decision about this sentence was known already, so that nothing was sent."""
    tokens_in: int | None = 0
    """``None`` where the server did not count."""
    tokens_out: int | None = 0


@dataclass(frozen=True, slots=True)
class UncertainNote:
    """The uncertain spans of one note, and what masks the rest."""

    text: str = field(repr=False)
    sentences: Sequence[tuple[int, int]]
    """Bounds of the note's sentences, sorted and disjoint."""
    uncertain: Sequence[Span] = ()
    """The spans to ask about, sorted."""
    found: Sequence[Span] = ()
    """Everything that was found in the note; a question shows none of it but the span that it asks about."""


class Judge(Protocol):
    """Decides about uncertain spans."""

    @property
    def band(self) -> tuple[float, float]:
        """The scores of uncertain spans: from the first on, and below the second."""
        ...

    def decide(self, notes: Sequence[UncertainNote]) -> list[tuple[JudgedSpan, ...]]:
        """Return the decisions about the uncertain spans of each note, in the order given.

        Raises:
            EndpointError: Too many spans in a row have no usable answer. No note causes that.
        """
        ...
