"""Dictionaries to lexicon, and the engine that stands on it."""

from typing import Any

from deid_tasks.engine import Engine, build_engine
from deid_tasks.errors import LexiconError
from deid_tasks.lexicon import LexiconTerm, compile_lexicon
from deid_tasks.runs.workspace import work_dir
from deid_tasks.settings import InstitutionSettings, Secrets
from deid_tasks.warehouse import connect
from deid_tasks.warehouse.dictionaries import read_dictionaries


def compile_dictionaries(settings: InstitutionSettings, secrets: Secrets) -> dict[str, Any]:
    """Compile the dictionaries that dbt built into the lexicon that workers share.

    Runs under way go on with the lexicon they opened; the next ones open the new one.
    """
    folder = work_dir(settings) / "lexicon"
    folder.mkdir(exist_ok=True)
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        rows = read_dictionaries(connection, settings)
        terms = (LexiconTerm(row.table, row.kind, row.term, row.occurrences) for row in rows)
        lexicon = compile_lexicon(terms, folder, key=secrets.key(settings.obfuscate.key))
    return {"lexicon_version": lexicon.version, "terms": sum(lexicon.counts.values())}


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
    )
