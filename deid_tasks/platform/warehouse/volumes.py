"""Numbers of notes by day, from the ledger."""

import datetime
from collections.abc import Sequence

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings


def day_counts(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    day: datetime.date,
    before: Sequence[datetime.date],
) -> tuple[int, list[int]]:
    """Return how many notes a run has of a day, and how many each published day of ``before`` has in the ledger."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select count(*) from {results}.run_note where run_id = %s and note_day = %s and cause <> 'deleted'",
                settings,
            ),
            (run_id, day),
        )
        row = cursor.fetchone()
        cursor.execute(
            compose(
                """
                select count(l.note_id)
                from (
                    select distinct note_day from {results}.published_slice
                    where published_at is not null and replaced_at is null and note_day = any(%s::date[])
                ) as d
                left join {results}.note_ledger as l on d.note_day = l.note_day
                group by d.note_day
                """,
                settings,
            ),
            (list(before),),
        )
        return int(row[0]) if row else 0, [int(count) for (count,) in cursor.fetchall()]
