"""Writes rows that hold text of notes or of patients, without a value in the statement.

A server logs the statement of an error (``log_min_error_statement``), and of everything where it is told so
(``log_statement``), with its literals. COPY sends rows beside the statement, and in its binary format an error's
context names the line and the column and does not quote them.
"""

import datetime
import io
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from psycopg2 import sql

from deid_tasks.platform.warehouse.statements import column_list

_BATCH_ROWS = 1_000
_HEADER = b"PGCOPY\n\xff\r\n\x00" + struct.pack(">ii", 0, 0)
_END = struct.pack(">h", -1)
_NULL = struct.pack(">i", -1)
_EPOCH = datetime.datetime(2000, 1, 1)  # noqa: DTZ001 - PostgreSQL's timestamp has no zone


def _timestamp(value: datetime.datetime) -> bytes:
    return struct.pack(">q", (value.replace(tzinfo=None) - _EPOCH) // datetime.timedelta(microseconds=1))


_ENCODERS: Mapping[int, Callable[[Any], bytes]] = {
    20: lambda value: struct.pack(">q", value),
    23: lambda value: struct.pack(">i", value),
    25: lambda value: value.encode(),
    1114: _timestamp,
}
"""By the number of PostgreSQL's type: bigint, integer, text, timestamp."""


def insert_by_copy(
    cursor: Any, table: sql.Composable, columns: Sequence[str], rows: Iterable[tuple[object, ...]]
) -> None:
    """Append rows to a table; their columns are text, integers and times without a zone.

    Args:
        cursor: A cursor of the warehouse.
        table: The table, quoted.
        columns: The columns that the rows have.
        rows: The values, ``None`` for NULL; of a time with a zone the zone is left out.

    Raises:
        KeyError: a column has another type.
    """
    names = column_list(list(columns))
    cursor.execute(sql.SQL("select {} from {} limit 0").format(names, table))
    encoders = [_ENCODERS[column.type_code] for column in cursor.description]
    statement = sql.SQL("copy {} ({}) from stdin (format binary)").format(table, names)
    stream = iter(rows)
    while batch := list(islice(stream, _BATCH_ROWS)):
        content = io.BytesIO()
        content.write(_HEADER)
        for row in batch:
            content.write(struct.pack(">h", len(encoders)))
            for encode, value in zip(encoders, row, strict=True):
                content.write(_NULL if value is None else _with_length(encode(value)))
        content.write(_END)
        content.seek(0)
        cursor.copy_expert(statement, content)


def _with_length(value: bytes) -> bytes:
    return struct.pack(">i", len(value)) + value
