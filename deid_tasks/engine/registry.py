"""How each detector is built. The names and traits stand in ``core.detectors``; here is one builder a row.

To add a detector: add its row to ``core.detectors``, and its builder here. Settings, merging, recovery, ablation and
the docs read the row; nothing else names detectors.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deid_tasks.core.detectors import RUN_ORDER, DetectorName
from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.detect.approved_harvest import ApprovedHarvest
from deid_tasks.engine.detect.base import Detector
from deid_tasks.engine.detect.context_rules import ContextRuleDetector
from deid_tasks.engine.detect.lexicon_detector import LexiconDetector
from deid_tasks.engine.detect.patient_detector import PatientDetector
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.sentence_cache import SentenceCache
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.templates import TemplateDetector, version_of
from deid_tasks.engine.fingerprint import neural_version, rules_version
from deid_tasks.engine.lexicon import Lexicon
from deid_tasks.settings import CacheSettings, EngineSettings

PUBLIC = "public"
"""Name of the engine that belongs to no institution."""


@dataclass(frozen=True)
class Artifacts:
    """What belongs to one institution: its name, and the files that were made from its data.

    Attributes:
        institution: its name. Surrogates and the sentence cache depend on it.
        lexicon: folder of one version of its lexicon, or of all versions, of which the newest is used.
        approved: folder of one approved harvest, or of all, of which the newest is used. Needs the key.
        cache: folder of the sentence cache. Needs the key.
        people: file of one version of its known people, whom no surrogate person may equal in name and birth date.
            Needs the key.
    """

    institution: str = PUBLIC
    lexicon: Path | None = None
    approved: Path | None = None
    cache: Path | None = None
    people: Path | None = None


@dataclass(frozen=True)
class BuildInputs:
    """What the builders of detectors may use."""

    settings: EngineSettings
    artifacts: Artifacts
    key: bytes | None = field(repr=False)
    lexicon: Lexicon
    """The institution's, or the public terms."""
    harvest: ApprovedHarvest | None


@dataclass(frozen=True)
class BuiltDetectors:
    """The detectors of one row, and what they add to the fingerprint."""

    detectors: tuple[Detector, ...] = ()
    model_hashes: tuple[str, ...] = ()
    harvested: tuple[str, ...] = ()
    """Versions of the approved harvest that they use."""


def build_detectors(inputs: BuildInputs) -> BuiltDetectors:
    """Return the detectors that the settings name and for which there is what they need.

    Raises:
        LexiconError: an artifact is missing or damaged.
        ModelError: a model is missing or damaged, or needs a package that is not installed.
    """
    wanted = [name for name in RUN_ORDER if name in inputs.settings.detect.detectors]
    built = [BUILDERS[name](inputs) for name in wanted]
    return BuiltDetectors(
        tuple(detector for one in built for detector in one.detectors),
        tuple(digest for one in built for digest in one.model_hashes),
        tuple(version for one in built for version in one.harvested),
    )


def build_batch_detectors(
    names: Collection[DetectorName], patients: Mapping[str, PatientRecord]
) -> tuple[Detector, ...]:
    """Return the detectors of ``names`` that are built anew for each batch, from its patients' records."""
    if DetectorName.PATIENT not in names or not patients:
        return ()
    return (PatientDetector(patients),)


def sentence_cache(inputs: BuildInputs, version: str, rules: str) -> SentenceCache | None:
    """Return the cache of one version of one model and its cascade's rules; ``None`` without a folder or a key, or if
    the settings disable it."""
    chosen: CacheSettings = inputs.settings.detect.cache
    folder, key = inputs.artifacts.cache, inputs.key
    if folder is None or key is None or not chosen.enabled:
        return None
    path = cache_file(chosen, folder, inputs.artifacts.institution)
    return SentenceCache(path, key, version, chosen.max_megabytes * 1_000_000, rules)


def cache_file(settings: CacheSettings, folder: Path, institution: str) -> Path:
    """Return the file of an institution's sentence cache, in ``folder`` unless the settings name another."""
    return (Path(settings.folder) if settings.folder else folder) / f"{institution}.sqlite"


def _patterns(inputs: BuildInputs) -> BuiltDetectors:
    return BuiltDetectors((PatternDetector(inputs.settings.detect.patterns.identifiers),))


def _context(inputs: BuildInputs) -> BuiltDetectors:
    rules = inputs.settings.detect.context.rules
    return BuiltDetectors((ContextRuleDetector(rules),) if rules else ())


def _lexicon(inputs: BuildInputs) -> BuiltDetectors:
    return BuiltDetectors((LexiconDetector(inputs.lexicon),) if inputs.artifacts.lexicon else ())


def _templates(inputs: BuildInputs) -> BuiltDetectors:
    templates = inputs.harvest.templates if inputs.harvest else ()
    if not templates:
        return BuiltDetectors()
    return BuiltDetectors((TemplateDetector(templates),), harvested=(f"templates {version_of(templates)}",))


def _patient(_: BuildInputs) -> BuiltDetectors:
    """Return nothing: see ``build_batch_detectors``."""
    return BuiltDetectors()


def _transformer(inputs: BuildInputs) -> BuiltDetectors:
    from deid_tasks.engine.cascade import SecondStageGate, build_readers
    from deid_tasks.engine.detect.transformer import WindowDetector

    settings = inputs.settings
    has_patterns = DetectorName.PATTERNS in settings.detect.detectors
    gate = SecondStageGate(settings.merge, settings.recover, PatternDetector() if has_patterns else None)
    readers = build_readers(settings.detect.transformers, gate)
    hashes = tuple(reader.sha256 for reader in readers)
    inclusion = inputs.harvest.inclusion if inputs.harvest and settings.detect.inclusion else None
    inclusion = inclusion if inclusion is not None and len(inclusion) else None
    version, rules = neural_version(settings, hashes), rules_version(settings)
    if any(reader.reads_rules for reader in readers):
        version = f"{version} {rules}"
    detectors: list[Detector] = []
    for number, reader in enumerate(readers):
        if reader.context == "window":
            detectors.append(WindowDetector(reader))
        else:
            detectors.append(SentenceDetector(reader, inclusion, sentence_cache(inputs, f"{version} {number}", rules)))
    return BuiltDetectors(tuple(detectors), hashes, (f"inclusion {inclusion.version}",) if inclusion else ())


BUILDERS: dict[DetectorName, Callable[[BuildInputs], BuiltDetectors]] = {
    DetectorName.PATTERNS: _patterns,
    DetectorName.CONTEXT: _context,
    DetectorName.LEXICON: _lexicon,
    DetectorName.PATIENT: _patient,
    DetectorName.TEMPLATES: _templates,
    DetectorName.TRANSFORMER: _transformer,
}
"""The builder of each row of the registry."""
