"""The institution's engine, on its newest compiled lexicon and its newest approved harvest."""

from pathlib import Path

from deid_tasks.core.errors import LexiconError
from deid_tasks.engine.engine import Engine, build_engine
from deid_tasks.engine.obfuscate import KnownPeople
from deid_tasks.platform.workspace import work_dir
from deid_tasks.settings import InstitutionSettings, Secrets


def load_engine(settings: InstitutionSettings, secrets: Secrets) -> Engine:
    """The institution's engine on its newest compiled lexicon and its newest approved harvest.

    Raises:
        LexiconError: no lexicon has been compiled yet.
    """
    folder = work_dir(settings) / "lexicon"
    if not folder.is_dir():
        raise LexiconError(
            f"{settings.institution}: no compiled lexicon in {folder}; run dictionaries__{settings.institution} first"
        )
    room = work_dir(settings)
    return build_engine(
        settings,
        folder,
        secrets.key(settings.obfuscate.key),
        approved=room / "harvest" / "approved",
        cache=room / "cache",
        people=people if (people := people_file(settings)).is_file() else None,
    )


def known_people(settings: InstitutionSettings, key: bytes) -> KnownPeople | None:
    """Whom no surrogate person may be; ``None`` where no dictionaries were compiled since there is such a file.

    Raises:
        LexiconError: the file is damaged, or of another key.
    """
    path = people_file(settings)
    return KnownPeople.open(path, key, settings.institution) if path.is_file() else None


def people_file(settings: InstitutionSettings) -> Path:
    """Return the path of the keyed list of the institution's people."""
    return work_dir(settings) / "people"
