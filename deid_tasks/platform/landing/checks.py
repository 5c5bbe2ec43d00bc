"""Rows of a file as the contract's types, and the rows that are not of them."""

import datetime
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deid_tasks.platform.landing.rows import BadRow, ReadRows, Reason, shown
from deid_tasks.settings import ColumnType, LandedTableSettings

_FIRST_DAY = datetime.date(1, 1, 1)
_INTEGER = r"^[+-]?[0-9]+$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
_ARROW: Mapping[ColumnType, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "numeric": pa.string(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
}


class ColumnLimits(NamedTuple):
    """What the table in the database asks of its columns, beyond the contract."""

    max_characters: Mapping[str, int]
    not_null: Collection[str]


class CheckedRows(NamedTuple):
    """Rows that can be loaded, and the others."""

    batch: pa.RecordBatch
    lines: pa.Array
    bad: list[BadRow]


def check_rows(read: ReadRows, table: LandedTableSettings, limits: ColumnLimits) -> CheckedRows:
    """Return the rows with the contract's types; a row with several faults is bad for its first one."""
    faults: dict[int, tuple[str, Reason]] = {}
    columns = []
    for name, kind in table.columns.items():
        array, found = _convert(read.batch.column(name), kind)
        if name in limits.max_characters:
            found.update(_where(pc.greater(pc.utf8_length(array), limits.max_characters[name]), "too_long"))
        if name in limits.not_null:
            found.update(_where(pc.is_null(read.batch.column(name)), "missing_value"))
        columns.append(array)
        for position, reason in found.items():
            faults.setdefault(position, (name, reason))
    batch = pa.RecordBatch.from_arrays(columns, names=list(table.columns))
    if not faults:
        return CheckedRows(batch, read.lines, read.bad)
    positions = sorted(faults)
    rows = _rows_at(read.batch, positions)
    bad = [
        BadRow(read.lines[position].as_py(), *faults[position], shown(row))
        for position, row in zip(positions, rows, strict=True)
    ]
    is_good = np.ones(batch.num_rows, dtype=bool)
    is_good[positions] = False
    mask = pa.array(is_good)
    return CheckedRows(batch.filter(mask), read.lines.filter(mask), read.bad + bad)


def _convert(array: pa.Array, kind: ColumnType) -> tuple[pa.Array, dict[int, Reason]]:
    """Return the array in the type of the contract, and the positions whose values are not of it, which are null."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    convert = _converter(array.type, kind)
    reason: Reason = "not_utf8" if _is_text(array.type) and kind == "text" else "wrong_type"
    faults: dict[int, Reason] = dict.fromkeys(_unconvertible(array, convert), reason)
    if faults:
        is_good = np.ones(len(array), dtype=bool)
        is_good[list(faults)] = False
        array = pc.if_else(pa.array(is_good), array, pa.scalar(None, array.type))
    converted = convert(array)
    if pa.types.is_string(converted.type):
        faults.update(_where(pc.match_substring(converted, "\0"), "nul_character"))
    return converted, faults


def _converter(given: pa.DataType, kind: ColumnType) -> Callable[[pa.Array], pa.Array]:
    """Return a function that raises ``ArrowInvalid`` where one of the values is not of the type."""
    wanted = _ARROW[kind]
    if kind == "text":
        return _to_text
    if not _is_text(given):
        if kind == "numeric":
            return lambda array: _matching(_to_text(array), _NUMBER)
        if pa.types.is_timestamp(given) and pa.types.is_timestamp(wanted):
            # Nanoseconds are cut to PostgreSQL's microseconds.
            return lambda array: _after_year_0(array.cast(wanted, safe=False))
        return lambda array: _after_year_0(array.cast(wanted))

    def parse(array: pa.Array) -> pa.Array:
        texts = pc.utf8_trim_whitespace(_to_text(array))
        if kind == "numeric":
            return _matching(texts, _NUMBER)
        if kind in {"integer", "bigint"}:
            _matching(texts, _INTEGER)
        if pa.types.is_timestamp(wanted):
            # SQL Server writes seven decimals.
            texts = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")
        return _after_year_0(texts.cast(wanted))

    return parse


def _to_text(array: pa.Array) -> pa.Array:
    texts = array if pa.types.is_string(array.type) else array.cast(pa.string())
    # Parquet's texts are not checked when they are read.
    texts.validate(full=True)
    return texts


def _matching(texts: pa.Array, pattern: str) -> pa.Array:
    if pc.all(pc.match_substring_regex(texts, pattern)).as_py() is False:
        raise pa.ArrowInvalid("another form")
    return texts


def _after_year_0(array: pa.Array) -> pa.Array:
    """Return the array; PostgreSQL has no year 0."""
    if pa.types.is_temporal(array.type) and pc.any(pc.less(array, pa.scalar(_FIRST_DAY).cast(array.type))).as_py():
        raise pa.ArrowInvalid("before year 1")
    return array


def _is_text(given: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(given)
        or pa.types.is_large_string(given)
        or pa.types.is_binary(given)
        or pa.types.is_large_binary(given)
        or pa.types.is_string_view(given)
    )


def _unconvertible(array: pa.Array, convert: Callable[[pa.Array], pa.Array], offset: int = 0) -> list[int]:
    """Return the positions of the values that cannot be converted, by halving: there are few."""
    try:
        convert(array)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if len(array) == 1:
            return [offset]
        half = len(array) // 2
        return [
            *_unconvertible(array[:half], convert, offset),
            *_unconvertible(array[half:], convert, offset + half),
        ]
    return []


def _where(condition: pa.Array, reason: Reason) -> dict[int, Reason]:
    positions = np.flatnonzero(condition.fill_null(False).to_numpy(zero_copy_only=False))  # noqa: FBT003
    return {int(position): reason for position in positions}


def _rows_at(batch: pa.RecordBatch, positions: list[int]) -> list[dict[str, object]]:
    """Return rows for the quarantine; texts that are not UTF-8 as bytes."""
    taken = batch.take(pa.array(positions))
    columns = [array.cast(pa.binary()) if _is_text(array.type) else array for array in taken.columns]
    return [
        {
            name: value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
            for name, value in row.items()
        }
        for row in pa.RecordBatch.from_arrays(columns, names=taken.schema.names).to_pylist()
    ]
