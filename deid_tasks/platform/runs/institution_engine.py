"""An institution's engine, built from its settings and from exact versions of its files.

The candidate is the engine on the newest compiled dictionaries and the newest approved harvest. A run uses the promoted
engine that its pin names.
"""

from pathlib import Path

from deid_tasks.core.errors import GateError, LexiconError
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.detect.sentence_cache import prune_cache
from deid_tasks.engine.lexicon import Lexicon, LexiconDelta
from deid_tasks.engine.obfuscate import KnownPeople, Obfuscator
from deid_tasks.engine.parts import EngineParts
from deid_tasks.engine.registry import Artifacts, cache_file
from deid_tasks.platform.runs.reports import EnginePin
from deid_tasks.platform.workspace import SharedFiles, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets


def load_engine(settings: InstitutionSettings, secrets: Secrets, pin: EnginePin | None = None) -> EngineParts:
    """Return the engine that ``pin`` names; without a pin the candidate.

    Raises:
        GateError: code, models or settings are not those that the pinned engine was promoted with.
        LexiconError: no lexicon has been compiled, or one of the files is missing, damaged or was made with another
            key. The text says what to run.
    """
    if pin is None:
        return load_candidate(settings, secrets)[0]
    engine = open_versions(settings, secrets, pin)
    if engine.fingerprint != pin["fingerprint"]:
        name = settings.institution
        raise GateError(
            f"{name}: code, models or settings changed since engine {pin['fingerprint']} was promoted;"
            f" run evaluate__{name}, then clear pin_engine and the tasks after it"
        )
    return engine


def load_candidate(
    settings: InstitutionSettings, secrets: Secrets, outside_bias: float | None = None
) -> tuple[EngineParts, EnginePin]:
    """Return the candidate, and the pin that names it once it is promoted.

    Args:
        settings: The institution.
        secrets: Its secrets.
        outside_bias: The bias of its models that an evaluation chose; without one, that of the settings.

    Raises:
        LexiconError: as ``load_engine`` says.
    """
    name = settings.institution
    shared = SharedFiles(settings, secrets)
    lexicon = shared.newest(lexicon_dir(settings))
    if not lexicon:
        raise LexiconError(f"{name}: no compiled lexicon in {lexicon_dir(settings)}; run dictionaries__{name} first")
    if people_dir(settings).is_file():
        raise LexiconError(f"{name}: {people_dir(settings)} is of an earlier release; run dictionaries__{name} first")
    versions: EnginePin = {
        "fingerprint": "",
        "lexicon": lexicon,
        "people": shared.newest(people_dir(settings)),
        "harvest": shared.newest(approved_dir(settings)),
        "outside_bias": outside_bias,
    }
    engine = open_versions(settings, secrets, versions)
    return engine, {**versions, "fingerprint": engine.fingerprint}


def open_versions(settings: InstitutionSettings, secrets: Secrets, versions: EnginePin) -> EngineParts:
    """Return the engine of code and settings as they are now on exact versions of the files.

    Once a day this host's sentence cache loses the entries that nobody used for ``maintenance.cache_days``.

    Raises:
        LexiconError: a file is missing, damaged or was made with another key.
    """
    name = settings.institution
    if (bias := versions.get("outside_bias")) is not None:
        settings = settings.with_outside_bias(bias)
    lexicon = lexicon_dir(settings) / versions["lexicon"]
    people = people_dir(settings) / versions["people"] if versions["people"] else None
    harvest = approved_dir(settings) / versions["harvest"] if versions["harvest"] else None
    shared = SharedFiles(settings, secrets)
    _fetch_models(settings, shared)
    # Here, because each kind of worker may have a disk of its own, which maintain__* does not see.
    prune_cache(sentence_cache_file(settings), settings.maintenance.cache_days, once_a_day=True)
    for path in (lexicon, people, harvest):
        if path is not None and not shared.fetch_version(path).exists():
            raise LexiconError(
                f"{name}: {path} is missing, which the engine needs: in an old run clear pin_engine, so that it takes"
                f" the present engine; else run dictionaries__{name} and then evaluate__{name}"
            )
    artifacts = Artifacts(name, lexicon=lexicon, approved=harvest, cache=work_dir(settings) / "cache", people=people)
    try:
        return build_engine(settings, secrets.key(settings.obfuscate.key), artifacts, secrets)
    except LexiconError as error:
        raise LexiconError(
            f"{name}: {error}; if the secret {settings.obfuscate.key!r} has changed, restore its former value"
            f" or run dictionaries__{name}; if a file is damaged, run dictionaries__{name}"
        ) from None


def institution_obfuscator(settings: InstitutionSettings, secrets: Secrets) -> Obfuscator:
    """Return an obfuscator for pseudonyms alone, which needs no dictionaries."""
    return Obfuscator(secrets.key(settings.obfuscate.key), settings.institution, settings.policy, settings.obfuscate)


def lexicon_delta(settings: InstitutionSettings, secrets: Secrets, former: EnginePin, later: EnginePin) -> LexiconDelta:
    """Return what changed from one engine's lexicon to another's: which notes may come out otherwise for that reason.

    It says nothing of other differences; engines of one base fingerprint differ in dictionaries and known people alone.

    Raises:
        LexiconError: a version is missing (an old one may have been pruned), damaged or of another key.
    """
    key = secrets.key(settings.obfuscate.key)
    shared = SharedFiles(settings, secrets)
    old, new = (
        Lexicon.open(shared.fetch_version(lexicon_dir(settings) / pin["lexicon"]), key=key) for pin in (former, later)
    )
    return LexiconDelta.between(old, new)


def known_people(settings: InstitutionSettings, secrets: Secrets, pin: EnginePin | None = None) -> KnownPeople | None:
    """Return the people whom no surrogate may name, of the pinned version or the newest; ``None`` where there is none.

    Raises:
        LexiconError: the file is missing, damaged, or was made with another key.
    """
    folder, shared = people_dir(settings), SharedFiles(settings, secrets)
    version = pin["people"] if pin else shared.newest(folder)
    if not version:
        return None
    key = secrets.key(settings.obfuscate.key)
    return KnownPeople.open(shared.fetch_version(folder / version), key, settings.institution)


def _fetch_models(settings: InstitutionSettings, shared: SharedFiles) -> None:
    """Fetch the models that the institution has trained on its own gold sets; the others are on every worker."""
    for first in settings.detect.transformers:
        for part in first.parts:
            if Path(part.model).is_relative_to(shared.folder):
                shared.fetch_version(Path(part.model))


def sentence_cache_file(settings: InstitutionSettings) -> Path:
    """Return the file of the sentence cache on this host."""
    return cache_file(settings.detect.cache, work_dir(settings) / "cache", settings.institution)


def lexicon_dir(settings: InstitutionSettings) -> Path:
    """Return the folder of the compiled lexicons, a subfolder for each version."""
    return work_dir(settings) / "lexicon"


def people_dir(settings: InstitutionSettings) -> Path:
    """Return the folder of the keyed lists of the institution's people, a file for each version."""
    return work_dir(settings) / "people"


def harvest_dir(settings: InstitutionSettings) -> Path:
    """Return the folder of an institution's harvests."""
    return work_dir(settings) / "harvest"


def approved_dir(settings: InstitutionSettings) -> Path:
    """Return the folder of the approved harvests, a subfolder for each version."""
    return harvest_dir(settings) / "approved"
