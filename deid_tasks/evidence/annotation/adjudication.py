"""What two annotators agree on, what a third person must decide, and the settled note that comes of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.decision import Basis, Decision
from deid_tasks.evidence.annotation.tally import marks


class Dispute(StrEnum):
    """How two annotators differ."""

    PRESENCE = "presence"
    """One marked something, the other nothing."""
    ENTITY = "entity"
    """The same bounds, different entities."""
    BOUNDARY = "boundary"
    """Different bounds, whatever the entities."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A stretch of a note on which two annotators differ: overlapping spans, joined until nothing more overlaps."""

    start: int
    end: int
    first: tuple[Span, ...]
    second: tuple[Span, ...]

    @property
    def dispute(self) -> Dispute:
        """How they differ."""
        if not self.first or not self.second:
            return Dispute.PRESENCE
        bounds = [{(span.start, span.end) for span in side} for side in (self.first, self.second)]
        return Dispute.ENTITY if bounds[0] == bounds[1] else Dispute.BOUNDARY


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two annotators' spans of one note."""

    agreed: tuple[Span, ...]
    """The same bounds and entity from both, overlapped by nothing else; sorted, disjoint."""
    conflicts: tuple[Conflict, ...]
    """Sorted, disjoint, and disjoint from ``agreed``."""

    def proposals(self) -> tuple[Span, ...]:
        """Everything that either marked, each once: what the adjudicator is shown. May overlap."""
        disputed = {span for conflict in self.conflicts for span in (*conflict.first, *conflict.second)}
        return tuple(sorted({*self.agreed, *disputed}))


@dataclass(frozen=True, slots=True)
class Settled:
    """The final spans of one note, sorted and disjoint, and who decided each of them."""

    spans: tuple[Span, ...]
    decisions: tuple[Decision, ...]


def compare(first: Iterable[Span], second: Iterable[Span]) -> Comparison:
    """Sort two annotators' spans into agreement and conflicts.

    Spans that overlap are joined into one stretch, and so on until stretches share no character. A stretch is agreed when both
    marked exactly one span there, the same one. Everything else is a conflict, also spans of one annotator that overlap each
    other. Spans that only touch are stretches of their own.
    """
    by_first, by_second = _plain(first), _plain(second)
    agreed, conflicts = [], []
    for stretch in _stretches(by_first | by_second):
        if len(stretch) == 1 and stretch[0] in by_first and stretch[0] in by_second:
            agreed.append(stretch[0])
            continue
        sides = [tuple(span for span in stretch if span in side) for side in (by_first, by_second)]
        conflicts.append(Conflict(stretch[0].start, max(span.end for span in stretch), *sides))
    return Comparison(tuple(agreed), tuple(conflicts))


def settle(
    comparison: Comparison, annotators: tuple[str, str], decided: Sequence[Span] | None = None, adjudicator: str = ""
) -> Settled:
    """The note as it goes into the gold set.

    Without conflicts, and where no adjudicator has spoken, it is what the two agreed on. Otherwise ``decided``, the spans of the
    adjudicator's finished note, is the last word on the whole note: what the two had agreed on and the adjudicator left as it
    was rests on agreement, everything else on adjudication. Where the adjudicator left nothing of a conflict, or of an agreed
    span, it is written down that nothing identifying stands there.

    Raises:
        InputError: there are conflicts and no decision on them, or the decided spans overlap; the text names offsets only.
    """
    if decided is None:
        if comparison.conflicts:
            raise InputError(f"{len(comparison.conflicts)} conflicts are not decided")
        spans = comparison.agreed
    else:
        spans = tuple(sorted(_plain(decided)))
        for before, after in pairwise(spans):
            if before.overlaps(after):
                raise InputError(
                    f"the spans {before.start}-{before.end} and {after.start}-{after.end} overlap: one of them must go"
                )
    both = "+".join(annotators)
    agreed = set(comparison.agreed)
    decisions = [
        Decision(span.start, span.end, span.entity, Basis.AGREEMENT, both)
        if span in agreed
        else Decision(span.start, span.end, span.entity, Basis.ADJUDICATION, adjudicator)
        for span in spans
    ]
    asked = [(conflict.start, conflict.end) for conflict in comparison.conflicts]
    asked += [(span.start, span.end) for span in agreed.difference(spans)]
    decisions += [
        Decision(start, end, None, Basis.ADJUDICATION, adjudicator)
        for start, end in asked
        if not any(span.start < end and start < span.end for span in spans)
    ]
    return Settled(spans, tuple(sorted(decisions, key=lambda decision: (decision.start, decision.end))))


def _plain(spans: Iterable[Span]) -> set[Span]:
    """The spans without detector and score, each once."""
    return {Span(start, end, entity) for start, end, entity in marks(tuple(spans))}


def _stretches(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """The connected components of overlapping spans, in order."""
    stretch: list[Span] = []
    end = 0
    for span in sorted(spans):
        if stretch and span.start >= end:
            yield stretch
            stretch = []
        stretch.append(span)
        end = max(end, span.end)
    if stretch:
        yield stretch
