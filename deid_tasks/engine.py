"""The engine of one institution: its detectors, lexicon and obfuscator, built once per worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from deid_tasks.detect.base import Detector
from deid_tasks.detect.lexicon import LexiconDetector
from deid_tasks.detect.patient import PatientDetector
from deid_tasks.detect.patterns import PatternDetector
from deid_tasks.fingerprint import fingerprint
from deid_tasks.lexicon import Lexicon, default_lexicon
from deid_tasks.obfuscate import Obfuscator
from deid_tasks.patient import PatientRecord
from deid_tasks.settings import InstitutionSettings
from deid_tasks.settings.model import MergeSettings, RecoverSettings


@dataclass(frozen=True)
class Engine:
    """Everything that does not change from batch to batch; read-only, and shared by every batch of a worker."""

    detectors: tuple[Detector, ...]
    lexicon: Lexicon
    obfuscator: Obfuscator | None
    merge: MergeSettings
    recover: RecoverSettings
    max_characters: int
    fingerprint: str
    is_patient_aware: bool = True
    """Whether the patient lexicon is among the detectors."""

    def without_dictionaries(self) -> "Engine":
        """The same engine on its public resources alone: what the institution's dictionaries are measured against."""
        return replace(
            self,
            detectors=tuple(d for d in self.detectors if not isinstance(d, LexiconDetector)),
            lexicon=default_lexicon(),
            is_patient_aware=False,
        )


@dataclass(frozen=True)
class Context:
    """An engine, and what the warehouse knows of the patients of one batch."""

    engine: Engine
    patients: Mapping[str, PatientRecord] = field(default_factory=dict, repr=False)

    def detectors(self) -> tuple[Detector, ...]:
        """The engine's detectors, and the patient lexicon of this batch's patients."""
        if not self.engine.is_patient_aware or not self.patients:
            return self.engine.detectors
        return (*self.engine.detectors, PatientDetector(self.patients))


def build_engine(settings: InstitutionSettings, lexicon: Path | None, key: bytes | None) -> Engine:
    """The engine that ``settings`` describe.

    Args:
        settings: the institution.
        lexicon: folder of its lexicons, whose newest is taken; the public resources alone where ``None``.
        key: its surrogate key, which its lexicon is hashed with too; an engine without one detects and does not obfuscate.

    Raises:
        LexiconError, ModelError: an artefact is missing or damaged, or needs a package that is not installed.
    """
    names = settings.detect.detectors
    compiled = Lexicon.open(lexicon, key=key or b"") if lexicon else default_lexicon()
    detectors: list[Detector] = []
    model_hashes: list[str] = []
    if "patterns" in names:
        detectors.append(PatternDetector(settings.detect.patterns.identifiers))
    if "lexicon" in names and lexicon:
        detectors.append(LexiconDetector(compiled))
    if "transformer" in names:
        from deid_tasks.detect.transformer import TransformerDetector

        for model in settings.detect.transformers:
            transformer = TransformerDetector(model)
            detectors.append(transformer)
            model_hashes.append(transformer.sha256)
    obfuscator = Obfuscator(key, settings.institution, settings.policy, settings.obfuscate) if key else None
    return Engine(
        tuple(detectors),
        compiled,
        obfuscator,
        settings.merge,
        settings.recover,
        settings.notes.max_characters,
        fingerprint(settings, compiled.version, tuple(model_hashes)),
        "patient" in names,
    )
