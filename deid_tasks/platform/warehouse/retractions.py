"""What was removed from the published table, and whether its bytes are gone."""

import datetime
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.audited_records import insert_record
from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class RetractionRow:
    """One commit that removed notes; the columns beside ``document`` repeat what it says, for queries."""

    retraction_id: str
    reasons: str
    notes: int
    removed_at: datetime.datetime
    snapshot_id: int
    document: str
    signature: str
    run_id: str


_COLUMNS = tuple(field.name for field in fields(RetractionRow))


def write_retraction(connection: Connection, settings: InstitutionSettings, row: RetractionRow) -> str:
    """Store a retraction, and return the hash of its row."""
    return insert_record(connection, settings, "retraction", asdict(row))


def open_retractions(connection: Connection, settings: InstitutionSettings) -> list[RetractionRow]:
    """Return the retractions whose bytes may still be in the bucket, the oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select {columns} from {results}.retraction where purged_at is null order by removed_at",
                settings,
                columns=column_list(_COLUMNS),
            )
        )
        return [RetractionRow(*row) for row in cursor.fetchall()]


def removed_note_ids(connection: Connection, settings: InstitutionSettings, run_ids: Collection[str]) -> set[str]:
    """Return the notes that these runs removed because they were deleted or excluded."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select distinct note_id from {results}.run_note where result = 'removed'"
                " and cause in ('deleted', 'excluded') and run_id = any(%s)",
                settings,
            ),
            (sorted(set(run_ids)),),
        )
        return {note_id for (note_id,) in cursor.fetchall()}


def close_retractions(
    connection: Connection, settings: InstitutionSettings, retraction_ids: Collection[str], purged_at: datetime.datetime
) -> None:
    """Record that the bytes of these retractions are gone."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose("update {results}.retraction set purged_at = %s where retraction_id = any(%s)", settings),
            (purged_at, sorted(retraction_ids)),
        )
