"""The dictionary tables that dbt built, streamed for the lexicon compiler."""

import datetime
from collections.abc import Iterator, Sequence
from typing import Literal

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.engine.explanation import TermSource
from deid_tasks.engine.lexicon import LexiconTerm
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings

Dictionary = Literal["patient_name", "provider", "facility", "address", "medical"]
DICTIONARIES: tuple[Dictionary, ...] = ("patient_name", "provider", "facility", "address", "medical")


def read_dictionaries(connection: Connection, settings: InstitutionSettings) -> Iterator[LexiconTerm]:
    """Yield every term of every dictionary but ``dict_patient``, which is read by patient and never compiled."""
    for table in DICTIONARIES:
        with connection.cursor(name=f"dictionary_{table}") as cursor:
            cursor.itersize = 10_000
            cursor.execute(
                compose(
                    "select kind, term, coalesce(occurrences, 0) from {dictionaries}.{table} order by kind, term",
                    settings,
                    table=sql.Identifier(f"dict_{table}"),
                )
            )
            for kind, term, occurrences in cursor:
                yield LexiconTerm(table, kind, term, int(occurrences))


def read_term_sources(
    connection: Connection, settings: InstitutionSettings, phrases: Sequence[str], patient_id: str | None = None
) -> list[TermSource]:
    """Return where words and phrases in normal form stand in the dictionaries as dbt built them last.

    Args:
        connection: to the warehouse, with the rights of the engine.
        settings: the institution.
        phrases: what is looked up.
        patient_id: also look in this patient's own terms.

    Returns:
        The rows with one of the phrases, by dictionary, kind and phrase.
    """
    found = []
    with connection.cursor() as cursor:
        for table in DICTIONARIES:
            # Terms of public lists and harvested ones were never in the EHR's tables of people and places.
            first_seen = sql.SQL("null::timestamp" if table == "medical" else "first_seen")
            cursor.execute(
                compose(
                    """
                    select kind, normalised, source, version, {first_seen}::date from {dictionaries}.{table}
                    where normalised = any(%s) order by kind, normalised
                    """,
                    settings,
                    table=sql.Identifier(f"dict_{table}"),
                    first_seen=first_seen,
                ),
                (list(phrases),),
            )
            found += [TermSource(f"{table}.{kind}", *rest) for kind, *rest in cursor]
        if patient_id is not None:
            cursor.execute(
                compose(
                    """
                    select kind, normalised, source, first_seen::date from {dictionaries}.dict_patient
                    where patient_id = %s and normalised = any(%s) order by kind, normalised
                    """,
                    settings,
                ),
                (patient_id, list(phrases)),
            )
            found += [
                TermSource(f"patient.{kind}", normalised, source, first_seen=first_seen)
                for kind, normalised, source, first_seen in cursor
            ]
    return found


def read_people(
    connection: Connection, settings: InstitutionSettings
) -> Iterator[tuple[str, str, str, datetime.date | None]]:
    """Yield ``(patient_id, first name, last name, birth date)`` for every name of every patient.

    A patient has one row for each first name and one for each preferred name. A missing part is empty; a patient
    without a name has one row with the identifier and the birth date.
    """
    with connection.cursor(name="people") as cursor:
        cursor.itersize = 10_000
        cursor.execute(
            compose(
                """
                select p.patient_id, coalesce(called.first, ''), coalesce(n.last_name, ''), p.birth_date
                from {staging}.stg_patient as p
                left join {staging}.stg_patient_name as n on n.patient_id = p.patient_id
                left join lateral (values (n.first_name), (n.preferred_name)) as called (first)
                    on called.first is not null and called.first <> ''
                """,
                settings,
            )
        )
        yield from cursor
