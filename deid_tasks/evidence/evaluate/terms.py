"""Missed and wrongly found terms: the one table of an evaluation that holds text of notes, kept only where it is asked for."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

_KEPT = 5_000


@dataclass(frozen=True, slots=True)
class TermCount:
    """How often one term was missed, or found wrongly."""

    term: str
    entity: str
    """What it is, where it was missed; what it was taken for, where it was found wrongly."""
    is_missed: bool
    times: int
    is_medical: bool


class TermTally:
    """Counts terms in bounded memory: when there are too many, those seen least are forgotten."""

    def __init__(self, is_medical: Callable[[str], bool] | None, kept: int = _KEPT) -> None:
        self._is_medical = is_medical or (lambda _: False)
        self._kept = kept
        self._counts: Counter[tuple[str, str, bool]] = Counter()

    def add(self, term: str, entity: str, *, is_missed: bool) -> None:
        """Count one occurrence."""
        self._counts[" ".join(term.lower().split()), entity, is_missed] += 1
        if len(self._counts) > 2 * self._kept:
            self._counts = Counter(dict(self._counts.most_common(self._kept)))

    def finish(self) -> tuple[TermCount, ...]:
        """The terms, the commonest first."""
        ordered = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        return tuple(
            TermCount(term, entity, is_missed, times, self._is_medical(term))
            for (term, entity, is_missed), times in ordered[: self._kept]
        )
