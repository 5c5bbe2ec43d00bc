"""The dictionary tables that dbt built, streamed for the lexicon compiler."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.settings.model import InstitutionSettings

Dictionary = Literal["patient_name", "provider", "facility", "address", "medical"]
DICTIONARIES: tuple[Dictionary, ...] = ("patient_name", "provider", "facility", "address", "medical")


class DictionaryRow(NamedTuple):
    """One term of one ``dict_<table>``."""

    table: Dictionary
    kind: str
    term: str
    occurrences: int


def read_dictionaries(connection: Connection, settings: InstitutionSettings) -> Iterator[DictionaryRow]:
    """Every term of every dictionary but ``dict_patient``, which is read by patient and never compiled."""
    for table in DICTIONARIES:
        with connection.cursor(name=f"dictionary_{table}") as cursor:
            cursor.itersize = 10_000
            cursor.execute(
                "select kind, term, coalesce(occurrences, 0)"
                f" from {settings.schema_name('dictionaries')}.dict_{table} order by kind, term"
            )
            for kind, term, occurrences in cursor:
                yield DictionaryRow(table, kind, term, int(occurrences))
