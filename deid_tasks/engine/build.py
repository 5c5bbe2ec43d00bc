"""Building an engine from its settings and an institution's artifacts."""

from deid_tasks.core.detectors import DetectorName
from deid_tasks.engine.detect.approved_harvest import ApprovedHarvest
from deid_tasks.engine.fingerprint import fingerprint
from deid_tasks.engine.judge import load_judge
from deid_tasks.engine.lexicon import Lexicon, default_lexicon
from deid_tasks.engine.obfuscate import KnownPeople, Obfuscator
from deid_tasks.engine.obfuscate.policy import FormPolicy
from deid_tasks.engine.parts import EngineParts
from deid_tasks.engine.registry import Artifacts, BuildInputs, build_detectors
from deid_tasks.settings import EngineSettings, PolicySettings, Secrets

NO_ARTIFACTS = Artifacts()
"""Those of the public engine."""


def build_engine(
    settings: EngineSettings,
    key: bytes | None = None,
    artifacts: Artifacts = NO_ARTIFACTS,
    secrets: Secrets | None = None,
) -> EngineParts:
    """Return the engine that ``settings`` describe.

    Args:
        settings: what the engine does.
        key: surrogate key, of at least 32 bytes. Lexicon, harvest and cache are hashed with it too. An engine without
            a key detects and does not obfuscate.
        artifacts: what belongs to the institution; by default the public engine is built.
        secrets: the institution's, among which ``judge`` may name its keys.

    Raises:
        LexiconError: an artifact is missing or damaged.
        ModelError: a model is missing or damaged, or needs a package that is not installed.
        SettingsError: the judge needs a package that is not installed, or its endpoint is forbidden.
    """
    institution = artifacts.institution
    lexicon = Lexicon.open(artifacts.lexicon, key=key or b"") if artifacts.lexicon else default_lexicon()
    harvest = ApprovedHarvest.open(artifacts.approved, key) if artifacts.approved and key else None
    built = build_detectors(BuildInputs(settings, artifacts, key, lexicon, harvest))
    people = KnownPeople.open(artifacts.people, key, institution) if artifacts.people and key else None

    def fingerprint_with(lexicon_version: str, people: str = "", of: EngineSettings = settings) -> str:
        return fingerprint(
            of, institution, lexicon_version, built.model_hashes, harvested=built.harvested, people=people
        )

    return EngineParts(
        detectors=built.detectors,
        lexicon=lexicon,
        obfuscator=Obfuscator(key, institution, settings.policy, settings.obfuscate, people) if key else None,
        merge=settings.merge,
        recover=settings.recover,
        max_characters=settings.notes.max_characters,
        fingerprint=fingerprint_with(lexicon.version, people=people.version if people else ""),
        batch_detectors=frozenset({DetectorName.PATIENT} & set(settings.detect.detectors)),
        base_fingerprint=fingerprint_with(""),
        model_hashes=built.model_hashes,
        second_search=settings.second_search,
        policy_free_fingerprint=fingerprint_with("", of=settings.model_copy(update={"policy": PolicySettings()})),
        policy=FormPolicy(settings.policy),
        judge=load_judge(settings.judge, secrets),
    )
