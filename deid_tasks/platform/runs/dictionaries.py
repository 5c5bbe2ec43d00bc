"""Dictionaries that dbt built to the compiled lexicon and the list of known people."""

from typing import Any

from deid_tasks.engine.lexicon import compile_lexicon
from deid_tasks.engine.obfuscate import KnownPerson, update_known_people
from deid_tasks.platform.runs.institution_engine import lexicon_dir, people_file
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.dictionaries import read_dictionaries, read_people
from deid_tasks.settings import InstitutionSettings, Secrets


@logged_step
def compile_dictionaries(settings: InstitutionSettings, secrets: Secrets) -> dict[str, Any]:
    """Compile the institution's dictionaries into the lexicon, and add new patients to the list of known people.

    Runs that have started continue with the lexicon that they opened; later runs open the new one.

    Returns:
        The lexicon's version, its number of terms, and the version of the list of known people.
    """
    folder = lexicon_dir(settings)
    folder.mkdir(exist_ok=True)
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        terms = read_dictionaries(connection, settings)
        key = secrets.key(settings.obfuscate.key)
        lexicon = compile_lexicon(terms, folder, key=key)
        people = (KnownPerson(*row) for row in read_people(connection, settings))
        known = update_known_people(people_file(settings), key, settings.institution, people)
    return {"lexicon_version": lexicon.version, "terms": sum(lexicon.counts.values()), "people_version": known.version}
