"""The published notes: writes one run's slice of the Iceberg table, whole or not at all.

The table reveals no real date and no identifier: keys are pseudonyms, ``note_datetime`` is shifted with its patient,
and a slice is named by a keyed hash of its data interval, because the interval itself is the real date of every note in
it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from deid_tasks.core.errors import PublishError
from deid_tasks.platform.publish.catalog import (
    commit_with_retries,
    institution_partition,
    open_catalog,
    rows_of_institution_with,
    translate_publish_errors,
)
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.partitioning import PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.table import Table

PUBLISHED_SCHEMA = pa.schema(
    [
        pa.field("institution", pa.string(), nullable=False),
        pa.field("slice_key", pa.string(), nullable=False),
        pa.field("note_key", pa.string(), nullable=False),
        pa.field("patient_key", pa.string()),
        pa.field("author_key", pa.string()),
        pa.field("note_type", pa.string()),
        pa.field("note_datetime", pa.timestamp("us")),
        pa.field("text", pa.string(), nullable=False),
    ]
)
_PROPERTIES = {"write.metadata.metrics.column.text": "none"}
"""Manifests hold no bounds of the text column: these would be the first letters of notes."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One snapshot of the published table."""

    snapshot_id: int
    notes: int
    location: str


def open_table(settings: InstitutionSettings, secrets: Secrets) -> "Table":
    """Return the published table; a missing one is created.

    Its partitions are the institution and the month of the shifted note time.

    Raises:
        PublishError: the catalog or the bucket cannot be reached or used.
    """
    with translate_publish_errors("open", settings):
        catalog = open_catalog(settings, secrets)
        schema, partitions = _schema_and_partitions()
        return catalog.create_table_if_not_exists(
            settings.publish.table, schema=schema, partition_spec=partitions, properties=_PROPERTIES
        )


def publish_slice(
    settings: InstitutionSettings,
    secrets: Secrets,
    notes: pa.Table,
    slice_key: str,
    summary: dict[str, str],
    former: Sequence[str] = (),
) -> Publication:
    """Replace exactly the rows of ``slice_key`` by ``notes`` in one catalog commit.

    Notes are written in the order of their pseudonyms: the order of the warehouse would reveal the rank of their real
    identifiers. Readers see the table as before or as after. After a concurrent writer's commit, the table is loaded
    again and the replacement repeated, up to eight times.

    Args:
        settings: the institution.
        secrets: its secrets.
        notes: the new rows, of ``PUBLISHED_SCHEMA``.
        slice_key: the slice.
        summary: stored in the snapshot's summary.
        former: slices that the same notes were in under an earlier key; their rows are removed in the same commit.

    Raises:
        PublishError: the commit failed for good; the table is as it was.
    """
    table = open_table(settings, secrets)
    own_slices = rows_of_institution_with(settings, "slice_key", (slice_key, *former))
    notes = notes.sort_by("note_key")

    def replace() -> int:
        table.refresh()
        with table.transaction() as transaction:
            transaction.overwrite(notes, overwrite_filter=own_slices, snapshot_properties=summary)
        snapshot = table.current_snapshot()
        if snapshot is None:
            raise PublishError(f"{settings.publish.table}: the commit left no snapshot")
        return snapshot.snapshot_id

    with translate_publish_errors("write", settings):
        snapshot_id = commit_with_retries(replace)
    return Publication(snapshot_id, notes.num_rows, table.location())


def read_published_notes(
    settings: InstitutionSettings, secrets: Secrets, note_keys: Sequence[str]
) -> list[dict[str, str]]:
    """Return ``note_key``, ``slice_key`` and ``text`` of those of the institution's notes that are published.

    Args:
        settings: the institution.
        secrets: its secrets.
        note_keys: pseudonyms of notes.

    Raises:
        PublishError: the table cannot be read.
    """
    table = open_table(settings, secrets)
    wanted = rows_of_institution_with(settings, "note_key", note_keys)
    with translate_publish_errors("read", settings):
        scan = table.scan(row_filter=wanted, selected_fields=("note_key", "slice_key", "text"))
        return list(scan.to_arrow().to_pylist())


def _schema_and_partitions() -> tuple["Schema", "PartitionSpec"]:
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import MonthTransform
    from pyiceberg.types import NestedField, StringType, TimestampType

    fields = [
        NestedField(
            field_id=i,
            name=field.name,
            field_type=TimestampType() if pa.types.is_timestamp(field.type) else StringType(),
            required=not field.nullable,
        )
        for i, field in enumerate(PUBLISHED_SCHEMA, start=1)
    ]
    ids = {field.name: field.field_id for field in fields}
    by_institution = institution_partition(ids["institution"])
    by_month = PartitionField(
        source_id=ids["note_datetime"],
        field_id=by_institution.field_id + 1,
        transform=MonthTransform(),
        name="note_month",
    )
    return Schema(*fields), PartitionSpec(by_institution, by_month)
