"""The published notes: each run's changes of the Iceberg table are one commit, whole or not at all.

The table reveals no real date and no identifier: keys are pseudonyms, ``note_datetime`` is shifted with its patient,
and a slice is named by a keyed hash of its data interval, because the interval itself is the real date of every note in
it.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from deid_tasks.platform.publish.catalog import (
    commit_with_retries,
    institution_partition,
    open_catalog,
    rows_of_institution,
    rows_of_institution_with,
    translate_publish_errors,
)
from deid_tasks.platform.publish.data_files import ROW_GROUP_NOTES, ROW_GROUP_PROPERTY, DataFileWriter
from deid_tasks.platform.workspace import work_dir
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.partitioning import PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.table import Table
    from pyiceberg.table.sorting import SortOrder

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
_PROPERTIES = {
    # Manifests hold no bounds of the text column: these would be the first letters of notes.
    "write.metadata.metrics.column.text": "none",
    ROW_GROUP_PROPERTY: str(ROW_GROUP_NOTES),
    "commit.manifest-merge.enabled": "true",
    "commit.manifest.min-count-to-merge": "20",
}
_SORT_ORDER = ("slice_key", "note_key")
"""The order of the rows of a publication in each partition; it is declared for writers that are not this platform."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One snapshot of the published table."""

    snapshot_id: int
    notes: int
    location: str


@dataclass(frozen=True, slots=True)
class RemovedRows:
    """The rows that a commit removes."""

    whole_slices: frozenset[str] = frozenset()
    """Slices of which every row is removed, except those of ``kept``."""
    kept: frozenset[str] = frozenset()
    """Keys of notes whose rows stay in the whole slices."""
    rows: frozenset[tuple[str, str]] = frozenset()
    """Slice and note key of single rows."""
    anywhere: frozenset[str] = frozenset()
    """Keys of notes whose slice is not certain, because a publication was interrupted."""

    @property
    def is_any(self) -> bool:
        """Whether a row may be removed."""
        return bool(self.whole_slices or self.rows or self.anywhere)


def open_table(settings: InstitutionSettings, secrets: Secrets) -> "Table":
    """Return the published table; a missing one is created.

    Its partitions are the institution and the month of the shifted note time.

    Raises:
        PublishError: the catalog or the bucket cannot be reached or used.
    """
    with translate_publish_errors("open", settings):
        catalog = open_catalog(settings, secrets)
        schema, partitions, order = _layout()
        # A creation writes a metadata file even where the table exists.
        if catalog.table_exists(settings.publish.table):
            return catalog.load_table(settings.publish.table)
        return catalog.create_table_if_not_exists(
            settings.publish.table,
            schema=schema,
            partition_spec=partitions,
            sort_order=order,
            properties=_PROPERTIES,
        )


def renew_layout(settings: InstitutionSettings, secrets: Secrets) -> bool:
    """Give a table of an earlier release the properties and the sort order of new ones; return whether it lacked any.

    Raises:
        PublishError: the table cannot be read or written.
    """
    from pyiceberg.transforms import IdentityTransform

    table = open_table(settings, secrets)

    def renew() -> bool:
        table.refresh()
        has_properties = _PROPERTIES.items() <= table.properties.items()
        has_order = not table.sort_order().is_unsorted
        if has_properties and has_order:
            return False
        with table.transaction() as transaction:
            transaction.set_properties(_PROPERTIES)
            if not has_order:
                with transaction.update_sort_order() as order:
                    for name in _SORT_ORDER:
                        order.asc(name, IdentityTransform())
        return True

    with translate_publish_errors("write", settings):
        return commit_with_retries(renew)


def replace_notes(
    settings: InstitutionSettings,
    secrets: Secrets,
    notes: Iterable[pa.RecordBatch],
    removed: RemovedRows,
    summary: dict[str, str],
) -> Publication:
    """Remove rows and add ``notes`` in one catalog commit; nothing is committed where there is nothing to do.

    The rows of each partition stand in the order of their pseudonyms: the order of the warehouse would reveal the rank
    of their real identifiers. The files depend on the rows alone, in whatever order these come. The memory does not
    grow with them (``sorted_rows``). Readers see the table as before or as after. After a concurrent writer's commit,
    the table is loaded again and the commit repeated, up to eight times. Where nobody knows whether the commit arrived,
    the written files stay: the table may name them.

    Args:
        settings: the institution.
        secrets: its secrets.
        notes: the new rows, of ``PUBLISHED_SCHEMA``.
        removed: the rows to remove.
        summary: stored in the snapshot's summary.

    Raises:
        PublishError: the commit failed for good; the table is as it was.
    """
    table = open_table(settings, secrets)
    condition = _rows_to_remove(settings, removed)
    with translate_publish_errors("write", settings):
        writer = DataFileWriter(table, PUBLISHED_SCHEMA)
        try:
            writer.write_sorted(notes, _SORT_ORDER, work_dir(settings))
        except BaseException:
            writer.discard(settings, secrets)
            raise
        _commit(table, settings, secrets, condition, writer, summary)
        snapshot = table.current_snapshot()
    written = sum(file.record_count for file in writer.files)
    return Publication(snapshot.snapshot_id if snapshot else 0, written, table.location())


def _commit(
    table: "Table",
    settings: InstitutionSettings,
    secrets: Secrets,
    condition: "BooleanExpression | None",
    writer: DataFileWriter,
    summary: dict[str, str],
) -> None:
    """Remove the rows of a condition and add the written files, in one commit."""
    from pyiceberg.exceptions import CommitFailedException, ValidationException

    def replace() -> None:
        table.refresh()
        with table.transaction() as transaction:
            if condition is not None:
                with warnings.catch_warnings():
                    # A slice that is published for the first time has no rows to remove.
                    warnings.filterwarnings("ignore", "Delete operation did not match any records")
                    transaction.delete(condition, summary)
            # Without files too: the snapshot has the summary.
            with transaction.update_snapshot(snapshot_properties=summary).merge_append() as snapshot:
                for file in writer.files:
                    snapshot.append_data_file(file)

    try:
        commit_with_retries(replace)
    except (CommitFailedException, ValidationException):
        writer.discard(settings, secrets)
        raise


def _rows_to_remove(settings: InstitutionSettings, removed: RemovedRows) -> "BooleanExpression | None":
    from pyiceberg.expressions import And, Not, Or

    conditions: list[BooleanExpression] = []
    if removed.whole_slices:
        whole: BooleanExpression = rows_of_institution_with(settings, "slice_key", removed.whole_slices)
        if removed.kept:
            whole = And(whole, Not(rows_of_institution_with(settings, "note_key", removed.kept)))
        conditions.append(whole)
    if removed.rows:
        # The slice's name leads to its files; the notes' keys alone would lead to all files.
        conditions.append(
            And(
                rows_of_institution_with(settings, "slice_key", {name for name, _ in removed.rows}),
                rows_of_institution_with(settings, "note_key", {key for _, key in removed.rows}),
            )
        )
    if removed.anywhere:
        conditions.append(rows_of_institution_with(settings, "note_key", removed.anywhere))
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else Or(*conditions)


def count_rows_by_slice(settings: InstitutionSettings, secrets: Secrets) -> dict[tuple[str, str], int]:
    """Return the number of the institution's rows by slice and note type; no text is read.

    Raises:
        PublishError: the table cannot be read.
    """
    table = open_table(settings, secrets)
    with translate_publish_errors("read", settings):
        scan = table.scan(row_filter=rows_of_institution(settings), selected_fields=("slice_key", "note_type"))
        counts: Counter[tuple[str, str]] = Counter()
        for batch in scan.to_arrow_batch_reader():
            slices, types = batch["slice_key"].to_pylist(), batch["note_type"].to_pylist()
            counts.update((name, kind or "") for name, kind in zip(slices, types, strict=True))
    return dict(counts)


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


def _layout() -> tuple["Schema", "PartitionSpec", "SortOrder"]:
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.table.sorting import SortField, SortOrder
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
    by_institution = institution_partition(ids["institution"])
    by_month = PartitionField(
        source_id=ids["note_datetime"],
        field_id=by_institution.field_id + 1,
        transform=MonthTransform(),
        name="note_month",
    )
    order = SortOrder(*(SortField(source_id=ids[name], transform=IdentityTransform()) for name in _SORT_ORDER))
    return Schema(*fields), PartitionSpec(by_institution, by_month), order
