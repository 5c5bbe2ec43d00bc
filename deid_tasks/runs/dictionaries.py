"""Dictionaries to lexicon, and the engine that stands on it."""

from typing import Any

from deid_tasks.engine import Engine, build_engine
from deid_tasks.errors import LexiconError
from deid_tasks.lexicon import LexiconTerm, compile_lexicon
from deid_tasks.runs.workspace import whole_file, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets
from deid_tasks.warehouse import connect
from deid_tasks.warehouse.dictionaries import read_dictionaries


def compile_dictionaries(settings: InstitutionSettings, secrets: Secrets) -> dict[str, Any]:
    """Compile the dictionaries that dbt built into the lexicon that workers share.

    The newest lexicon is named in ``work_dir/lexicon/current``; runs under way go on with the one they opened.
    """
    folder = work_dir(settings) / "lexicon"
    folder.mkdir(exist_ok=True)
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        rows = read_dictionaries(connection, settings)
        lexicon = compile_lexicon((LexiconTerm(r.table, r.kind, r.term, r.occurrences) for r in rows), folder)
    with whole_file(folder / "current") as partial:
        partial.write_text(lexicon.version, encoding="ascii")
    return {"lexicon_version": lexicon.version, "terms": sum(lexicon.counts.values())}


def load_engine(settings: InstitutionSettings, secrets: Secrets) -> Engine:
    """The institution's engine on its newest compiled lexicon.

    Raises:
        LexiconError: no lexicon has been compiled yet.
    """
    folder = work_dir(settings) / "lexicon"
    try:
        version = (folder / "current").read_text(encoding="ascii").strip()
    except OSError:
        raise LexiconError(
            f"{settings.institution}: no compiled lexicon in {folder}; run dictionaries__{settings.institution} first"
        ) from None
    return build_engine(settings, folder / version, secrets.key(settings.obfuscate.key))
