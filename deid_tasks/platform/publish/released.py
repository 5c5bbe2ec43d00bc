"""What readers of the published tables see: for the report on a release."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deid_tasks.platform.publish.catalog import rows_of_institution, table_exists, translate_publish_errors
from deid_tasks.platform.publish.notes_table import open_table
from deid_tasks.platform.publish.structured_rows import full_table_name, load_rows, rows_treatments
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of the published table of notes."""

    snapshot_id: int
    committed_at: datetime.datetime


def present_snapshot(settings: InstitutionSettings, secrets: Secrets) -> Snapshot | None:
    """Return the newest snapshot; ``None`` where nothing was published.

    Raises:
        PublishError: the table cannot be read.
    """
    if not table_exists(settings, secrets, settings.publish.table):
        return None
    snapshot = open_table(settings, secrets).current_snapshot()
    if snapshot is None:
        return None
    moment = datetime.datetime.fromtimestamp(snapshot.timestamp_ms / 1_000, datetime.UTC)
    return Snapshot(snapshot.snapshot_id, moment)


def released_columns(
    settings: InstitutionSettings, secrets: Secrets, columns: Sequence[str], snapshot_id: int
) -> "pa.Table | None":
    """Return columns of the institution's published notes in one snapshot; ``None`` where it was purged.

    Raises:
        PublishError: the table cannot be read.
    """
    table = open_table(settings, secrets)
    if table.snapshot_by_id(snapshot_id) is None:
        return None
    with translate_publish_errors("read", settings):
        return table.scan(
            row_filter=rows_of_institution(settings), selected_fields=tuple(columns), snapshot_id=snapshot_id
        ).to_arrow()


def released_texts(
    settings: InstitutionSettings, secrets: Secrets, snapshot_id: int
) -> "Iterator[tuple[list[str | None], list[str]]]":
    """Yield the patients' pseudonyms and the texts of the institution's published notes in one snapshot, in batches.

    Raises:
        PublishError: the table cannot be read.
    """
    with translate_publish_errors("read", settings):
        scan = open_table(settings, secrets).scan(
            row_filter=rows_of_institution(settings), selected_fields=("patient_key", "text"), snapshot_id=snapshot_id
        )
        for batch in scan.to_arrow_batch_reader():
            yield batch.column("patient_key").to_pylist(), batch.column("text").to_pylist()


def released_treatments(settings: InstitutionSettings, secrets: Secrets) -> dict[str, dict[str, str]]:
    """Return what was done to each column of the published structured tables, by table.

    A table that an earlier release of the platform wrote has no such record, and is empty here.

    Raises:
        PublishError: a table cannot be read.
    """
    return {
        name: rows_treatments(load_rows(settings, secrets, name), settings)
        for name in settings.publish.tables
        if table_exists(settings, secrets, full_table_name(settings, name))
    }


def released_rows(settings: InstitutionSettings, secrets: Secrets, name: str) -> "pa.Table | None":
    """Return the institution's rows of a published structured table; ``None`` where it is not published.

    Raises:
        PublishError: the table cannot be read.
    """
    if name not in settings.publish.tables or not table_exists(settings, secrets, full_table_name(settings, name)):
        return None
    table = load_rows(settings, secrets, name)
    with translate_publish_errors("read", settings, full_table_name(settings, name)):
        return table.scan(row_filter=rows_of_institution(settings)).to_arrow()
