"""Structured tables beside the notes: one catalog commit replaces all rows of an institution, in bounded memory."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from deid_tasks.platform.publish.catalog import (
    commit_with_retries,
    institution_partition,
    open_catalog,
    rows_of_institution,
    translate_publish_errors,
)
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.schema import Schema
    from pyiceberg.table import Table

INSTITUTION = pa.field("institution", pa.string(), nullable=False)
_PROPERTIES = {"write.metadata.metrics.default": "none"}
"""Manifests hold no bounds of values."""


def open_rows(settings: InstitutionSettings, secrets: Secrets, name: str, schema: pa.Schema) -> "Table":
    """Return the published table ``name``; a missing one is created, partitioned by institution.

    Args:
        settings: the institution.
        secrets: its secrets.
        name: the table's name, in the namespace of the notes table.
        schema: its columns; ``INSTITUTION`` is one of them.

    Raises:
        PublishError: the catalog or the bucket cannot be reached or used.
    """
    from pyiceberg.partitioning import PartitionSpec

    table_name = full_table_name(settings, name)
    partition = institution_partition(schema.get_field_index(INSTITUTION.name) + 1)
    with translate_publish_errors("open", settings, table_name):
        return open_catalog(settings, secrets).create_table_if_not_exists(
            table_name, _iceberg_schema(schema), partition_spec=PartitionSpec(partition), properties=_PROPERTIES
        )


def load_rows(settings: InstitutionSettings, secrets: Secrets, name: str) -> "Table":
    """Return a table that was published; raises ``PublishError`` where it was not."""
    table_name = full_table_name(settings, name)
    with translate_publish_errors("open", settings, table_name):
        return open_catalog(settings, secrets).load_table(table_name)


def full_table_name(settings: InstitutionSettings, name: str) -> str:
    """Return the table's name in the catalog: in the namespace of the notes table."""
    return f"{settings.publish.table.split('.')[0]}.{name}"


def rows_version(table: "Table", settings: InstitutionSettings) -> str:
    """Return the version that ``replace_rows`` stored for the institution's rows; empty where there are none."""
    return str(table.properties.get(_version_property(settings), ""))


def replace_rows(
    settings: InstitutionSettings,
    secrets: Secrets,
    name: str,
    schema: pa.Schema,
    batches: Callable[[], Iterable[pa.Table]],
    version: str,
    summary: dict[str, str],
    treatments: Mapping[str, str] | None = None,
) -> None:
    """Replace all rows of the institution; readers see the table as before or as after.

    Args:
        settings: the institution.
        secrets: its secrets.
        name: the table's name, in the namespace of the notes table.
        schema: its columns.
        batches: returns the new rows; called again where another writer's commit came between.
        version: stored in the table's properties with the same commit.
        summary: stored in the summaries of the commit's snapshots.
        treatments: what was done to each column, stored in the table's properties for the report on a release.

    Raises:
        PublishError: the commit failed for good; the table is as it was.
    """
    import warnings

    table = open_rows(settings, secrets, name, schema)

    def replace() -> None:
        table.refresh()
        with table.transaction() as transaction, warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Delete operation did not match any records")
            transaction.delete(rows_of_institution(settings), snapshot_properties=summary)
            for batch in batches():
                transaction.append(batch, snapshot_properties=summary)
            treated = {_treatments_property(settings): json.dumps(dict(treatments))} if treatments else {}
            transaction.set_properties({_version_property(settings): version, **treated})

    with translate_publish_errors("write", settings, full_table_name(settings, name)):
        commit_with_retries(replace)


def _iceberg_schema(schema: pa.Schema) -> "Schema":
    from pyiceberg.schema import Schema
    from pyiceberg.types import DateType, NestedField, StringType, TimestampType

    def type_of(data_type: pa.DataType) -> DateType | StringType | TimestampType:
        if pa.types.is_timestamp(data_type):
            return TimestampType()
        return DateType() if pa.types.is_date(data_type) else StringType()

    fields = [
        NestedField(field_id=i, name=field.name, field_type=type_of(field.type), required=not field.nullable)
        for i, field in enumerate(schema, start=1)
    ]
    return Schema(*fields)


def rows_treatments(table: "Table", settings: InstitutionSettings) -> dict[str, str]:
    """Return what ``replace_rows`` was told of the institution's columns; empty where it was told nothing."""
    return dict(json.loads(table.properties.get(_treatments_property(settings), "{}")))


def _treatments_property(settings: InstitutionSettings) -> str:
    return f"palimpsest.columns.{settings.institution}"


def _version_property(settings: InstitutionSettings) -> str:
    return f"palimpsest.version.{settings.institution}"
