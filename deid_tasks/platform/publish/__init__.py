"""The de-identified tables: Iceberg on S3, which any reader opens without anything of ours."""

from deid_tasks.platform.publish.catalog import table_location
from deid_tasks.platform.publish.rows import INSTITUTION, full_name, load_rows, open_rows, replace_rows, rows_version
from deid_tasks.platform.publish.table import PUBLISHED_SCHEMA, Publication, open_table, publish_slice, read_notes

__all__ = [
    "INSTITUTION",
    "PUBLISHED_SCHEMA",
    "Publication",
    "full_name",
    "load_rows",
    "open_rows",
    "open_table",
    "publish_slice",
    "read_notes",
    "replace_rows",
    "rows_version",
    "table_location",
]
