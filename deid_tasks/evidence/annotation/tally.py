"""Counts what two annotators said of the words of many notes, and gives every kappa that is reported."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deid_tasks.core.entities import CATEGORY, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import label_words, split_words
from deid_tasks.evidence.annotation.agreement import Agreement, interval

ALL = "ALL"
"""The row of the headline kappa: identifying words against all others."""
ERRORS = "ERRORS"
"""The row of the words on which the engine and at least one annotator differ: do the two agree on what is its error?"""


@dataclass(frozen=True, slots=True)
class Kappa:
    """One line of the report on agreement."""

    what: str
    """``ALL``, ``ERRORS``, ``category:NAME``… or a fine type."""
    table: Agreement
    lower: float
    upper: float

    @property
    def value(self) -> float:
        """Cohen's kappa."""
        return self.table.kappa


class AgreementTally:
    """Add notes one at a time; memory grows with patients and entities, never with text."""

    def __init__(self) -> None:
        self.notes = 0
        self.notes_alike = 0
        """Notes with the same spans from both."""
        self._pairs: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self._errors: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)

    def add(
        self,
        text: str,
        first: Sequence[Span],
        second: Sequence[Span],
        patient: str,
        engine: Sequence[Span] | None = None,
    ) -> None:
        """Count one note; ``engine`` is what the engine found in it, where that is known."""
        words = split_words(text)
        said = list(zip(label_words(words, first), label_words(words, second), strict=True))
        self.notes += 1
        self.notes_alike += marks(first) == marks(second)
        self._pairs[patient].update(said)
        if engine is not None:
            found = label_words(words, engine)
            self._errors[patient].update(
                pair
                for pair, guess in zip(said, found, strict=True)
                if not bool(pair[0]) == bool(pair[1]) == bool(guess)
            )

    def table(self) -> Agreement:
        """Identifying words against all others."""
        return sum((_table(pairs) for pairs in self._pairs.values()), Agreement())

    def kappas(self, confidence: float = 0.95) -> Iterator[Kappa]:
        """The headline, the engine's errors where they were given, then each category and fine type that anyone used.

        For an entity a word is marked when the annotator gave it that entity, so a word that one calls a city and the other a
        state is a disagreement of both rows, and none of the headline.
        """
        yield _kappa(ALL, self._pairs, None, confidence)
        if self._errors:
            yield _kappa(ERRORS, self._errors, None, confidence)
        used = {name for pairs in self._pairs.values() for pair in pairs for name in pair if name}
        for category in dict.fromkeys(CATEGORY.values()):
            members = frozenset(str(entity) for entity in Entity if CATEGORY[entity] is category)
            if members & used:
                yield _kappa(f"category:{category}", self._pairs, members, confidence)
        for entity in Entity:
            if str(entity) in used:
                yield _kappa(str(entity), self._pairs, frozenset({str(entity)}), confidence)


def marks(spans: Sequence[Span]) -> frozenset[tuple[int, int, Entity]]:
    """What an annotator said, whatever detector, score and order."""
    return frozenset((span.start, span.end, span.entity) for span in spans)


def _kappa(
    what: str, by_patient: dict[str, Counter[tuple[str, str]]], members: frozenset[str] | None, confidence: float
) -> Kappa:
    tables = [_table(by_patient[patient], members) for patient in sorted(by_patient)]
    return Kappa(what, sum(tables, Agreement()), *interval(tables, confidence))


def _table(pairs: Counter[tuple[str, str]], members: frozenset[str] | None = None) -> Agreement:
    cells = [0, 0, 0, 0]
    for (first, second), words in pairs.items():
        is_first, is_second = (bool(name) if members is None else name in members for name in (first, second))
        cells[(0 if is_second else 1) if is_first else (2 if is_second else 3)] += words
    return Agreement(*cells)
