"""The de-identified table: Iceberg on S3, which any reader opens without anything of ours."""

from deid_tasks.publish.table import (
    PUBLISHED_SCHEMA,
    Publication,
    open_table,
    publish_slice,
    read_notes,
    table_location,
)

__all__ = ["PUBLISHED_SCHEMA", "Publication", "open_table", "publish_slice", "read_notes", "table_location"]
