"""The append-only record of who asked for original notes; the database refuses to change or delete its rows."""

from collections.abc import Sequence

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings


def record_reidentification(
    connection: Connection, settings: InstitutionSettings, asked_by: str, reason: str, note_keys: Sequence[str]
) -> None:
    """Add a row; the database adds the time and the session's role."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "insert into {results}.reidentification (asked_by, reason, note_keys) values (%s, %s, %s)", settings
            ),
            (asked_by, reason, list(note_keys)),
        )
