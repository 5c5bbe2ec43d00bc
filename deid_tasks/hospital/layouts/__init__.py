"""Writes a simulated hospital into PostgreSQL as an EHR holds it, in one of the layouts that dbt has staging models
for.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from itertools import islice
from typing import Any, Protocol

from psycopg2 import sql

from deid_tasks.core.errors import InputError
from deid_tasks.hospital.layouts.clarity import ClarityRows
from deid_tasks.hospital.layouts.copy import Table, copy_rows
from deid_tasks.hospital.layouts.omop import OmopRows
from deid_tasks.hospital.records import GoldNote, Hospital

__all__ = ["LAYOUTS", "Rows", "load"]

_BATCH_NOTES = 1_000


class Rows(Protocol):
    """Turns one hospital's records into the rows of a layout."""

    def people(self) -> Iterator[Table]:
        """Return every table but those of notes."""

    def notes(self, batch: list[GoldNote]) -> Iterator[Table]:
        """Return the note tables' rows of the next batch."""


LAYOUTS: dict[str, Callable[[Hospital], Rows]] = {"omop": OmopRows, "clarity": ClarityRows}
"""Each layout's DDL is in ``<name>.sql`` beside its rows: statements without a schema, which the search path gives."""


def load(connection: Any, hospital: Hospital, notes: Iterable[GoldNote], schema: str, layout: str) -> int:
    """Write ``hospital`` and ``notes`` into ``schema`` in one transaction, in place of what was there; return the notes
    written.

    Views over the old tables go with them: run dbt afterwards. Notes are streamed, a thousand at a time.

    Args:
        connection: A psycopg2 connection; it is committed, or rolled back where anything fails.
        hospital: Patients, providers and facilities.
        notes: Notes of these patients, authors and facilities.
        schema: ``<institution>_ehr``.
        layout: A key of ``LAYOUTS``.

    Raises:
        InputError: the layout or schema name is unknown or unsuitable, or a note names somebody the hospital lacks.
    """
    if layout not in LAYOUTS:
        raise InputError(f"layout {layout!r} is not one of {', '.join(LAYOUTS)}")
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,62}", schema):
        raise InputError(f"{schema!r} is not a plain schema name")
    ddl = files(__name__).joinpath(f"{layout}.sql").read_text(encoding="utf-8")
    rows, written = LAYOUTS[layout](hospital), 0
    with connection, connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}; SET LOCAL search_path TO {0}").format(
                sql.Identifier(schema)
            )
        )
        cursor.execute(ddl)
        for table in rows.people():
            copy_rows(cursor, table)
        stream = iter(notes)
        while batch := list(islice(stream, _BATCH_NOTES)):
            for table in rows.notes(batch):
                copy_rows(cursor, table)
            written += len(batch)
        cursor.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r'", (schema,)
        )
        for (name,) in cursor.fetchall():
            cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(schema, name)))
    return written
