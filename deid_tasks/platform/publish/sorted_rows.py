"""Rows in the order of some columns, however many there are: sorted runs on disk, merged as a stream.

A run is a file without a name, which ends with its process, however that ends. Each is encrypted with a key that no
other process has.
"""

import os
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

_RUN_BYTES = 32 * 1_024 * 1_024
"""Bytes of the rows that are sorted in memory."""
_BATCH_BYTES = 1_024 * 1_024
"""Bytes of the rows of a run that are in memory while it is merged with others."""
_RUNS_MERGED = 32
_KEY_BYTES = 32

_Key = tuple[tuple[bool, Any], ...]


def sorted_rows(batches: Iterable[pa.RecordBatch], columns: Sequence[str], folder: Path) -> Iterator[pa.Table]:
    """Yield all rows in the order of some columns, missing values last, in tables of bounded size.

    The memory that it takes does not grow with the rows. Rows that are few stay in memory; runs of others lie in
    ``folder`` until they are read, and take about the room that the rows take as Parquet.

    Args:
        batches: The rows, in any order.
        columns: The columns to sort by.
        folder: A folder for the runs.
    """
    sorter = _Sorter(columns, folder)
    for batch in batches:
        sorter.add(batch)
    yield from sorter.rows()


class _Sorter:
    """Rows that were added, in sorted runs: as many of one level as are merged make one run of the next."""

    def __init__(self, columns: Sequence[str], folder: Path) -> None:
        self._columns, self._folder = columns, folder
        self._held: list[pa.RecordBatch] = []
        self._size = 0
        self._levels: list[list[_Run]] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        if not batch.num_rows:
            return
        if self._held and self._size + batch.nbytes > _RUN_BYTES:
            self._store(0, self._sorted())
        self._held.append(batch)
        self._size += batch.nbytes

    def rows(self) -> Iterator[pa.Table]:
        """Yield all rows in order; nothing can be added afterwards."""
        if not self._levels:
            yield from self._sorted()
            return
        if self._held:
            self._store(0, self._sorted())
        yield from self._merged([run for level in self._levels for run in level])

    def _sorted(self) -> Iterator[pa.Table]:
        """Yield the rows in memory in order, and hold them no more."""
        if not self._held:
            return
        # One chunk of each column: rows are taken from it without copying the rest.
        rows = pa.Table.from_batches(self._held).combine_chunks()
        self._held, self._size = [], 0
        yield from _in_order(rows, self._columns)

    def _store(self, level: int, tables: Iterator[pa.Table]) -> None:
        """Write sorted rows to a run, and merge the runs of its level where they are enough."""
        if level == len(self._levels):
            self._levels.append([])
        runs = self._levels[level]
        runs.append(_Run(tables, self._folder))
        if len(runs) == _RUNS_MERGED:
            self._store(level + 1, self._merged(runs))
            self._levels[level] = []

    def _merged(self, runs: Sequence["_Run"]) -> Iterator[pa.Table]:
        """Yield the rows of sorted runs in order, and end the runs."""
        heads = [head for head in (_Head(run, self._columns) for run in runs) if head.advance()]
        while heads:
            # No run has a row before this one that is not in memory.
            bound = min(head.last for head in heads)
            rows = pa.concat_tables([head.take_until(bound) for head in heads]).combine_chunks()
            yield from _in_order(rows, self._columns)
            heads = [head for head in heads if head.has_rows or head.advance()]


class _Run:
    """Sorted rows in a file."""

    def __init__(self, tables: Iterator[pa.Table], folder: Path) -> None:
        """Write the tables, at least one, in order."""
        self._key = os.urandom(_KEY_BYTES)
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  It is closed when it was read.
        first = next(tables)
        encryption = pe.create_encryption_properties(self._key)
        with pq.ParquetWriter(self._file, first.schema, compression="zstd", encryption_properties=encryption) as writer:
            writer.write_table(first)
            for table in tables:
                writer.write_table(table)

    def read(self) -> Iterator[pa.Table]:
        """Yield the tables as they were written, and delete the file."""
        with self._file:
            self._file.seek(0)
            decryption = pe.create_decryption_properties(self._key)
            with pq.ParquetFile(self._file, decryption_properties=decryption) as file:
                for group in range(file.num_row_groups):
                    yield file.read_row_group(group)


class _Head:
    """The rows of a run that are in memory."""

    def __init__(self, run: _Run, columns: Sequence[str]) -> None:
        self._tables, self._columns = run.read(), columns
        self._rows: pa.Table
        self.last: _Key = ()
        """The last row that is in memory."""

    @property
    def has_rows(self) -> bool:
        """Whether rows are in memory."""
        return bool(self._rows.num_rows)

    def advance(self) -> bool:
        """Read the next rows; return whether there are any."""
        rows = next(self._tables, None)
        if rows is None:
            return False
        self._rows = rows
        self.last = self._key(rows.num_rows - 1)
        return True

    def take_until(self, bound: _Key) -> pa.Table:
        """Return the rows up to ``bound``, itself included, and hold them no more."""
        count = bisect_right(range(self._rows.num_rows), bound, key=self._key)
        taken = self._rows.slice(0, count)
        self._rows = self._rows.slice(count)
        return taken

    def _key(self, row: int) -> _Key:
        values = (self._rows[name][row].as_py() for name in self._columns)
        return tuple((value is None, value) for value in values)


def _in_order(rows: pa.Table, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield rows in order, in tables of about ``_BATCH_BYTES``."""
    keys = [(name, "ascending") for name in columns]
    order = pc.sort_indices(rows.select(columns), sort_keys=keys)
    step = max(1, _BATCH_BYTES * rows.num_rows // max(1, rows.nbytes))
    for start in range(0, rows.num_rows, step):
        yield rows.take(order.slice(start, step))
