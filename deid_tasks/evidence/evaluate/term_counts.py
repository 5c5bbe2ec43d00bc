"""Missed and wrongly found terms: the only table of an evaluation with note text, and built on request only."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

_MAX_TERMS = 5_000


@dataclass(frozen=True, slots=True)
class TermCount:
    """How often one term was missed or found wrongly."""

    term: str
    entity: str
    """The gold entity of a missed term; the predicted entity of a term found wrongly."""
    is_missed: bool
    times: int
    is_medical: bool


class TermTally:
    """Counts terms in bounded memory: if there are too many, the rarest are dropped."""

    def __init__(self, is_medical: Callable[[str], bool] | None, max_terms: int = _MAX_TERMS) -> None:
        self._is_medical = is_medical or (lambda _: False)
        self._max_terms = max_terms
        self._counts: Counter[tuple[str, str, bool]] = Counter()

    def add(self, term: str, entity: str, *, is_missed: bool) -> None:
        """Count one occurrence."""
        self._counts[" ".join(term.lower().split()), entity, is_missed] += 1
        if len(self._counts) > 2 * self._max_terms:
            self._counts = Counter(dict(self._counts.most_common(self._max_terms)))

    def finish(self) -> tuple[TermCount, ...]:
        """Return the terms, the most frequent first."""
        ordered = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        return tuple(
            TermCount(term, entity, is_missed, times, self._is_medical(term))
            for (term, entity, is_missed), times in ordered[: self._max_terms]
        )
