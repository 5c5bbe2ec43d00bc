"""Dictionaries to the compiled lexicon and the people file."""

from typing import Any

from deid_tasks.engine.lexicon import LexiconTerm, compile_lexicon
from deid_tasks.engine.obfuscate import KnownPerson, update_known_people
from deid_tasks.platform.runs.institution_engine import people_file
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
        known = update_known_people(people_file(settings), key, settings.institution, rows_of_people)
    return {"lexicon_version": lexicon.version, "terms": sum(lexicon.counts.values()), "people_version": known.version}
