"""What each part of the engine is worth and what it costs: scores and processor time without it, from one reading of the notes.

The table of Murugadoss et al. 2024 (table 1), and what recovery gives back (table 3). Each detector reads every note once; a variant merges
and recovers again without the part that it lacks.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeVar

from deid_tasks.core.patient import PatientRecord
from deid_tasks.core.span import Span
from deid_tasks.engine.cascade import CascadeDetector
from deid_tasks.engine.detect.base import Detector
from deid_tasks.engine.detect.sentence_detector import INCLUDED, SentenceDetector
from deid_tasks.engine.engine import Context, Engine
from deid_tasks.engine.pipeline import find
from deid_tasks.engine.resolve import Detection, SpansByDetector, settle, settle_all
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.evaluate import Evaluation, Interval, Scorer
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.patient_split import is_unseen_by_models, model_splits
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.gold import newest_gold_set, read_gold
from deid_tasks.platform.warehouse.notes import read_some
from deid_tasks.settings import Design, InstitutionSettings, Secrets

FULL = "full"
_BATCH_NOTES = 100
_WARMING_NOTES = 5
_DICTIONARIES = frozenset({"lexicon", "patient"})
_ALONE = ":alone"
_Result = TypeVar("_Result")


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
    """Detectors whose findings are left out: ``transformer`` stands for all models, ``transformer:<name>`` for one."""
    is_included_left_out: bool = True
    """Whether the inclusion list is in use: what the models find in its sentences is left out."""
    is_alone: bool = False
    """Whether models read without a second opinion."""

    def uses(self, detector: str, known: Iterable[str]) -> bool:
        """Whether this variant takes what ``detector`` found, where ``known`` detectors were asked."""
        plain = detector.removesuffix(INCLUDED).removesuffix(_ALONE)
        if plain in self.without or plain.partition(":")[0] in self.without:
            return False
        if detector.endswith(INCLUDED) and self.is_included_left_out:
            return False
        return self.is_alone == detector.endswith(_ALONE) or (self.is_alone and f"{plain}{_ALONE}" not in known)

    def detections(self, documents: Sequence[Document], spans: Sequence[SpansByDetector]) -> list[Detection]:
        """What this variant makes of what all detectors found in each document."""
        left = [{name: found for name, found in one.items() if self.uses(name, one)} for one in spans]
        return settle_all(documents, left, self.engine)


@dataclass(frozen=True)
class Ablated:
    """The scores of one variant."""

    name: str
    evaluation: Evaluation
    recall_change: Interval
    """Of recall against the full engine, from resampling both together."""
    precision_change: Interval
    seconds: float
    """Of processor time, from text to settled spans; no sentence is taken from a cache."""


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
        words = split_words(text)
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
    detectors = [detector.name for detector in engine.detectors]
    names = {name.partition(":")[0] for name in detectors}
    if engine.is_patient_aware:
        names.add("patient")
    found = [Variant(FULL, engine)]
    if names & _DICTIONARIES:
        found.append(without_dictionaries(engine))
    if engine.recover.enabled:
        found.append(
            Variant("without_recovery", replace(engine, recover=engine.recover.model_copy(update={"enabled": False})))
        )
    if engine.merge.propagation.enabled:
        quiet = engine.merge.propagation.model_copy(update={"enabled": False})
        merge = engine.merge.model_copy(update={"propagation": quiet})
        found.append(Variant("without_propagation", replace(engine, merge=merge)))
    if any(isinstance(detector, SentenceDetector) and detector.inclusion for detector in engine.detectors):
        found.append(Variant("without_inclusion", engine, is_included_left_out=False))
    if any(alone(detector) for detector in engine.detectors):
        found.append(Variant("without_second_opinion", engine, is_alone=True))
    found += [Variant(f"without_{name}", engine, frozenset({name})) for name in sorted(names)]
    found += [Variant(f"without_{name}", engine, frozenset({name})) for name in sorted(detectors) if name not in names]
    return found


def alone(detector: Detector) -> Detector | None:
    """The detector without its model's second opinion; ``None`` where it has none."""
    if not isinstance(detector, SentenceDetector) or not isinstance(detector.reader, CascadeDetector):
        return None
    return SentenceDetector(detector.reader.first_stage, detector.inclusion)


def _reading(engine: Engine) -> Engine:
    """The engine with every detector that some variant asks, and without caches."""
    detectors: list[Detector] = []
    for detector in engine.detectors:
        if isinstance(detector, SentenceDetector):
            detectors.append(detector.uncached())
            detectors += [detector.uncached().included()] if detector.inclusion else []
            by_itself = alone(detector)
            detectors += [by_itself] if by_itself else []
        else:
            detectors.append(detector)
    return replace(engine, detectors=tuple(detectors))


class _Clock:
    """Adds up processor time by what it was spent on."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def run(self, what: str, work: Callable[[], _Result]) -> _Result:
        began = time.process_time()
        result = work()
        self.seconds[what] = self.seconds.get(what, 0.0) + time.process_time() - began
        return result


def _find(documents: Sequence[Document], context: Context, clock: _Clock) -> list[SpansByDetector]:
    """As the pipeline does, with a clock beside each detector; what detectors share is computed first."""
    clock.run("text", lambda: [(document.tokens, document.sentences) for document in documents])
    found: list[dict[str, list[Span]]] = [{} for _ in documents]
    for detector in context.detectors():
        each = clock.run(detector.name, partial(detector.detect, documents))
        for one, spans in zip(found, each, strict=True):
            one.setdefault(detector.name, []).extend(spans)
    return list(found)


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
    reading, reading_clock, settling_clock = _reading(engine), _Clock(), _Clock()
    for number, batch in enumerate(batched(notes, _BATCH_NOTES)):
        documents = [note.document for note in batch]
        context = Context(reading, {note.document.patient_id or "": note.record for note in batch if note.record})
        if not number:
            # What a process makes once, such as automata, is no part of a note's time.
            few = [replace(document) for document in documents[:_WARMING_NOTES]]
            settle_all(few, find(few, context), engine)
        spans = _find(documents, context, reading_clock)
        for variant, own in zip(variants, scorers, strict=True):
            settled = settling_clock.run(variant.name, partial(variant.detections, documents, spans))
            for note, detection in zip(batch, settled, strict=True):
                text, kind = note.document.text, note.document.note_type or ""
                own.add(text, note.spans, detection.spans, note.patient, kind)
                if variant.name == FULL:
                    recovered.add(text, detection)
    read = reading_clock.seconds
    full = scorers[0]
    return [
        Ablated(
            variant.name,
            own.finish(),
            own.difference(full, "recall"),
            own.difference(full, "precision"),
            settling_clock.seconds[variant.name] + sum(s for name, s in read.items() if variant.uses(name, read)),
        )
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
        splits = model_splits(settings)

        def notes() -> Iterator[GoldDocument]:
            unseen = (
                row
                for row in read_gold(reader, settings, gold)
                if is_unseen_by_models(splits, row.patient_id, row.note_id)
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
