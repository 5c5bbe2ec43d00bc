"""The append-only record of who asked for original notes; the database refuses to change or delete its rows."""

from collections.abc import Sequence

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.audited_records import insert_record
from deid_tasks.settings import InstitutionSettings


def record_reidentification(
    connection: Connection, settings: InstitutionSettings, asked_by: str, reason: str, note_keys: Sequence[str]
) -> str:
    """Add a row, and return its hash; the database adds number, time and the session's role."""
    values = {"asked_by": asked_by, "reason": reason, "note_keys": list(note_keys)}
    return insert_record(connection, settings, "reidentification", values)
