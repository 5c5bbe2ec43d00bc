"""Comparison of two annotators on one note, and the gold note after adjudication.

``compare_annotators`` separates what the two agree on from the conflicts; an adjudicator decides the conflicts;
``adjudicate_note`` applies the decisions and records who took each of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span


class ConflictKind(StrEnum):
    """How two annotators differ."""

    PRESENCE = "presence"
    """One marked something, the other nothing."""
    ENTITY = "entity"
    """The same bounds, different entities."""
    BOUNDARY = "boundary"
    """Different bounds, whatever the entities."""


class DecisionBasis(StrEnum):
    """Why a decision holds."""

    AGREEMENT = "agreement"
    """Both annotators marked the same span."""
    ADJUDICATION = "adjudication"
    """The adjudicator decided."""


@dataclass(frozen=True, slots=True, order=True)
class Decision:
    """The decision on one stretch of one note, in code points."""

    start: int
    end: int
    entity: Entity | None
    """``None`` if the stretch holds no identifier."""
    basis: DecisionBasis
    decided_by: str
    """Pseudonyms of people, joined by ``+`` if two agreed."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A stretch of a note on which two annotators differ: overlapping spans, joined until no more of them overlap."""

    start: int
    end: int
    first: tuple[Span, ...]
    second: tuple[Span, ...]

    @property
    def kind(self) -> ConflictKind:
        """How the annotators differ."""
        if not self.first or not self.second:
            return ConflictKind.PRESENCE
        bounds = [{(span.start, span.end) for span in side} for side in (self.first, self.second)]
        return ConflictKind.ENTITY if bounds[0] == bounds[1] else ConflictKind.BOUNDARY


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two annotators' spans of one note."""

    agreed: tuple[Span, ...]
    """Spans with the same bounds and entity from both, which no other span overlaps; sorted, disjoint."""
    conflicts: tuple[Conflict, ...]
    """Sorted, disjoint, and disjoint from ``agreed``."""

    def proposals(self) -> tuple[Span, ...]:
        """Return each span that either annotator marked, for the adjudicator's task list; spans may overlap."""
        conflicting = {span for conflict in self.conflicts for span in (*conflict.first, *conflict.second)}
        return tuple(sorted({*self.agreed, *conflicting}))


@dataclass(frozen=True, slots=True)
class AdjudicatedNote:
    """The final spans of one note, sorted and disjoint, and the decisions behind them."""

    spans: tuple[Span, ...]
    decisions: tuple[Decision, ...]


def compare_annotators(first: Iterable[Span], second: Iterable[Span]) -> Comparison:
    """Separate two annotators' spans into agreement and conflicts.

    Overlapping spans are joined into stretches until no two stretches share a character; spans that only touch stay
    apart. The annotators agree on a stretch if both marked exactly one span in it, the same one. Every other stretch is
    a conflict, including one in which the spans of a single annotator overlap each other.

    Args:
        first: The spans of the first annotator; detector and score are ignored.
        second: The spans of the second annotator.
    """
    by_first, by_second = _without_detector(first), _without_detector(second)
    agreed, conflicts = [], []
    for stretch in _stretches(by_first | by_second):
        if len(stretch) == 1 and stretch[0] in by_first and stretch[0] in by_second:
            agreed.append(stretch[0])
            continue
        sides = [tuple(span for span in stretch if span in side) for side in (by_first, by_second)]
        conflicts.append(Conflict(stretch[0].start, max(span.end for span in stretch), *sides))
    return Comparison(tuple(agreed), tuple(conflicts))


def adjudicate_note(
    comparison: Comparison, annotators: tuple[str, str], decided: Sequence[Span] | None = None, adjudicator: str = ""
) -> AdjudicatedNote:
    """Return the note as it enters the gold set.

    If the adjudicator has finished the note, ``decided`` is final for the whole note. A span on which the annotators
    agreed and which the adjudicator left unchanged counts as agreement, every other span as adjudication. If the
    adjudicator left no span on a conflict, or removed an agreed span, the decision "no identifier" is recorded there.

    Args:
        comparison: The annotators' work on the note.
        annotators: Their pseudonyms.
        decided: The spans of the adjudicator's finished note; ``None`` if there is none.
        adjudicator: The adjudicator's pseudonym.

    Raises:
        InputError: The note has conflicts and no decision on them, or the decided spans overlap; the text names offsets
            only.
    """
    if decided is None:
        if comparison.conflicts:
            raise InputError(
                f"{len(comparison.conflicts)} conflicts have no decision; the adjudicator must finish this note"
            )
        spans = comparison.agreed
    else:
        spans = _disjoint(decided)
    both = "+".join(annotators)
    agreed = set(comparison.agreed)
    decisions = [
        Decision(span.start, span.end, span.entity, DecisionBasis.AGREEMENT, both)
        if span in agreed
        else Decision(span.start, span.end, span.entity, DecisionBasis.ADJUDICATION, adjudicator)
        for span in spans
    ]
    open_stretches = [(conflict.start, conflict.end) for conflict in comparison.conflicts]
    open_stretches += [(span.start, span.end) for span in agreed.difference(spans)]
    decisions += [
        Decision(start, end, None, DecisionBasis.ADJUDICATION, adjudicator)
        for start, end in open_stretches
        if not any(span.start < end and start < span.end for span in spans)
    ]
    return AdjudicatedNote(spans, tuple(sorted(decisions, key=lambda decision: (decision.start, decision.end))))


def span_keys(spans: Iterable[Span]) -> frozenset[tuple[int, int, Entity]]:
    """Return start, end and entity of each span, without detector, score and order."""
    return frozenset((span.start, span.end, span.entity) for span in spans)


def _disjoint(decided: Iterable[Span]) -> tuple[Span, ...]:
    spans = tuple(sorted(_without_detector(decided)))
    for before, after in pairwise(spans):
        if before.overlaps(after):
            raise InputError(
                f"the spans {before.start}-{before.end} and {after.start}-{after.end} overlap; remove one of them"
            )
    return spans


def _without_detector(spans: Iterable[Span]) -> set[Span]:
    return {Span(start, end, entity) for start, end, entity in span_keys(spans)}


def _stretches(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """Yield the connected components of overlapping spans, in order."""
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
