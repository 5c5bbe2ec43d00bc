"""Agreement tables of many notes, for every kappa that is reported."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deid_tasks.core.entities import CATEGORY, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import label_words, split_words
from deid_tasks.evidence.annotation.agreement.adjudication import span_keys
from deid_tasks.evidence.annotation.agreement.kappa import AgreementTable, kappa_interval

ALL = "ALL"
"""The row of the headline kappa: identifying words against all others."""
ERRORS = "ERRORS"
"""The row of the words on which the engine differs from at least one annotator: do the two agree on the engine's
errors?
"""

LabelPairs = Counter[tuple[str, str]]
"""The number of words by the entities that the two annotators gave them; an empty string means no entity."""


@dataclass(frozen=True, slots=True)
class KappaRow:
    """One line of the agreement report."""

    name: str
    """``ALL``, ``ERRORS``, ``category:NAME``… or a fine type."""
    table: AgreementTable
    lower: float
    upper: float

    @property
    def value(self) -> float:
        """Cohen's kappa."""
        return self.table.kappa


class AgreementTally:
    """Counts the words of many notes, added one at a time; memory grows with patients and entities, never with text."""

    def __init__(self) -> None:
        self.notes = 0
        """The number of notes added."""
        self.notes_alike = 0
        """The number of notes with the same spans from both annotators."""
        self._pairs: defaultdict[str, LabelPairs] = defaultdict(Counter)
        self._errors: defaultdict[str, LabelPairs] = defaultdict(Counter)

    def add(
        self,
        text: str,
        first: Sequence[Span],
        second: Sequence[Span],
        patient: str,
        engine: Sequence[Span] | None = None,
    ) -> None:
        """Count one note.

        Args:
            text: The note.
            first: The spans of the first annotator, in code points of ``text``.
            second: The spans of the second annotator.
            patient: The group of the note for the intervals.
            engine: The spans that the engine found; ``None`` if the engine did not read the note.
        """
        words = split_words(text)
        labels = list(zip(label_words(words, first), label_words(words, second), strict=True))
        self.notes += 1
        self.notes_alike += span_keys(first) == span_keys(second)
        self._pairs[patient].update(labels)
        if engine is not None:
            self._errors[patient].update(
                pair
                for pair, predicted in zip(labels, label_words(words, engine), strict=True)
                if not bool(pair[0]) == bool(pair[1]) == bool(predicted)
            )

    def table(self) -> AgreementTable:
        """Return the table of identifying words against all others."""
        return sum((_table(pairs) for pairs in self._pairs.values()), AgreementTable())

    def kappas(self, confidence: float = 0.95) -> Iterator[KappaRow]:
        """Yield the headline, the engine's errors if an engine was given, then each category and fine type in use.

        In the row of an entity, a word is marked if the annotator gave it that entity. A word that one annotator calls
        a city and the other a state is therefore a disagreement in both rows, but not in the headline.
        """
        yield _kappa_row(ALL, self._pairs, None, confidence)
        if self._errors:
            yield _kappa_row(ERRORS, self._errors, None, confidence)
        used = {name for pairs in self._pairs.values() for pair in pairs for name in pair if name}
        for category in dict.fromkeys(CATEGORY.values()):
            members = frozenset(str(entity) for entity in Entity if CATEGORY[entity] is category)
            if members & used:
                yield _kappa_row(f"category:{category}", self._pairs, members, confidence)
        for entity in Entity:
            if str(entity) in used:
                yield _kappa_row(str(entity), self._pairs, frozenset({str(entity)}), confidence)


def _kappa_row(
    name: str, by_patient: dict[str, LabelPairs], members: frozenset[str] | None, confidence: float
) -> KappaRow:
    tables = [_table(by_patient[patient], members) for patient in sorted(by_patient)]
    return KappaRow(name, sum(tables, AgreementTable()), *kappa_interval(tables, confidence))


def _table(pairs: LabelPairs, members: frozenset[str] | None = None) -> AgreementTable:
    """The table in which a word is marked if its entity is one of ``members``, or any entity if that is ``None``."""
    both = first_alone = second_alone = neither = 0
    for (first, second), words in pairs.items():
        is_first, is_second = (bool(name) if members is None else name in members for name in (first, second))
        if is_first and is_second:
            both += words
        elif is_first:
            first_alone += words
        elif is_second:
            second_alone += words
        else:
            neither += words
    return AgreementTable(both, first_alone, second_alone, neither)
