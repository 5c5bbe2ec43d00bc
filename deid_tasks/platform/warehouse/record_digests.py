"""Digests of patients' records, by which a changed record is noticed without reading it."""

from collections.abc import Collection, Mapping
from typing import Literal

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings

Tables = Mapping[tuple[Literal["staging", "history"], str], tuple[str, ...]]
"""Columns of tables that have a patient id, by layer and name."""

_TABLES: Tables = {
    ("staging", "stg_patient"): ("sex", "birth_date", "ethnicity_hint"),
    ("history", "known_patient_name"): ("first_name", "middle_name", "last_name", "preferred_name"),
    ("history", "known_patient_identifier"): ("kind", "value"),
    ("history", "known_patient_contact"): ("kind", "value"),
    ("history", "known_patient_address"): ("street", "city", "state", "zip"),
    ("history", "known_patient_relation"): ("first_name", "last_name", "phone"),
}
"""Columns that decide what the engine knows of a patient. ``dict_patient`` reads the same tables: each holds a value
once, whether it is of now, was seen by a snapshot, or both, so a snapshot by itself changes no digest."""


PRESENT_TABLES: Tables = {
    ("staging", name.replace("known_", "stg_")): columns for (_, name), columns in _TABLES.items()
}
"""The same columns as the EHR holds them now; a row may stand there more than once."""


def digest_table(settings: InstitutionSettings, seed: int, where: str = "") -> sql.Composed:
    """Return the table ``record`` of a WITH clause: ``patient_id`` and ``digest`` of each patient.

    A digest is the sum of a 64-bit hash of every row, with a secret seed: whoever reads it cannot test a guessed name.
    The sum does not depend on the order of the rows, so nothing is sorted.

    Args:
        settings: The institution.
        seed: The seed, of 64 bits.
        where: A condition on ``patient_id``, with its ``where``; all patients are read without one.
    """
    return sql.SQL("record as (select patient_id, sum(hash)::text as digest from ({}) as x group by 1)").format(
        hashed_rows(settings, seed, _TABLES, where)
    )


def hashed_rows(settings: InstitutionSettings, seed: int, tables: Tables, where: str = "") -> sql.Composed:
    """Return a SELECT of ``patient_id`` and ``hash``, the keyed hash of each row of these tables."""
    parts = []
    for (layer, table), columns in tables.items():
        parts.append(
            compose(
                "select patient_id, hashtextextended(concat_ws(E'\\x1f', {table}, {columns}), {seed}) as hash"
                " from {schema}.{name} {where}",
                settings,
                table=sql.Literal(table),
                # An empty value differs from a missing one.
                columns=sql.SQL(", ").join(
                    sql.SQL("coalesce({}::text, E'\\x1e')").format(sql.Identifier(column)) for column in columns
                ),
                seed=sql.Literal(seed),
                schema=sql.Identifier(settings.schema_name(layer)),
                name=sql.Identifier(table),
                where=sql.SQL(where),
            )
        )
    return sql.SQL(" union all ").join(parts)


def read_record_digests(
    connection: Connection, settings: InstitutionSettings, seed: int, patient_ids: Collection[str]
) -> dict[str, str]:
    """Return the digests of these patients' records as they are now, by id; a patient without rows is left out."""
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("with {} select patient_id, digest from record").format(
                digest_table(settings, seed, "where patient_id = any(%(patients)s)")
            ),
            {"patients": sorted(set(patient_ids))},
        )
        return dict(cursor.fetchall())
