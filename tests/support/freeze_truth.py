"""The planted identifiers of simulated notes as a gold set, where no annotators are simulated."""

from collections.abc import Iterable

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.hospital.records import GoldNote
from deid_tasks.platform.warehouse.gold import GoldSet, NewGoldNote, freeze_gold_set
from deid_tasks.settings import Design, InstitutionSettings


def freeze_truth(
    connection: Connection,
    settings: InstitutionSettings,
    notes: Iterable[GoldNote],
    design: Design,
    sample_version: str = "simulated",
    preannotated_by: str = "",
) -> GoldSet:
    """Freeze the notes with what was planted in them, in a transaction of its own; dbt has made the gold tables before."""
    settled = (
        NewGoldNote(n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.text, n.spans) for n in notes
    )
    with connection:
        return freeze_gold_set(
            connection,
            settings,
            settled,
            design=design,
            sample_version=sample_version,
            preannotated_by=preannotated_by,
        )
