"""Ablation: what each part of the engine contributes and costs, from one reading of the notes.

The tables follow Murugadoss et al. 2024: table 1 (scores without each part) and table 3 (what recovery removes). Each
detector reads every note once; a variant merges and recovers again without the part that it lacks.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from deid_tasks.core.detectors import DICTIONARY_DETECTORS, base_name, is_neural
from deid_tasks.core.patient import PatientRecord
from deid_tasks.core.span import Span
from deid_tasks.engine.cascade import ALONE, CascadeDetector
from deid_tasks.engine.detect.base import Detector
from deid_tasks.engine.detect.sentence_detector import INCLUDED, SentenceDetector
from deid_tasks.engine.detect.transformer import PASSED_OVER, TransformerDetector
from deid_tasks.engine.observer import PipelineObserver
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers, run_detectors
from deid_tasks.engine.resolve import Detection, SpansByDetector, resolve_batch
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.evaluate import Evaluation, Interval, Scorer
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.patient_split import is_unseen_by_models, model_splits
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.gold import gold_set_of, newest_gold_set, read_gold
from deid_tasks.platform.warehouse.notes import read_some
from deid_tasks.settings import Design, InstitutionSettings, Secrets

FULL = "full"
_BATCH_NOTES = 100
_WARMING_NOTES = 5


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
    engine: EngineParts
    without: frozenset[str] = frozenset()
    """Detectors whose spans are dropped: ``transformer`` means all models, ``transformer:<name>`` one of them."""
    has_inclusion_list: bool = True
    """Whether the inclusion list is in use: spans of the models in its sentences are dropped."""
    has_sentence_filter: bool = True
    """Whether sentence filters are in use: spans of the models in the sentences that they pass over are dropped."""
    is_first_stage_only: bool = False
    """Whether models read without their second stage."""

    def uses(self, detector: str, known: Iterable[str]) -> bool:
        """Whether this variant takes the spans of ``detector``, given the names of all ``known`` detectors."""
        plain = detector.removesuffix(INCLUDED).removesuffix(PASSED_OVER).removesuffix(ALONE)
        if plain in self.without or base_name(plain) in self.without:
            return False
        if detector.endswith(INCLUDED) and self.has_inclusion_list:
            return False
        if detector.endswith(PASSED_OVER) and self.has_sentence_filter:
            return False
        if detector.endswith(ALONE):
            return self.is_first_stage_only
        return not self.is_first_stage_only or f"{plain}{ALONE}" not in known

    def detections(self, documents: Sequence[Document], spans: Sequence[SpansByDetector]) -> list[Detection]:
        """Return the identifiers that this variant finds, from the spans of all detectors in each document."""
        used = [{name: found for name, found in one.items() if self.uses(name, one)} for one in spans]
        # A judge is asked nothing that the full engine is certain of, and sees nothing that it found.
        rules = [{name: found for name, found in one.items() if not is_neural(name)} for one in spans]
        known = [{**one, **own} for one, own in zip(rules, used, strict=True)]
        return resolve_batch(documents, used, self.engine, known=known)


@dataclass(frozen=True)
class AblationScore:
    """The scores of one variant."""

    name: str
    evaluation: Evaluation
    recall_change: Interval
    """Of recall against the full engine, from resampling both together."""
    precision_change: Interval
    seconds: float
    """Processor time from text to resolved spans; no sentence is taken from a cache."""


@dataclass
class RecoveredWords:
    """Words that were marked before recovery, and words that recovery removed, by the entity that they were marked
    as."""

    notes: int = 0
    marked: Counter[str] = field(default_factory=Counter)
    recovered: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Share of the marked words that were recovered."""
        return self.recovered.total() / self.marked.total() if self.marked else 0.0

    def add(self, text: str, detection: Detection) -> None:
        """Count one note."""
        words = split_words(text)
        self.notes += 1
        for spans, counted in ((detection.spans, ()), (detection.recovered, (self.recovered,))):
            entities = Counter(mark_words(words, spans).values())
            for counter in (self.marked, *counted):
                counter.update(entities)


def without_dictionaries(engine: EngineParts) -> Variant:
    """Return the engine on its public resources alone."""
    return Variant("without_dictionaries", engine.without_dictionaries(), frozenset(map(str, DICTIONARY_DETECTORS)))


def variants_of(engine: EngineParts) -> list[Variant]:
    """Return the full engine first, then the engine without each part that it has."""
    detectors = [detector.name for detector in engine.detectors]
    names = {*map(base_name, detectors), *map(str, engine.batch_detectors)}
    found = [Variant(FULL, engine)]
    if names & DICTIONARY_DETECTORS:
        found.append(without_dictionaries(engine))
    if engine.recover.enabled:
        off = engine.recover.model_copy(update={"enabled": False})
        found.append(Variant("without_recovery", replace(engine, recover=off)))
    if engine.recover.enabled and engine.recover.min_confidence is not None:
        found.append(Variant("without_confidence", replace(engine, recover=engine.recover.without_confidence())))
    if engine.merge.propagation.enabled:
        quiet = engine.merge.propagation.model_copy(update={"enabled": False})
        merge = engine.merge.model_copy(update={"propagation": quiet})
        found.append(Variant("without_propagation", replace(engine, merge=merge)))
    if engine.judge is not None:
        found.append(Variant("without_judge", replace(engine, judge=None)))
    if any(isinstance(detector, SentenceDetector) and detector.inclusion for detector in engine.detectors):
        found.append(Variant("without_inclusion", engine, has_inclusion_list=False))
    if any(passed_over_by(detector) for detector in engine.detectors):
        found.append(Variant("without_sentence_filter", engine, has_sentence_filter=False))
    if any(first_stage_of(detector) for detector in engine.detectors):
        found.append(Variant("without_second_stage", engine, is_first_stage_only=True))
    found += [Variant(f"without_{name}", engine, frozenset({name})) for name in sorted(names)]
    found += [Variant(f"without_{name}", engine, frozenset({name})) for name in sorted(detectors) if name not in names]
    return found


def first_stage_of(detector: Detector) -> Detector | None:
    """Return the detector without its model's second stage; ``None`` if it has none."""
    if not isinstance(detector, SentenceDetector) or not isinstance(detector.reader, CascadeDetector):
        return None
    return SentenceDetector(detector.reader.first_stage, detector.inclusion)


def passed_over_by(detector: Detector) -> Detector | None:
    """Return the detector of the sentences that the model's filter passes over; ``None`` if it has no filter."""
    if not isinstance(detector, SentenceDetector):
        return None
    if not isinstance(detector.reader, CascadeDetector | TransformerDetector):
        return None
    reader = detector.reader.of_passed_over()
    return SentenceDetector(reader, detector.inclusion) if reader else None


def score_variants(
    notes: Iterable[GoldDocument], engine: EngineParts, scorer: Scorer
) -> tuple[list[AblationScore], RecoveredWords]:
    """Score the engine without each of its parts on gold notes.

    Args:
        notes: the gold notes, streamed.
        engine: the full engine.
        scorer: an empty scorer, whose settings all variants' scorers take.

    Returns:
        The scores of each variant, the full engine first, and what the full engine recovers.
    """
    variants = variants_of(engine)
    scorers = [scorer.fresh() for _ in variants]
    recovered = RecoveredWords()
    reading, detecting, resolving = _reading(engine), _Clock(), _Clock()
    for number, batch in enumerate(batched(notes, _BATCH_NOTES)):
        documents = [note.document for note in batch]
        context = BatchContext(reading, {note.document.patient_id or "": note.record for note in batch if note.record})
        if not number:
            # What a process builds once, such as automata, is not part of a note's time.
            find_identifiers([replace(document) for document in documents[:_WARMING_NOTES]], context)
        spans = run_detectors(documents, context, detecting)
        for variant, own in zip(variants, scorers, strict=True):
            with resolving.stage(variant.name):
                detections = variant.detections(documents, spans)
            for note, detection in zip(batch, detections, strict=True):
                own.add(note.document.text, note.spans, detection.spans, note.patient, note.document.note_type or "")
                if variant.name == FULL:
                    recovered.add(note.document.text, detection)
    full = scorers[0]
    return [
        AblationScore(
            variant.name,
            own.finish(),
            own.difference(full, "recall"),
            own.difference(full, "precision"),
            resolving.seconds[variant.name]
            + sum(time for name, time in detecting.seconds.items() if variant.uses(name, detecting.seconds)),
        )
        for variant, own in zip(variants, scorers, strict=True)
    ], recovered


def _reading(engine: EngineParts) -> EngineParts:
    """Return the engine with every detector that some variant uses, and without caches."""
    detectors: list[Detector] = []
    for detector in engine.detectors:
        if isinstance(detector, SentenceDetector):
            detectors.append(detector.uncached())
            detectors += [detector.uncached().included()] if detector.inclusion else []
            first_stage = first_stage_of(detector)
            detectors += [first_stage] if first_stage else []
            passed_over = passed_over_by(detector)
            detectors += [passed_over] if passed_over else []
        else:
            detectors.append(detector)
    return replace(engine, detectors=tuple(detectors))


class _Clock(PipelineObserver):
    """Adds up processor time by stage; what detectors share is computed first, as the stage ``text``."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def begin(self, documents: Sequence[Document]) -> None:
        """Compute tokens and sentences."""
        with self.stage("text"):
            for document in documents:
                _ = document.tokens, document.sentences

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the stage ``name``."""
        began = time.process_time()
        yield
        self.seconds[name] += time.process_time() - began


def ablate_institution(
    settings: InstitutionSettings, secrets: Secrets, design: Design
) -> tuple[list[AblationScore], RecoveredWords]:
    """Ablate an institution's engine on its newest gold set of one design.

    Raises:
        WarehouseError: there is no such gold set.
    """
    gate = settings.gate
    scorer = Scorer(settings.policy.group, gate.confidence, gate.resamples, policy=settings.policy)
    return score_variants(gold_documents(settings, secrets, design), load_engine(settings, secrets), scorer)


def gold_documents(
    settings: InstitutionSettings, secrets: Secrets, design: Design, version: str = ""
) -> Iterator[GoldDocument]:
    """Yield the notes of a gold set of one design that the institution's own models were not trained on.

    Args:
        settings: The institution.
        secrets: Its secrets.
        design: How the notes were drawn.
        version: The gold set; the newest one of the design if empty.

    Raises:
        WarehouseError: there is no such gold set.
    """
    uri = secrets.text(settings.warehouse.connection_of("evidence"))
    with connect(uri) as reader, connect(uri) as lookup:
        gold = gold_set_of(reader, settings, version) if version else newest_gold_set(reader, settings, design)
        splits = model_splits(settings)
        unseen = (
            row for row in read_gold(reader, settings, gold) if is_unseen_by_models(splits, row.patient_id, row.note_id)
        )
        for rows in batched(unseen, _BATCH_NOTES):
            patients: Mapping[str, PatientRecord] = read_patients(
                lookup, settings, (row.patient_id for row in rows if row.patient_id)
            )
            for row in rows:
                document = Document(row.note_id, row.text, row.patient_id or None, row.note_type)
                patient = row.patient_id or f"note {row.note_id}"
                yield GoldDocument(document, row.spans, patient, patients.get(row.patient_id))


def recovered_share(settings: InstitutionSettings, secrets: Secrets, notes: int) -> RecoveredWords:
    """Return how much of what is marked in ``notes`` unlabelled notes is recovered; notes are chosen by a hash of
    their ids.

    It measures recovery without the bias of a gold sample.
    """
    engine = load_engine(settings, secrets)
    uri = secrets.text(settings.warehouse.connection_of("evidence"))
    recovered = RecoveredWords()
    with connect(uri) as reader, connect(uri) as lookup:
        for batch in batched(read_some(reader, settings, notes), _BATCH_NOTES):
            patients = read_patients(lookup, settings, (d.patient_id for d in batch if d.patient_id))
            for document, detection in zip(batch, find_identifiers(batch, BatchContext(engine, patients)), strict=True):
                recovered.add(document.text, detection)
    return recovered
