"""What each part of the engine is worth: the scores without it, from one reading of the notes.

The table of Murugadoss et al. 2024 (table 1), and what recovery gives back (table 3). Each detector reads every note once; a variant merges
and recovers again without the part that it lacks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from deid_tasks.detect.sentences import INCLUDED, SentenceDetector
from deid_tasks.engine import Context, Engine
from deid_tasks.evaluate import Evaluation, Interval, Scorer
from deid_tasks.patient import PatientRecord
from deid_tasks.pipeline import Detection, SpansByDetector, find, settle
from deid_tasks.runs.batches import batched
from deid_tasks.runs.dictionaries import load_engine
from deid_tasks.runs.heldout import is_unseen, splits_of
from deid_tasks.settings import InstitutionSettings, Secrets
from deid_tasks.settings.model import Design
from deid_tasks.span import Span
from deid_tasks.text import Document
from deid_tasks.text.words import mark_words, words_of
from deid_tasks.warehouse import connect, read_patients
from deid_tasks.warehouse.gold import newest_gold_set, read_gold
from deid_tasks.warehouse.notes import read_some

FULL = "full"
_BATCH_NOTES = 100
_DICTIONARIES = frozenset({"lexicon", "patient"})


class GoldDocument(NamedTuple):
    """One note with its gold spans, and what the warehouse knows of its patient."""

    document: Document
    spans: Sequence[Span]
    patient: str
    record: PatientRecord | None


@dataclass(frozen=True, slots=True)
class Variant:
    """The engine without one of its parts."""

    name: str
    engine: Engine
    without: frozenset[str] = frozenset()
    """Detectors whose findings are left out."""
    is_included_left_out: bool = True
    """Whether the inclusion list is in use: what the models find in its sentences is left out."""

    def detection(self, document: Document, spans: SpansByDetector) -> Detection:
        """What this variant makes of what all detectors found."""
        left = {
            name: found
            for name, found in spans.items()
            if name.partition(":")[0] not in self.without
            and not (self.is_included_left_out and name.endswith(INCLUDED))
        }
        return settle(document, left, self.engine)


@dataclass(frozen=True)
class Ablated:
    """The scores of one variant."""

    name: str
    evaluation: Evaluation
    recall_change: Interval
    """Of recall against the full engine, from resampling both together."""
    precision_change: Interval


@dataclass
class Recovered:
    """Words that were marked at first, and words given back as medical terms, by the entity they were taken for."""

    notes: int = 0
    marked: Counter[str] = field(default_factory=Counter)
    given_back: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Of all words that were marked at first."""
        return self.given_back.total() / self.marked.total() if self.marked else 0.0

    def add(self, text: str, detection: Detection) -> None:
        """Count one note."""
        words = words_of(text)
        self.notes += 1
        for spans, counted in ((detection.spans, ()), (detection.recovered, (self.given_back,))):
            entities = Counter(mark_words(words, spans).values())
            for counter in (self.marked, *counted):
                counter.update(entities)


def without_dictionaries(engine: Engine) -> Variant:
    """The engine on its public resources alone."""
    return Variant("without_dictionaries", engine.without_dictionaries(), _DICTIONARIES)


def variants_of(engine: Engine) -> list[Variant]:
    """The full engine first, then without each part that it has."""
    names = {detector.name.partition(":")[0] for detector in engine.detectors}
    if engine.is_patient_aware:
        names.add("patient")
    found = [Variant(FULL, engine)]
    if names & _DICTIONARIES:
        found.append(without_dictionaries(engine))
    if engine.recover.enabled:
        found.append(
            Variant("without_recovery", replace(engine, recover=engine.recover.model_copy(update={"enabled": False})))
        )
    if any(isinstance(detector, SentenceDetector) and detector.inclusion for detector in engine.detectors):
        found.append(Variant("without_inclusion", engine, is_included_left_out=False))
    found += [Variant(f"without_{name}", engine, frozenset({name})) for name in sorted(names)]
    return found


def ablate(notes: Iterable[GoldDocument], engine: Engine, scorer: Scorer) -> tuple[list[Ablated], Recovered]:
    """Score the engine without each of its parts on gold notes.

    Args:
        notes: The gold notes, streamed.
        engine: The full engine.
        scorer: An empty scorer, whose settings all variants' scorers take.
    """
    variants = variants_of(engine)
    scorers = [scorer.fresh() for _ in variants]
    recovered = Recovered()
    reading = engine.reading_included()
    for batch in batched(notes, _BATCH_NOTES):
        patients = {note.document.patient_id or "": note.record for note in batch if note.record}
        spans = find([note.document for note in batch], Context(reading, patients))
        for note, found in zip(batch, spans, strict=True):
            for variant, own in zip(variants, scorers, strict=True):
                detection = variant.detection(note.document, found)
                own.add(note.document.text, note.spans, detection.spans, note.patient, note.document.note_type or "")
                if variant.name == FULL:
                    recovered.add(note.document.text, detection)
    full = scorers[0]
    return [
        Ablated(variant.name, own.finish(), own.difference(full, "recall"), own.difference(full, "precision"))
        for variant, own in zip(variants, scorers, strict=True)
    ], recovered


def ablate_institution(
    settings: InstitutionSettings, secrets: Secrets, design: Design
) -> tuple[list[Ablated], Recovered]:
    """Ablate an institution's engine on its newest gold set of one design.

    Raises:
        WarehouseError: there is no such gold set.
    """
    engine = load_engine(settings, secrets)
    uri = secrets.text(settings.warehouse.connection)
    with connect(uri) as reader, connect(uri) as lookup:
        gold = newest_gold_set(reader, settings, design)
        splits = splits_of(settings)

        def notes() -> Iterator[GoldDocument]:
            unseen = (
                row for row in read_gold(reader, settings, gold) if is_unseen(splits, row.patient_id, row.note_id)
            )
            for rows in batched(unseen, _BATCH_NOTES):
                patients: Mapping[str, PatientRecord] = read_patients(
                    lookup, settings, (row.patient_id for row in rows if row.patient_id)
                )
                for row in rows:
                    document = Document(row.note_id, row.text, row.patient_id or None, row.note_type)
                    patient = row.patient_id or f"note {row.note_id}"
                    yield GoldDocument(document, row.spans, patient, patients.get(row.patient_id))

        gate = settings.gate
        scorer = Scorer(settings.policy.group, gate.confidence, gate.resamples)
        return ablate(notes(), engine, scorer)


def recovered_share(settings: InstitutionSettings, secrets: Secrets, notes: int) -> Recovered:
    """How much of what is marked in ``notes`` unlabelled notes, the first by a hash of their ids, is given back.

    It is the measure of recovery that no gold sample biases.
    """
    engine = load_engine(settings, secrets)
    uri = secrets.text(settings.warehouse.connection)
    recovered = Recovered()
    with connect(uri) as reader, connect(uri) as lookup:
        for batch in batched(read_some(reader, settings, notes), _BATCH_NOTES):
            patients = read_patients(lookup, settings, (d.patient_id for d in batch if d.patient_id))
            for document, spans in zip(batch, find(batch, Context(engine, patients)), strict=True):
                recovered.add(document.text, settle(document, spans, engine))
    return recovered
