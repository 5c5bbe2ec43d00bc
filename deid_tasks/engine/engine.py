"""The engine of one institution: its detectors, lexicon and obfuscator, built once per worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.detect.approved_harvest import ApprovedHarvest
from deid_tasks.engine.detect.base import Detector
from deid_tasks.engine.detect.context_rules import ContextRuleDetector
from deid_tasks.engine.detect.inclusion import InclusionList
from deid_tasks.engine.detect.lexicon_detector import LexiconDetector
from deid_tasks.engine.detect.patient_detector import PatientDetector
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.sentence_cache import SentenceCache
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.templates import TemplateDetector, version_of
from deid_tasks.engine.fingerprint import fingerprint, neural_version
from deid_tasks.engine.lexicon import Lexicon, default_lexicon
from deid_tasks.engine.obfuscate import KnownPeople, Obfuscator
from deid_tasks.settings import InstitutionSettings, MergeSettings, RecoverSettings


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

    def reading_included(self) -> "Engine":
        """The same engine, which also reads what the inclusion list leaves out, under the reader's name and ``:included``."""
        also = [d.included() for d in self.detectors if isinstance(d, SentenceDetector) and d.inclusion]
        return replace(self, detectors=(*self.detectors, *also))


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


def build_engine(
    settings: InstitutionSettings,
    lexicon: Path | None,
    key: bytes | None,
    approved: Path | None = None,
    cache: Path | None = None,
    people: Path | None = None,
) -> Engine:
    """The engine that ``settings`` describe.

    Args:
        settings: the institution.
        lexicon: folder of its lexicons, whose newest is taken; the public resources alone where ``None``.
        key: its surrogate key, which its lexicon is hashed with too; an engine without one detects and does not obfuscate.
        approved: folder of its approved inclusion lists and templates, whose newest are taken; none where ``None``. Needs the key.
        cache: folder in which what the transformers find in a sentence is kept across runs. Needs the key.
        people: file of its known people, whom no surrogate person may equal in name and birth date; unchecked where ``None``. Needs
            the key.

    Raises:
        LexiconError, ModelError: an artefact is missing or damaged, or needs a package that is not installed.
    """
    names = settings.detect.detectors
    compiled = Lexicon.open(lexicon, key=key or b"") if lexicon else default_lexicon()
    detectors: list[Detector] = []
    model_hashes: list[str] = []
    harvested: list[str] = []
    harvest = ApprovedHarvest.open(approved, key) if approved and key else None
    if "patterns" in names:
        detectors.append(PatternDetector(settings.detect.patterns.identifiers))
    if "context" in names and settings.detect.context.rules:
        detectors.append(ContextRuleDetector(settings.detect.context.rules))
    if "lexicon" in names and lexicon:
        detectors.append(LexiconDetector(compiled))
    if "templates" in names and harvest and harvest.templates:
        detectors.append(TemplateDetector(harvest.templates))
        harvested.append(f"templates {version_of(harvest.templates)}")
    if "transformer" in names:
        from deid_tasks.engine.cascade import SecondStageGate, build_readers
        from deid_tasks.engine.detect.transformer import WindowDetector

        patterns = PatternDetector() if "patterns" in names else None
        gate = SecondStageGate(settings.merge, settings.recover, patterns)
        readers = build_readers(settings.detect.transformers, gate)
        model_hashes = [reader.sha256 for reader in readers]
        inclusion: InclusionList | None = None
        if settings.detect.inclusion and harvest and len(harvest.inclusion):
            inclusion = harvest.inclusion
            harvested.append(f"inclusion {inclusion.version}")
        version = neural_version(
            settings, tuple(model_hashes), reads_rules=any(reader.reads_rules for reader in readers)
        )
        for place, reader in enumerate(readers):
            if reader.context == "window":
                detectors.append(WindowDetector(reader))
                continue
            kept = sentence_cache(settings, cache, key, f"{version} {place}")
            detectors.append(SentenceDetector(reader, inclusion, kept))
    known = KnownPeople.open(people, key, settings.institution) if people and key else None
    obfuscator = Obfuscator(key, settings.institution, settings.policy, settings.obfuscate, known) if key else None
    return Engine(
        tuple(detectors),
        compiled,
        obfuscator,
        settings.merge,
        settings.recover,
        settings.notes.max_characters,
        fingerprint(
            settings,
            compiled.version,
            tuple(model_hashes),
            harvested=tuple(harvested),
            people=known.version if known else "",
        ),
        "patient" in names,
    )


def sentence_cache(
    settings: InstitutionSettings, folder: Path | None, key: bytes | None, version: str
) -> SentenceCache | None:
    """The cache of one version of one reader; none where there is no folder, no key, or the settings switch it off."""
    chosen = settings.detect.cache
    if folder is None or key is None or not chosen.enabled:
        return None
    place = Path(chosen.folder) if chosen.folder else folder
    return SentenceCache(place / f"{settings.institution}.sqlite", key, version, chosen.max_megabytes * 1_000_000)
