"""Dictionaries to lexicon, and the engine that stands on it."""

from pathlib import Path
from typing import Any

from deid_tasks.core.errors import LexiconError
from deid_tasks.engine.engine import Engine, build_engine
from deid_tasks.engine.lexicon import LexiconTerm, compile_lexicon
from deid_tasks.engine.obfuscate import KnownPeople, KnownPerson, update_known_people
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.dictionaries import read_dictionaries, read_people
from deid_tasks.platform.workspace import work_dir
from deid_tasks.settings import InstitutionSettings, Secrets


def compile_dictionaries(settings: InstitutionSettings, secrets: Secrets) -> dict[str, Any]:
    """Compile the dictionaries that dbt built into the lexicon that workers share, and note who has become a patient since.

    Runs under way go on with the lexicon they opened; the next ones open the new one.
    """
    folder = work_dir(settings) / "lexicon"
    folder.mkdir(exist_ok=True)
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        rows = read_dictionaries(connection, settings)
        terms = (LexiconTerm(row.table, row.kind, row.term, row.occurrences) for row in rows)
        key = secrets.key(settings.obfuscate.key)
        lexicon = compile_lexicon(terms, folder, key=key)
        rows_of_people = (KnownPerson(*row) for row in read_people(connection, settings))
        known = update_known_people(_people(settings), key, settings.institution, rows_of_people)
    return {"lexicon_version": lexicon.version, "terms": sum(lexicon.counts.values()), "people_version": known.version}


def known_people(settings: InstitutionSettings, key: bytes) -> KnownPeople | None:
    """Whom no surrogate person may be; ``None`` where no dictionaries were compiled since there is such a file.

    Raises:
        LexiconError: the file is damaged, or of another key.
    """
    path = _people(settings)
    return KnownPeople.open(path, key, settings.institution) if path.is_file() else None


def _people(settings: InstitutionSettings) -> Path:
    return work_dir(settings) / "people"


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
        people=people if (people := _people(settings)).is_file() else None,
    )
