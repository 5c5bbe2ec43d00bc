"""Small files of the published notes are merged: the same rows in fewer files, each commit whole or not at all.

A file holds a range of slices, so that a reader or writer of one slice skips the other files of its partition. Within
the file, rows stand by patient, in groups of a few thousand rows whose least and greatest values the file holds: a
reader of one patient reads one group of each file. Both orders are of pseudonyms, and reveal nothing that the rows do
not.
"""

import itertools
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deid_tasks.core.errors import PublishError
from deid_tasks.platform.publish.catalog import (
    commit_with_retries,
    rows_of_institution,
    translate_publish_errors,
)
from deid_tasks.platform.publish.compaction_plan import CompactionBounds, Rewrite, TableFile, plan_rewrites
from deid_tasks.platform.publish.data_files import ROW_GROUP_NOTES, DataFileWriter
from deid_tasks.platform.publish.notes_table import open_table
from deid_tasks.platform.publish.purge import commit_same_rows
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.manifest import DataFile
    from pyiceberg.table import FileScanTask, Table

_BETWEEN_FILES = ("slice_key", "note_key")
"""The order that divides the rows among files."""
_WITHIN_FILE = ("patient_key", "note_type", "slice_key", "note_key")
"""The order of the rows in a file."""
_MANY_MANIFESTS = 20

_Edge = tuple[str, str]
"""Slice and note at which a file begins."""


@dataclass(frozen=True, slots=True)
class CompactionReport:
    """What one commit replaced."""

    partitions: int = 0
    files_before: int = 0
    files_after: int = 0
    bytes_before: int = 0
    is_lost: bool = False
    """Whether another writer replaced one of the files meanwhile, so that nothing was committed."""


def compact_notes(settings: InstitutionSettings, secrets: Secrets, bounds: CompactionBounds) -> CompactionReport:
    """Merge small files of the institution's notes in one commit; call it again until it reports no files.

    Exactly the files that were read are replaced. If another commit replaced or removed one of them, or removed rows
    by a delete file, nothing is committed: a removed row never comes back. Call it while no run of the institution
    publishes (``lock_publication``), so that what it writes is older than any removal that follows.

    Raises:
        PublishError: the table cannot be read or written; it is as it was.
    """
    table = open_table(settings, secrets)
    with translate_publish_errors("compact", settings):
        tasks = _tasks(table, settings)
        rewrites = plan_rewrites([_table_file(table, task.file) for task in tasks.values()], bounds)
        if not rewrites:
            return CompactionReport()
        writing = _Writing(table)
        try:
            for rewrite in rewrites:
                writing.write(rewrite, [tasks[file.path] for file in rewrite.files])
        except BaseException:
            writing.target.discard(settings, secrets)
            raise
        former = [tasks[file.path].file for rewrite in rewrites for file in rewrite.files]
        is_done = _replace(table, settings, secrets, former, writing.target)
    bytes_before = sum(file.file_size_in_bytes for file in former)
    return CompactionReport(len(rewrites), len(former), len(writing.target.files), bytes_before, not is_done)


def merge_manifests(settings: InstitutionSettings, secrets: Secrets) -> int:
    """Merge the manifests of the table if there are many; return how many fewer there are.

    Raises:
        PublishError: the table cannot be read or written.
    """
    table = open_table(settings, secrets)

    def count() -> int:
        snapshot = table.current_snapshot()
        return len(snapshot.manifests(table.io)) if snapshot else 0

    with translate_publish_errors("compact", settings):
        before = count()
        if before <= _MANY_MANIFESTS:
            return 0

        def merge() -> None:
            table.refresh()
            commit_same_rows(table, "manifests are merged")

        commit_with_retries(merge)
        return before - count()


def _tasks(table: "Table", settings: InstitutionSettings) -> "dict[str, FileScanTask]":
    """Return how each file of the institution is read, by path.

    Files that another tool changed are left out: those with a delete file, which lists removed rows, and those of a
    former division into partitions.
    """
    found = table.scan(row_filter=rows_of_institution(settings)).plan_files()
    present = table.spec().spec_id
    return {task.file.file_path: task for task in found if not task.delete_files and task.file.spec_id == present}


def _table_file(table: "Table", file: "DataFile") -> TableFile:
    from pyiceberg.conversions import from_bytes
    from pyiceberg.types import StringType

    number = table.schema().find_field("slice_key").field_id
    lower, upper = ((bounds or {}).get(number) for bounds in (file.lower_bounds, file.upper_bounds))
    return TableFile(
        file.file_path,
        # Values of a partition can be missing, and then they have no order: only equality counts.
        (file.spec_id, file.partition),
        file.file_size_in_bytes,
        "" if lower is None else str(from_bytes(StringType(), lower)),
        "\U0010ffff" if upper is None else str(from_bytes(StringType(), upper)),
    )


class _Writing:
    """The files of one commit while they are written."""

    def __init__(self, table: "Table") -> None:
        from pyiceberg.io.pyarrow import schema_to_pyarrow

        self._table = table
        self._schema: pa.Schema = schema_to_pyarrow(table.schema())
        self.target = DataFileWriter(table, self._schema)

    def write(self, rewrite: Rewrite, tasks: "Sequence[FileScanTask]") -> None:
        """Write the rows of some files of one partition, sorted, to ``rewrite.parts`` files.

        Only the rows of one written file are in memory at a time.
        """
        former = tasks[0].file
        written = 0
        for condition in self._conditions(rewrite, tasks):
            # Nobody else holds the rows: they are many, and are copied once.
            written += self._write_file(self._read(tasks, condition), former)
        expected = sum(task.file.record_count for task in tasks)
        if written != expected:
            raise PublishError(
                f"{self._table.location()}: {len(tasks)} files of one partition hold {expected} rows by their manifest,"
                f" and {written} were read; nothing was changed. Look for damaged files of the table"
            )

    def _conditions(self, rewrite: Rewrite, tasks: "Sequence[FileScanTask]") -> "Iterator[BooleanExpression]":
        """Yield the condition of the rows of each written file."""
        edges: list[_Edge | None] = [None]
        if rewrite.parts > 1:
            keys = self._read(tasks, None, _BETWEEN_FILES).sort_by([(name, "ascending") for name in _BETWEEN_FILES])
            for part in range(1, rewrite.parts):
                first = keys.slice(keys.num_rows * part // rewrite.parts, 1).to_pylist()[0]
                edges.append((first["slice_key"], first["note_key"]))
        for lower, upper in itertools.pairwise([*edges, None]):
            yield _between(lower, upper)

    def _read(
        self,
        tasks: "Sequence[FileScanTask]",
        condition: "BooleanExpression | None",
        columns: Sequence[str] = (),
    ) -> pa.Table:
        from pyiceberg.expressions import AlwaysTrue
        from pyiceberg.io.pyarrow import ArrowScan

        schema = self._table.schema()
        scan = ArrowScan(
            self._table.metadata,
            self._table.io,
            schema.select(*columns) if columns else schema,
            AlwaysTrue() if condition is None else condition,
        )
        wanted = pa.schema([self._schema.field(name) for name in columns or self._schema.names])
        # Files can differ in the width of their offsets.
        batches = [pa.Table.from_batches([batch]).cast(wanted) for batch in scan.to_record_batches(tasks)]
        return pa.concat_tables([wanted.empty_table(), *batches])

    def _write_file(self, rows: pa.Table, former: "DataFile") -> int:
        """Write the rows, sorted, to a file in the partition of a former one; return their number."""
        if not rows.num_rows:
            return 0
        # In the folder of the partition, however the table names it.
        path = f"{former.file_path.rpartition('/')[0]}/{uuid.uuid4()}.parquet"
        rows = rows.combine_chunks()
        order = pc.sort_indices(rows, sort_keys=[(name, "ascending") for name in _WITHIN_FILE])
        starts = range(0, rows.num_rows, ROW_GROUP_NOTES)
        parts = (rows.take(order.slice(start, ROW_GROUP_NOTES)) for start in starts)
        return self.target.write(path, parts, former.partition, former.spec_id)


def _between(lower: _Edge | None, upper: _Edge | None) -> "BooleanExpression":
    """Return the condition of the rows from ``lower`` on and before ``upper``, in the order of ``_BETWEEN_FILES``."""
    from pyiceberg.expressions import AlwaysTrue, And, EqualTo, GreaterThan, GreaterThanOrEqual, LessThan, Or

    slice_key, note_key = _BETWEEN_FILES
    found: BooleanExpression = AlwaysTrue()
    if lower is not None:
        same = And(_compare(EqualTo, slice_key, lower[0]), _compare(GreaterThanOrEqual, note_key, lower[1]))
        found = And(found, Or(_compare(GreaterThan, slice_key, lower[0]), same))
    if upper is not None:
        same = And(_compare(EqualTo, slice_key, upper[0]), _compare(LessThan, note_key, upper[1]))
        found = And(found, Or(_compare(LessThan, slice_key, upper[0]), same))
    return found


def _compare(predicate: Any, column: str, value: str) -> "BooleanExpression":
    from pyiceberg.expressions import Reference
    from pyiceberg.expressions.literals import literal

    found: BooleanExpression = predicate(term=Reference(column), value=literal(value))
    return found


def _replace(
    table: "Table",
    settings: InstitutionSettings,
    secrets: Secrets,
    former: "Sequence[DataFile]",
    writer: DataFileWriter,
) -> bool:
    """Commit the written files in place of exactly the former ones; return whether these were all still there.

    Where nothing was committed, the written files are deleted. Where nobody knows whether the commit arrived, they
    stay: the table may name them.
    """
    from pyiceberg.exceptions import CommitFailedException, ValidationException

    summary: Mapping[str, str] = {
        "palimpsest.maintenance": "files are merged, rows are the same",
        "palimpsest.institution": settings.institution,
    }
    paths = {file.file_path for file in former}

    def replace() -> bool:
        table.refresh()
        if not paths <= _tasks(table, settings).keys():
            return False
        with (
            table.transaction() as transaction,
            transaction.update_snapshot(snapshot_properties=dict(summary)).overwrite() as snapshot,
        ):
            for file in former:
                snapshot.delete_data_file(file)
            for file in writer.files:
                snapshot.append_data_file(file)
        return True

    try:
        is_done = commit_with_retries(replace)
    except (CommitFailedException, ValidationException):
        writer.discard(settings, secrets)
        raise
    if not is_done:
        writer.discard(settings, secrets)
    return is_done
