"""Who asked for originals: rows that are added, and that the database lets nobody change."""

from collections.abc import Sequence

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.settings import InstitutionSettings


def record_reidentification(
    connection: Connection, settings: InstitutionSettings, asked_by: str, reason: str, note_keys: Sequence[str]
) -> None:
    """Add a row; the database itself adds the time and its own user."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"insert into {settings.schema_name('results')}.reidentification (asked_by, reason, note_keys)"
            " values (%s, %s, %s)",
            (asked_by, reason, list(note_keys)),
        )
