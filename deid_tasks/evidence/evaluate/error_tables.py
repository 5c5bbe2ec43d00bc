"""The error tables of Murugadoss et al. 2021 (tables 4 to 6) and 2024 (supplementary table 1).

An error is a gold span of which at least one word was missed. The tables hold counts and no text.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from deid_tasks.core.entities import CATEGORY, Entity

_PATIENT = str(Entity.PATIENT)


@dataclass(frozen=True, slots=True)
class MissedEntity:
    """The errors of one entity or of one category."""

    entity: str
    """Empty in the row of a whole category."""
    category: str
    errors: int
    words: int
    share: float
    """Share of all missed words."""
    contribution: float
    """Missed words divided by all gold words; the contributions of all entities add up to ``1 - recall``."""


@dataclass(frozen=True, slots=True)
class ErrorsPerNote:
    """The notes with one number of errors."""

    errors: int
    notes: int
    total: int
    cumulative: int
    coverage: float
    """Share of gold spans that are found, or belong to a note with no more errors than this."""
    entities: float
    """Mean number of different entities among the errors of such a note."""


@dataclass(frozen=True, slots=True)
class NoteTypeErrors:
    """The errors of one note type."""

    note_type: str
    notes: int
    affected: int
    """Notes with at least one error."""
    errors: int
    gold: int
    """Gold spans."""

    @property
    def share_affected(self) -> float:
        """Share of the notes with at least one error."""
        return self.affected / self.notes


@dataclass(frozen=True, slots=True)
class ResidualRisk:
    """Names of patients that remain in the output, by which a reader could recognise a patient."""

    patients: int
    """Distinct patients among the notes."""
    leaks: int
    """Mentions of patients' names with at least one missed word."""
    words: int
    """Missed words of patients' names."""
    patients_leaked: int
    """Patients with at least one such mention in their notes."""

    @property
    def leaks_per_patient(self) -> float:
        """Leaks divided by distinct patients, the published measure."""
        return self.leaks / self.patients if self.patients else 0.0

    @property
    def words_per_patient(self) -> float:
        """Leaked words divided by distinct patients."""
        return self.words / self.patients if self.patients else 0.0

    @property
    def share_leaked(self) -> float:
        """Share of the patients whose name leaked at least once."""
        return self.patients_leaked / self.patients if self.patients else 0.0


@dataclass(frozen=True, slots=True)
class ErrorAnalysis:
    """The error tables, each with its worst row first."""

    missed: tuple[MissedEntity, ...]
    missed_categories: tuple[MissedEntity, ...]
    """The same words, summed by category."""
    per_note: tuple[ErrorsPerNote, ...]
    note_types: tuple[NoteTypeErrors, ...]
    risk: ResidualRisk

    def document(self) -> dict[str, Any]:
        """Return the tables as JSON values."""
        tables = asdict(self)
        for row, source in zip(tables["note_types"], self.note_types, strict=True):
            row["share_affected"] = source.share_affected
        for name in ("leaks_per_patient", "words_per_patient", "share_leaked"):
            tables["risk"][name] = getattr(self.risk, name)
        return tables


class ErrorTally:
    """Counts errors note by note; memory grows with note types and patients."""

    def __init__(self) -> None:
        self._errors: Counter[str] = Counter()
        self._words: Counter[str] = Counter()
        self._notes: Counter[int] = Counter()
        self._entities: Counter[int] = Counter()
        self._types: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self._leaks: Counter[str] = Counter()
        self._patients: set[str] = set()

    def add(
        self, note_type: str, patient: str, gold: int, missed: Iterable[str], missed_words: Mapping[str, int]
    ) -> None:
        """Count one note.

        Args:
            note_type: Of the note.
            patient: Of the note.
            gold: The number of gold spans.
            missed: The entity of each gold span with a missed word.
            missed_words: The number of missed words by entity.
        """
        entities = Counter(missed)
        errors = entities.total()
        self._errors.update(entities)
        self._words.update(missed_words)
        self._notes[errors] += 1
        self._entities[errors] += len(entities)
        row = self._types[note_type]
        for column, count in enumerate((1, bool(errors), errors, gold)):
            row[column] += count
        self._patients.add(patient)
        if leaks := entities[_PATIENT]:
            self._leaks[patient] += leaks

    def finish(self, gold_words: int) -> ErrorAnalysis:
        """Return the tables of all notes added; ``gold_words`` is the denominator of word recall."""
        missed: list[MissedEntity] = []
        categories: Counter[str] = Counter()
        errors: Counter[str] = Counter()
        for entity, words in self._words.items():
            category = str(CATEGORY[Entity(entity)])
            missed.append(self._missed(entity, category, self._errors[entity], words, gold_words))
            categories[category] += words
            errors[category] += self._errors[entity]
        whole = [self._missed("", name, errors[name], words, gold_words) for name, words in categories.items()]
        types = [NoteTypeErrors(name, *row) for name, row in self._types.items()]
        return ErrorAnalysis(
            tuple(sorted(missed, key=lambda row: (-row.words, row.entity))),
            tuple(sorted(whole, key=lambda row: (-row.words, row.category))),
            per_note_table(self._notes, self._entities, sum(row.gold for row in types)),
            tuple(sorted(types, key=lambda row: (-row.share_affected, -row.errors, row.note_type))),
            ResidualRisk(len(self._patients), self._leaks.total(), self._words[_PATIENT], len(self._leaks)),
        )

    def _missed(self, entity: str, category: str, errors: int, words: int, gold_words: int) -> MissedEntity:
        return MissedEntity(entity, category, errors, words, words / self._words.total(), words / gold_words)


def per_note_table(notes: Mapping[int, int], entities: Mapping[int, int], gold: int) -> tuple[ErrorsPerNote, ...]:
    """Return the table of errors per note.

    Args:
        notes: The number of notes by their number of errors.
        entities: Distinct entities among the errors, summed over these notes, by number of errors.
        gold: All gold spans.
    """
    rows, cumulative = [], 0
    total = sum(errors * count for errors, count in notes.items())
    for errors in sorted(notes):
        cumulative += errors * notes[errors]
        coverage = 1 - (total - cumulative) / gold if gold else 1.0
        rows.append(
            ErrorsPerNote(
                errors,
                notes[errors],
                errors * notes[errors],
                cumulative,
                coverage,
                entities.get(errors, 0) / notes[errors],
            )
        )
    return tuple(rows)
