"""Structured tables beside the notes: the institution's rows of each, replaced whole in one catalog commit, in bounded memory."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from deid_tasks.core.errors import DeidError
from deid_tasks.platform.publish.catalog import ATTEMPTS, failed, open_catalog
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.table import Table

INSTITUTION = pa.field("institution", pa.string(), nullable=False)
_PROPERTIES = {"write.metadata.metrics.default": "none"}
"""No bounds of values in manifests."""


def open_rows(settings: InstitutionSettings, secrets: Secrets, name: str, schema: pa.Schema) -> "Table":
    """The published table ``name`` of the namespace that notes are in, made where it is new; partitioned by institution.

    Raises:
        PublishError: the catalog or the bucket cannot be reached or used.
    """
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform
    from pyiceberg.types import DateType, NestedField, StringType, TimestampType

    def of(kind: pa.DataType) -> DateType | StringType | TimestampType:
        return (
            TimestampType() if pa.types.is_timestamp(kind) else DateType() if pa.types.is_date(kind) else StringType()
        )

    fields = [
        NestedField(field_id=i, name=field.name, field_type=of(field.type), required=not field.nullable)
        for i, field in enumerate(schema, start=1)
    ]
    by_institution = PartitionField(
        source_id=schema.get_field_index(INSTITUTION.name) + 1,
        field_id=1000,
        transform=IdentityTransform(),
        name="institution_id",
    )
    try:
        return open_catalog(settings, secrets).create_table_if_not_exists(
            full_name(settings, name),
            Schema(*fields),
            partition_spec=PartitionSpec(by_institution),
            properties=_PROPERTIES,
        )
    except DeidError:
        raise
    except Exception as error:
        raise failed("open", settings, error, full_name(settings, name)) from None


def load_rows(settings: InstitutionSettings, secrets: Secrets, name: str) -> "Table":
    """A table that has been published; raises ``PublishError`` where it has not."""
    try:
        return open_catalog(settings, secrets).load_table(full_name(settings, name))
    except DeidError:
        raise
    except Exception as error:
        raise failed("open", settings, error, full_name(settings, name)) from None


def full_name(settings: InstitutionSettings, name: str) -> str:
    """The table's name in the catalog: in the namespace of the notes."""
    return f"{settings.publish.table.split('.')[0]}.{name}"


def rows_version(table: "Table", settings: InstitutionSettings) -> str:
    """What ``replace_rows`` was last told of the institution's rows; empty where there are none."""
    return str(table.properties.get(_version_of(settings), ""))


def replace_rows(
    settings: InstitutionSettings,
    secrets: Secrets,
    name: str,
    schema: pa.Schema,
    batches: Callable[[], Iterable[pa.Table]],
    version: str,
    summary: dict[str, str],
) -> None:
    """Put ``batches`` in the place of all rows of the institution; readers see the table as before or as after.

    ``batches`` is called again where another writer's commit came between. ``version`` goes into the table's properties with
    the same commit, ``summary`` into the summaries of its snapshots.

    Raises:
        PublishError: the commit failed for good; the table is as it was.
    """
    import warnings

    import tenacity
    from pyiceberg.exceptions import CommitFailedException

    table = open_rows(settings, secrets, name, schema)

    def replace() -> None:
        table.refresh()
        with table.transaction() as transaction, warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Delete operation did not match any records")
            transaction.delete(f"institution = '{settings.institution}'", snapshot_properties=summary)
            for batch in batches():
                transaction.append(batch, snapshot_properties=summary)
            transaction.set_properties({_version_of(settings): version})

    try:
        tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(CommitFailedException),
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            wait=tenacity.wait_random_exponential(multiplier=0.2, max=10),
            reraise=True,
        )(replace)
    except DeidError:
        raise
    except Exception as error:
        raise failed("write", settings, error, full_name(settings, name)) from None


def _version_of(settings: InstitutionSettings) -> str:
    return f"palimpsest.version.{settings.institution}"
