"""An institution's engine: its settings, its newest compiled lexicon and its newest approved harvest."""

from pathlib import Path

from deid_tasks.core.errors import LexiconError
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.obfuscate import KnownPeople, Obfuscator
from deid_tasks.engine.parts import EngineParts
from deid_tasks.engine.registry import Artifacts
from deid_tasks.platform.runs.reports import EnginePin
from deid_tasks.platform.workspace import work_dir
from deid_tasks.settings import InstitutionSettings, Secrets


def load_engine(settings: InstitutionSettings, secrets: Secrets, pin: EnginePin | None = None) -> EngineParts:  # noqa: ARG001
    """Return the institution's engine on its newest compiled lexicon and its newest approved harvest.

    Raises:
        LexiconError: no lexicon has been compiled, or one of the compiled files is damaged or was made with another
            key. The text says what to run.
    """
    folder = lexicon_dir(settings)
    name = settings.institution
    if not folder.is_dir():
        raise LexiconError(f"{name}: no compiled lexicon in {folder}; run dictionaries__{name} first")
    workspace = work_dir(settings)
    people = people_file(settings)
    artifacts = Artifacts(
        name,
        lexicon=folder,
        approved=workspace / "harvest" / "approved",
        cache=workspace / "cache",
        people=people if people.is_file() else None,
    )
    try:
        return build_engine(settings, secrets.key(settings.obfuscate.key), artifacts)
    except LexiconError as error:
        raise LexiconError(
            f"{name}: {error}; if the secret {settings.obfuscate.key!r} has changed, restore its former value"
            f" or run dictionaries__{name}; if a file is damaged, run dictionaries__{name}"
        ) from None


def institution_obfuscator(settings: InstitutionSettings, secrets: Secrets) -> Obfuscator:
    """Return an obfuscator for pseudonyms alone, which needs no dictionaries."""
    return Obfuscator(secrets.key(settings.obfuscate.key), settings.institution, settings.policy, settings.obfuscate)


def known_people(settings: InstitutionSettings, key: bytes) -> KnownPeople | None:
    """Return the people whom no surrogate may name; ``None`` where no dictionaries have been compiled.

    Raises:
        LexiconError: the file is damaged, or was made with another key.
    """
    path = people_file(settings)
    return KnownPeople.open(path, key, settings.institution) if path.is_file() else None


def lexicon_dir(settings: InstitutionSettings) -> Path:
    """Return the folder of the compiled lexicons, a subfolder for each version."""
    return work_dir(settings) / "lexicon"


def people_file(settings: InstitutionSettings) -> Path:
    """Return the path of the keyed list of the institution's people."""
    return work_dir(settings) / "people"
