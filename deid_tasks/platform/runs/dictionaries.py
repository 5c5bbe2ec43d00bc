"""Dictionaries that dbt built to the compiled lexicon and the list of known people."""

import datetime
from typing import Any

from deid_tasks.core.errors import LexiconError
from deid_tasks.core.files import write_atomically
from deid_tasks.engine.lexicon import compile_lexicon
from deid_tasks.engine.obfuscate import KnownPerson, update_known_people
from deid_tasks.platform.lineage import dictionary_tables, lexicon_dataset, recorded_lineage
from deid_tasks.platform.runs.institution_engine import lexicon_dir, people_dir
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.dictionaries import read_dictionaries, read_people
from deid_tasks.platform.workspace import SharedFiles
from deid_tasks.settings import InstitutionSettings, Secrets

_COMPILED_AT = "compiled_at"
"""File beside a lexicon's tables. Compiling equal dictionaries again gives the same version and a later time."""


@logged_step
def compile_dictionaries(settings: InstitutionSettings, secrets: Secrets) -> dict[str, Any]:
    """Compile the institution's dictionaries into the lexicon, and add new patients to the list of known people.

    What is compiled is a candidate: runs use it once an evaluation has promoted it.

    Returns:
        The lexicon's version, its number of terms, and the version of the list of known people.
    """
    folder, shared = lexicon_dir(settings), SharedFiles(settings, secrets)
    began = datetime.datetime.now(datetime.UTC)
    uri = secrets.text(settings.warehouse.connection_of("engine"))
    with recorded_lineage(settings, "compile_dictionaries") as lineage, connect(uri) as connection:
        lineage.inputs = dictionary_tables(settings, uri)
        terms = read_dictionaries(connection, settings)
        key = secrets.key(settings.obfuscate.key)
        lexicon = compile_lexicon(terms, folder, key=key)
        write_atomically(folder / lexicon.version / _COMPILED_AT, began.isoformat(timespec="seconds"))
        shared.share_version(folder, lexicon.version)
        if former := shared.newest(people_dir(settings)):
            shared.fetch_version(people_dir(settings) / former)
        people = (KnownPerson(*row) for row in read_people(connection, settings))
        known = update_known_people(people_dir(settings), key, settings.institution, people)
        shared.share_version(people_dir(settings), known.version)
        lineage.counts = {f"terms_{name}": count for name, count in lexicon.counts.items()}
        lineage.outputs = [lexicon_dataset(settings, lexicon.version, sum(lexicon.counts.values()))]
    return {"lexicon_version": lexicon.version, "terms": sum(lexicon.counts.values()), "people_version": known.version}


def compiled_at(settings: InstitutionSettings, secrets: Secrets, lexicon: str) -> datetime.datetime:
    """Return when the dictionaries of one version of the lexicon were last compiled.

    Raises:
        LexiconError: the version is missing, or an earlier release compiled it.
    """
    path = SharedFiles(settings, secrets).fetch(lexicon_dir(settings) / lexicon / _COMPILED_AT)
    try:
        return datetime.datetime.fromisoformat(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        name = settings.institution
        raise LexiconError(f"{name}: {path} is missing or damaged; run dictionaries__{name} first") from None
