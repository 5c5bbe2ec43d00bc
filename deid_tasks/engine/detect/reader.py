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


class StageAnswers(NamedTuple):
    """What the models of a cascade answer for a text with uncertain words. No rule decides any of it."""

    first: Sequence[TextSpan]
    """The first model's answer."""
    all_marked: Sequence[TextSpan]
    """Its answer if every uncertain word were an identifier."""
    none_marked: Sequence[TextSpan]
    """Its answer if no uncertain word were one."""
    second: Sequence[TextSpan] | None
    """The answer with the second-stage model; ``None`` if that model has not read the text."""


class Answer(NamedTuple):
    """The answer for one text: sorted, disjoint spans, and what they were chosen from."""

    spans: Sequence[TextSpan]
    stages: StageAnswers | None = None
    """Set where a cascade's rules chose between the stages; another version of the rules may choose otherwise."""


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
    """Whether patterns and public word lists are an input of the model."""

    def read(self, texts: Sequence[str]) -> Sequence[Answer]:
        """Return the answer for each text, in the order given."""
        ...

    def choose_again(self, texts: Sequence[str], answers: Sequence[Answer], /) -> Sequence[Answer | None]:
        """Return answers of an earlier version of the rules as today's rules choose them; ``None`` where a model must
        read the text again."""
        ...
