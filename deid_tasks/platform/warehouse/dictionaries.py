"""The dictionary tables that dbt built, streamed for the lexicon compiler."""

import datetime
from collections.abc import Iterator
from typing import Literal, NamedTuple

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.settings import InstitutionSettings

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


def read_people(
    connection: Connection, settings: InstitutionSettings
) -> Iterator[tuple[str, str, str, datetime.date | None]]:
    """``(patient_id, first name, last name, birth date)`` of every name of every patient, called by the preferred name too.

    A part that the warehouse lacks is empty; a patient without a name has one row of the identifier.
    """
    staging = settings.schema_name("staging")
    with connection.cursor(name="people") as cursor:
        cursor.itersize = 10_000
        cursor.execute(
            "select p.patient_id, coalesce(called.first, ''), coalesce(n.last_name, ''), p.birth_date"
            f" from {staging}.stg_patient as p"
            f" left join {staging}.stg_patient_name as n on n.patient_id = p.patient_id"
            " left join lateral (values (n.first_name), (n.preferred_name)) as called (first)"
            " on called.first is not null and called.first <> ''"
        )
        yield from cursor
