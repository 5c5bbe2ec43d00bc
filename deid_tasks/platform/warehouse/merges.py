"""Merged patients: the table that staging views look former ids up in, as the warehouse records merges now."""

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings


def refresh_merges(connection: Connection, settings: InstitutionSettings) -> bool:
    """Fill ``stg_patient_merge`` anew if merges were recorded or undone since; return whether they were.

    Readers see the former content until the caller commits.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select exists (
                    (select former_id, surviving_id from {staging}.int_patient_merge
                        except select former_id, surviving_id from {staging}.stg_patient_merge)
                    union all
                    (select former_id, surviving_id from {staging}.stg_patient_merge
                        except select former_id, surviving_id from {staging}.int_patient_merge)
                )
                """,
                settings,
            )
        )
        row = cursor.fetchone()
        has_changed = bool(row and row[0])
        if has_changed:
            cursor.execute(compose("lock table {staging}.stg_patient_merge in share row exclusive mode", settings))
            cursor.execute(compose("delete from {staging}.stg_patient_merge", settings))
            cursor.execute(
                compose(
                    """
                    insert into {staging}.stg_patient_merge (former_id, surviving_id, merged_at)
                    select former_id, surviving_id, merged_at from {staging}.int_patient_merge
                    """,
                    settings,
                )
            )
            # A lookup of patients is planned by how many of them were merged.
            cursor.execute(compose("analyze {staging}.stg_patient_merge", settings))
    return has_changed
