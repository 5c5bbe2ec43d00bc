"""The published tables: de-identified notes and structured tables, as Iceberg on S3, which any Iceberg reader opens.

``replace_notes`` replaces rows of the notes table, ``replace_rows`` an institution's rows of a structured table.
Each is one catalog commit: readers see the table as before or as after.
``compact_notes`` merges small files, ``merge_manifests`` their lists, and ``purge_snapshots`` deletes the files that
hold former rows.
"""

from deid_tasks.platform.publish.catalog import table_exists
from deid_tasks.platform.publish.compaction import CompactionReport, compact_notes, merge_manifests
from deid_tasks.platform.publish.compaction_plan import CompactionBounds
from deid_tasks.platform.publish.notes_table import (
    PUBLISHED_SCHEMA,
    Publication,
    RemovedRows,
    count_rows_by_slice,
    open_table,
    read_published_notes,
    renew_layout,
    replace_notes,
)
from deid_tasks.platform.publish.properties import table_location
from deid_tasks.platform.publish.purge import PurgeReport, purge_snapshots
from deid_tasks.platform.publish.structured_rows import (
    INSTITUTION,
    full_table_name,
    load_rows,
    open_rows,
    replace_rows,
    rows_version,
)

__all__ = [
    "INSTITUTION",
    "PUBLISHED_SCHEMA",
    "CompactionBounds",
    "CompactionReport",
    "Publication",
    "PurgeReport",
    "RemovedRows",
    "compact_notes",
    "count_rows_by_slice",
    "full_table_name",
    "load_rows",
    "merge_manifests",
    "open_rows",
    "open_table",
    "purge_snapshots",
    "read_published_notes",
    "renew_layout",
    "replace_notes",
    "replace_rows",
    "rows_version",
    "table_exists",
    "table_location",
]
