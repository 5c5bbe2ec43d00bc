"""Rows of delivered files, read in batches with flat memory.

CSV and JSON lines are read by Python's own parsers and not by Arrow's: those give up a whole file at its first bad
row, and Arrow's CSV parser accepts broken quoting, which can join the rows of two patients.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deid_tasks.core.errors import InputError
from deid_tasks.platform.landing.location import LandingLocation
from deid_tasks.settings import LandedTableSettings

Reason = Literal[
    "broken_quoting",
    "too_many_columns",
    "too_few_columns",
    "not_json",
    "unknown_column",
    "not_utf8",
    "nul_character",
    "wrong_type",
    "too_long",
    "missing_value",
    "duplicate_key",
]
"""Why a row is quarantined."""

_BATCH_ROWS = 10_000
_BATCH_CHARACTERS = 8_000_000
_MAX_CHARACTERS = 64_000_000
"""Longest line and longest cell; a file without line ends would otherwise be read into memory whole."""
_SHOWN_CHARACTERS = 10_000
_BYTE_ORDER_MARK = "\ufeff"


class BadRow(NamedTuple):
    """A row that cannot be loaded."""

    line: int
    """Line at which the row begins, from 1; of Parquet the row, from 1."""
    column: str
    """Empty where the whole row is concerned."""
    reason: Reason
    content: str
    """The row in ASCII, cut after some thousand characters: PHI, for the quarantine alone."""


class ReadRows(NamedTuple):
    """Some rows of a file, and the rows between them that could not be read."""

    batch: pa.RecordBatch
    """The contract's columns, as the file holds them: texts, or the types of Parquet."""
    lines: pa.Array
    bad: list[BadRow]


def read_rows_of(location: LandingLocation, path: str, table: LandedTableSettings) -> Iterator[ReadRows]:
    """Yield the rows of a file in batches.

    Raises:
        InputError: the file lacks a column, has one that the contract does not name, or is not of its format.
        StorageError: the file cannot be read.
    """
    if table.format == "parquet":
        yield from _read_parquet(location, path, table)
        return
    with location.open_stream(path) as stream:
        lines = _Lines(stream, path)
        rows = _csv_rows(lines, table, path) if table.format == "csv" else _json_rows(lines, table)
        yield from _batches(rows, tuple(table.columns), table.null_value if table.format == "csv" else None)


def shown(values: Any) -> str:
    """Return values of a row as ASCII, cut to what the quarantine holds of a row."""
    return json.dumps(values, default=str)[:_SHOWN_CHARACTERS]


class _Lines:
    """The lines of a stream, their ends included. Bytes that are not UTF-8 are surrogates."""

    def __init__(self, stream: Any, path: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="")
        self._path = path
        self.number = 0
        """Lines that were read."""
        self.last = ""

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._text.readline(_MAX_CHARACTERS)
        if not line:
            raise StopIteration
        if len(line) == _MAX_CHARACTERS:
            raise InputError(
                f"{self._path}: line {self.number + 1} has more than {_MAX_CHARACTERS:,} characters; the file is not"
                " what the contract says, or has no line ends"
            )
        self.number += 1
        self.last = line.removeprefix(_BYTE_ORDER_MARK) if self.number == 1 else line
        return self.last


_Row = tuple[int, Sequence[str | None]] | BadRow


def _csv_rows(lines: _Lines, table: LandedTableSettings, path: str) -> Iterator[_Row]:
    """Yield each row's line and its cells in the contract's order.

    After broken quoting the next line is taken for the beginning of a row.
    """
    # A limit of the process, which is too low for a note by default.
    csv.field_size_limit(_MAX_CHARACTERS)
    reader = csv.reader(lines, delimiter=table.delimiter, strict=True)
    try:
        names = [name.strip().lower() for name in next(reader, [])]
    except csv.Error:
        raise InputError(f"{path}: line 1 is not a line of column names: its quoting is broken") from None
    wanted = _positions(path, names, table)
    while True:
        line = lines.number + 1
        try:
            cells = next(reader, None)
        except csv.Error:
            yield BadRow(line, "", "broken_quoting", shown(lines.last))
            continue
        if cells is None:
            return
        if len(cells) == len(names):
            yield line, [cells[position] for position in wanted]
        elif cells:
            yield BadRow(line, "", "too_many_columns" if len(cells) > len(names) else "too_few_columns", shown(cells))


def _json_rows(lines: _Lines, table: LandedTableSettings) -> Iterator[_Row]:
    ignored = {name.lower() for name in table.ignored_columns}
    names = tuple(table.columns)
    known = ignored.union(names)
    for line in lines:
        if not line.strip():
            continue
        try:
            found = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            yield BadRow(lines.number, "", "not_json", shown(line))
            continue
        if not isinstance(found, dict):
            yield BadRow(lines.number, "", "not_json", shown(line))
            continue
        row = {key.lower(): value for key, value in found.items()}
        if not row.keys() <= known:
            yield BadRow(lines.number, "", "unknown_column", shown(line))
            continue
        nested = next((name for name in names if isinstance(row.get(name), dict | list)), None)
        if nested is not None:
            yield BadRow(lines.number, nested, "wrong_type", shown(line))
            continue
        yield lines.number, [_text_of(row.get(name)) for name in names]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _text_of(value: str | float | None) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)


def _batches(rows: Iterable[_Row], names: tuple[str, ...], null_value: str | None) -> Iterator[ReadRows]:
    """Yield rows of texts in batches of about equal size."""
    good: list[tuple[int, Sequence[str | None]]] = []
    bad: list[BadRow] = []
    characters = 0
    for row in rows:
        if isinstance(row, BadRow):
            bad.append(row)
        else:
            good.append(row)
            characters += sum(len(cell) for cell in row[1] if cell)
        if len(good) + len(bad) >= _BATCH_ROWS or characters >= _BATCH_CHARACTERS:
            yield _text_batch(good, bad, names, null_value)
            good, bad, characters = [], [], 0
    if good or bad:
        yield _text_batch(good, bad, names, null_value)


def _text_batch(
    rows: list[tuple[int, Sequence[str | None]]], bad: list[BadRow], names: tuple[str, ...], null_value: str | None
) -> ReadRows:
    try:
        arrays = _text_arrays(rows, len(names))
    except UnicodeEncodeError:
        undecoded = [(line, cells, _undecoded(cells)) for line, cells in rows]
        bad = bad + [
            BadRow(line, names[position], "not_utf8", shown(cells))
            for line, cells, position in undecoded
            if position is not None
        ]
        rows = [(line, cells) for line, cells, position in undecoded if position is None]
        arrays = _text_arrays(rows, len(names))
    if null_value is not None:
        arrays = [pc.if_else(pc.equal(array, null_value), None, array) for array in arrays]
    batch = pa.RecordBatch.from_arrays(arrays, names=list(names))
    return ReadRows(batch, pa.array([line for line, _ in rows], pa.int64()), bad)


def _text_arrays(rows: list[tuple[int, Sequence[str | None]]], columns: int) -> list[pa.Array]:
    cells = zip(*(cells for _, cells in rows), strict=True) if rows else ([] for _ in range(columns))
    return [pa.array(column, pa.string()) for column in cells]


def _undecoded(cells: Sequence[str | None]) -> int | None:
    """Return the position of the first cell that cannot be written as UTF-8."""
    for position, cell in enumerate(cells):
        try:
            (cell or "").encode()
        except UnicodeEncodeError:
            return position
    return None


def _read_parquet(location: LandingLocation, path: str, table: LandedTableSettings) -> Iterator[ReadRows]:
    with location.open_file(path) as file, _parquet_errors(path):
        parquet = pq.ParquetFile(file, pre_buffer=False)
        stored = parquet.schema_arrow.names
        wanted = _positions(path, [name.lower() for name in stored], table)
        for position, name in zip(wanted, table.columns, strict=True):
            if pa.types.is_nested(parquet.schema_arrow.field(position).type):
                raise InputError(f"{path}: column {name} is nested; the contract says {table.columns[name]}")
        read = 0
        for batch in parquet.iter_batches(
            batch_size=_rows_a_batch(parquet), columns=[stored[position] for position in wanted], use_threads=False
        ):
            arrays = [batch.column(stored[position]) for position in wanted]
            lines = pa.array(range(read + 1, read + batch.num_rows + 1), pa.int64())
            read += batch.num_rows
            yield ReadRows(pa.RecordBatch.from_arrays(arrays, names=list(table.columns)), lines, [])


def _rows_a_batch(parquet: pq.ParquetFile) -> int:
    """Return the rows of a batch, fewer where the file's rows are long."""
    sizes: list[int] = [parquet.metadata.row_group(number).total_byte_size for number in range(parquet.num_row_groups)]
    bytes_a_row = max(1, sum(sizes) // max(1, int(parquet.metadata.num_rows)))
    return max(1, min(_BATCH_ROWS, _BATCH_CHARACTERS // bytes_a_row))


@contextmanager
def _parquet_errors(path: str) -> Iterator[None]:
    try:
        yield
    except pa.ArrowInvalid:
        raise InputError(f"{path}: not a whole Parquet file; deliver it again") from None


def _positions(path: str, names: Sequence[str], table: LandedTableSettings) -> list[int]:
    """Return the position in the file of each column of the contract.

    Raises:
        InputError: a column is missing, is there twice, or is not in the contract.
    """
    if missing := [name for name in table.columns if name not in names]:
        raise InputError(f"{path}: column {missing[0]} of table {table.table} is missing")
    ignored = {name.lower() for name in table.ignored_columns}
    extra = [number for number, name in enumerate(names, 1) if name not in table.columns and name not in ignored]
    if extra:
        raise InputError(
            f"{path}: column {extra[0]} of the file is not in the contract of table {table.table}; add it to columns,"
            " or to ignored_columns"
        )
    if len(set(names)) < len(names):
        raise InputError(f"{path}: two columns have one name")
    return [names.index(name) for name in table.columns]
