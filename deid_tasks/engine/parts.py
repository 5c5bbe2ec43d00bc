"""The parts of an engine, built once a worker, and what is known of the patients of one batch."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from deid_tasks.core.detectors import DICTIONARY_DETECTORS, DetectorName
from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.audit import PatientValues
from deid_tasks.engine.detect.base import Detector
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.judge import Judge
from deid_tasks.engine.lexicon import Lexicon, default_lexicon
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.obfuscate.policy import FormPolicy
from deid_tasks.engine.registry import build_batch_detectors
from deid_tasks.settings import MergeSettings, PolicySettings, RecoverSettings, SecondSearchSettings


@dataclass(frozen=True)
class EngineParts:
    """Everything that does not change from batch to batch; read-only, and shared by every batch of a worker."""

    detectors: tuple[Detector, ...]
    lexicon: Lexicon
    obfuscator: Obfuscator | None
    """``None`` without a surrogate key: such an engine can only detect."""
    merge: MergeSettings
    recover: RecoverSettings
    max_characters: int
    fingerprint: str
    batch_detectors: frozenset[DetectorName] = frozenset({DetectorName.PATIENT})
    """Detectors that are built anew for each batch, if it has what they need."""
    base_fingerprint: str = ""
    """The fingerprint without the versions of lexicon and known people; empty for an engine that no settings
    describe."""
    policy_free_fingerprint: str = ""
    """The base fingerprint without the section ``policy``: engines that share it find the same identifiers."""
    model_hashes: tuple[str, ...] = ()
    """One hash a transformer, of its weights and configuration, in the order of the settings."""
    second_search: SecondSearchSettings = field(default_factory=SecondSearchSettings)
    policy: FormPolicy = field(default_factory=lambda: FormPolicy(PolicySettings()))
    """What is an identifier, by entity and form."""
    judge: Judge | None = None
    """Decides about uncertain spans, if the settings have a section ``judge``."""

    def without_dictionaries(self) -> "EngineParts":
        """Return the engine on its public resources alone: the baseline for an institution's dictionaries."""
        return replace(
            self,
            detectors=tuple(d for d in self.detectors if d.name not in DICTIONARY_DETECTORS),
            lexicon=default_lexicon(),
            batch_detectors=self.batch_detectors - DICTIONARY_DETECTORS,
        )

    def reading_included(self) -> "EngineParts":
        """Return the engine with one more detector a model, ``<model>:included``, for the sentences of the inclusion
        list."""
        also = [d.included() for d in self.detectors if isinstance(d, SentenceDetector) and d.inclusion]
        return replace(self, detectors=(*self.detectors, *also))


@dataclass(frozen=True)
class BatchContext:
    """An engine, and what is known of the patients of one batch."""

    engine: EngineParts
    patients: Mapping[str, PatientRecord] = field(default_factory=dict, repr=False)
    types_without_patient: frozenset[str] | None = None
    """Types of notes that have no patient. Every other note is quarantined if ``patients`` has no name and no
    identifier of its patient. ``None``: no note needs a record, as where there is no warehouse to ask."""
    replaced: PatientValues = field(default_factory=PatientValues, repr=False)
    """What the patients' notes had replaced; contexts that share it search each batch for the values of those before
    it."""

    def lacks_record(self, patient_id: str | None, note_type: str | None) -> bool:
        """Whether a note needs a record of its patient and has none."""
        if self.types_without_patient is None or note_type in self.types_without_patient:
            return False
        record = self.patients.get(patient_id or "")
        return record is None or not record.is_identifying

    def detectors(self) -> tuple[Detector, ...]:
        """Return the engine's detectors, and those that are built for this batch."""
        return (*self.engine.detectors, *build_batch_detectors(self.engine.batch_detectors, self.patients))
