"""Writes one run's slice of the published Iceberg table, whole or not at all.

Nothing in the table tells a real date or identifier: keys are pseudonyms, ``note_datetime`` is shifted with its patient, and a
slice is named by a keyed hash of its data interval, since the interval itself is the real date of every note in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from deid_tasks.core.errors import DeidError, PublishError
from deid_tasks.platform.publish.catalog import ATTEMPTS, failed, open_catalog
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
"""No bounds of the text column: manifests would hold the first letters of notes."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One snapshot of the published table."""

    snapshot_id: int
    notes: int
    location: str


def open_table(settings: InstitutionSettings, secrets: Secrets) -> "Table":
    """The published table, made with its partitions (institution, month of the shifted note time) where it is new.

    Raises:
        PublishError: the catalog or the bucket cannot be reached or used.
    """
    try:
        catalog = open_catalog(settings, secrets)
        schema, partitions = _schema_and_partitions()
        return catalog.create_table_if_not_exists(
            settings.publish.table, schema=schema, partition_spec=partitions, properties=_PROPERTIES
        )
    except DeidError:
        raise
    except Exception as error:
        raise failed("open", settings, error) from None


def publish_slice(
    settings: InstitutionSettings,
    secrets: Secrets,
    notes: pa.Table,
    slice_key: str,
    summary: dict[str, str],
    former: Sequence[str] = (),
) -> Publication:
    """Replace exactly the rows of ``slice_key`` by ``notes`` (``PUBLISHED_SCHEMA``) in one catalog commit.

    Rows of ``former`` slices, what the same notes were under an earlier key, go in the same commit. Notes stand in the order of their
    pseudonyms: in the order of the warehouse they would tell the rank of their real identifiers.

    Readers see the table as before or as after. A concurrent writer's commit is waited out: the table is loaded again and the
    replacement repeated, up to eight times. ``summary`` goes into the snapshot's summary.

    Raises:
        PublishError: the commit failed for good; the table is as it was.
    """
    import tenacity
    from pyiceberg.exceptions import CommitFailedException

    table = open_table(settings, secrets)
    names = ", ".join(f"'{name}'" for name in (slice_key, *former))
    mine = f"institution = '{settings.institution}' and slice_key in ({names})"
    notes = notes.sort_by("note_key")

    def replace() -> int:
        table.refresh()
        with table.transaction() as transaction:
            transaction.overwrite(notes, overwrite_filter=mine, snapshot_properties=summary)
        snapshot = table.current_snapshot()
        if snapshot is None:
            raise PublishError(f"{settings.publish.table}: the commit left no snapshot")
        return snapshot.snapshot_id

    try:
        snapshot_id = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(CommitFailedException),
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            wait=tenacity.wait_random_exponential(multiplier=0.2, max=10),
            reraise=True,
        )(replace)
    except DeidError:
        raise
    except Exception as error:
        raise failed("write", settings, error) from None
    return Publication(snapshot_id, notes.num_rows, table.location())


def read_notes(settings: InstitutionSettings, secrets: Secrets, note_keys: Sequence[str]) -> list[dict[str, str]]:
    """``note_key``, ``slice_key`` and ``text`` of these notes of the institution, those that are published.

    Raises:
        PublishError: the table cannot be read.
    """
    table = open_table(settings, secrets)
    names = ", ".join(f"'{key}'" for key in sorted(set(note_keys)) if key.isalnum())
    mine = f"institution = '{settings.institution}' and note_key in ({names})"
    try:
        scan = table.scan(row_filter=mine, selected_fields=("note_key", "slice_key", "text"))
        return list(scan.to_arrow().to_pylist())
    except Exception as error:
        raise failed("read", settings, error) from None


def _schema_and_partitions() -> tuple["Schema", "PartitionSpec"]:
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform, MonthTransform
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
    return Schema(*fields), PartitionSpec(
        PartitionField(
            source_id=ids["institution"], field_id=1000, transform=IdentityTransform(), name="institution_id"
        ),
        PartitionField(source_id=ids["note_datetime"], field_id=1001, transform=MonthTransform(), name="note_month"),
    )
