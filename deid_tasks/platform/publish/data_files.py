"""Data files of a published table, written from rows in order. A file ends with its partition, or where it is full.

Rows are written as they come, in groups that readers skip, so that the memory does not grow with the file.
"""

import itertools
import uuid
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deid_tasks.platform.publish.purge import object_key, table_bucket
from deid_tasks.platform.publish.sorted_rows import sorted_rows
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.manifest import DataFile
    from pyiceberg.partitioning import PartitionKey
    from pyiceberg.table import Table
    from pyiceberg.typedef import Record

ROW_GROUP_NOTES = 8_192
"""Rows of a file that are read together, about 8 MB: a reader skips those whose bounds exclude what it looks for."""
ROW_GROUP_PROPERTY = "write.parquet.row-group-limit"
_FILE_BYTES = 128 * 1_024 * 1_024
"""Bytes of the rows of one file in memory; it is a third as large or smaller. A change reads and writes whole files."""
_PARTITION = "partition_{}"
"""The column that holds a row's value of a partition field, by the field's position."""

_Values = tuple[Any, ...]
"""A partition's value of each field."""


class DataFileWriter:
    """Writes files of one table and remembers them until a commit names them.

    Args:
        table: The table.
        schema: The rows that are written; columns that the table has beside them are empty.
    """

    def __init__(self, table: "Table", schema: pa.Schema) -> None:
        from pyiceberg.io.pyarrow import PYARROW_PARQUET_FIELD_ID_KEY

        self._table = table
        ids = {name: table.schema().find_field(name).field_id for name in schema.names}
        self._schema = pa.schema(
            [field.with_metadata({PYARROW_PARQUET_FIELD_ID_KEY: str(ids[field.name])}) for field in schema]
        )
        self._group = int(table.properties.get(ROW_GROUP_PROPERTY, ROW_GROUP_NOTES))
        self.files: list[DataFile] = []
        self.paths: list[str] = []
        """Every file that was begun."""

    def write_sorted(self, batches: Iterable[pa.RecordBatch], columns: Sequence[str], folder: Path) -> None:
        """Write rows to files of their partitions, in the order of some columns.

        Args:
            batches: The rows, in any order.
            columns: The columns to sort by within a partition.
            folder: A folder for what does not fit into memory.
        """
        partitions = [_PARTITION.format(number) for number in range(len(self._table.spec().fields))]
        located = (self._with_partitions(batch) for batch in batches)
        rows = sorted_rows(located, [*partitions, *columns], folder)
        groups = _groups(rows, partitions, self._group)
        for (_, values), tables in itertools.groupby(_numbered(groups), key=itemgetter(0, 1)):
            key = self._partition_key(values) if values else None
            path = self._table.location_provider().new_data_location(f"{uuid.uuid4()}.parquet", key)
            self.write(path, (rows.select(self._schema.names) for _, _, rows in tables), key.partition if key else None)

    def write(
        self, path: str, tables: Iterable[pa.Table], partition: "Record | None", spec_id: int | None = None
    ) -> int:
        """Write tables of one partition to a file; return the number of rows.

        Args:
            path: The file.
            tables: The rows in order, at least one; each table is a row group, or several where it is larger.
            partition: The values of the partition; ``None`` where the table has no partitions.
            spec_id: The division into partitions that these are of; by default the present one.
        """
        from pyiceberg.io.fileformat import FileFormatFactory
        from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
        from pyiceberg.typedef import Record as NoPartition

        table = self._table
        self.paths.append(path)
        output = table.io.new_output(path)
        model = FileFormatFactory.get(FileFormat.PARQUET)
        writer = model.create_writer(output, table.schema(), table.properties)
        count = 0
        with writer:
            for rows in tables:
                writer.write(rows.cast(self._schema))
                count += rows.num_rows
        self.files.append(
            DataFile.from_args(
                content=DataFileContent.DATA,
                file_path=path,
                file_format=FileFormat.PARQUET,
                partition=NoPartition() if partition is None else partition,
                file_size_in_bytes=len(output),
                sort_order_id=None,
                spec_id=table.metadata.default_spec_id if spec_id is None else spec_id,
                equality_ids=None,
                key_metadata=None,
                **writer.result().to_serialized_dict(),
            )
        )
        return count

    def discard(self, settings: InstitutionSettings, secrets: Secrets) -> None:
        """Delete every file that was begun; call it where no commit can have named them."""
        table_bucket(self._table, settings, secrets).delete_unordered([object_key(path) for path in self.paths])

    def _with_partitions(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows with their values of each partition field."""
        schema = self._table.schema()
        for number, field in enumerate(self._table.spec().fields):
            source = schema.find_field(field.source_id)
            values = field.transform.pyarrow_transform(source.field_type)(batch[source.name])
            batch = batch.append_column(_PARTITION.format(number), values)
        return batch

    def _partition_key(self, values: _Values) -> "PartitionKey":
        from pyiceberg.partitioning import PartitionFieldValue, PartitionKey

        spec = self._table.spec()
        found = [PartitionFieldValue(field, value) for field, value in zip(spec.fields, values, strict=True)]
        return PartitionKey(found, spec, self._table.schema())


def _numbered(groups: Iterable[tuple[_Values, pa.Table]]) -> Iterator[tuple[int, _Values, pa.Table]]:
    """Yield the number of the file that a row group belongs to, the values of its partition, and its rows."""
    number, size = 0, 0
    last: _Values | None = None
    for values, table in groups:
        if values != last or size >= _FILE_BYTES:
            number, size, last = number + 1, 0, values
        size += table.nbytes
        yield number, values, table


def _groups(rows: Iterable[pa.Table], partitions: Sequence[str], group: int) -> Iterator[tuple[_Values, pa.Table]]:
    """Yield the values of a partition and the rows of one row group: ``group`` rows, or the last ones.

    They depend on the rows and not on the tables that these come in.
    """
    for values, parts in itertools.groupby(_by_partition(rows, partitions), key=itemgetter(0)):
        held: list[pa.Table] = []
        count = 0
        for _, table in parts:
            held.append(table)
            count += table.num_rows
            while count >= group:
                whole = pa.concat_tables(held)
                yield values, whole.slice(0, group).combine_chunks()
                held, count = [whole.slice(group)], count - group
        if count:
            yield values, pa.concat_tables(held).combine_chunks()


def _by_partition(rows: Iterable[pa.Table], partitions: Sequence[str]) -> Iterator[tuple[_Values, pa.Table]]:
    """Yield rows of one partition with its values; the rows are given in the order of the partitions."""
    for table in rows:
        columns = [table[name].to_pylist() for name in partitions]
        start = 0
        for values, same in itertools.groupby(zip(*columns, strict=True) if columns else [()] * table.num_rows):
            count = sum(1 for _ in same)
            yield values, table.slice(start, count)
            start += count
