"""Streams rows into PostgreSQL through COPY, without holding them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg2
from psycopg2 import sql

from deid_tasks.core.errors import WarehouseError

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v"})


@dataclass(frozen=True, slots=True)
class Table:
    """Rows for one table; an empty string is written as NULL unless its column is named in ``verbatim``."""

    name: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[object, ...]] = field(repr=False)
    verbatim: frozenset[str] = frozenset()


def copy_rows(cursor: Any, table: Table) -> None:
    """Append the rows of ``table``, which must be in the search path. Raises ``WarehouseError`` if a row is refused."""
    try:
        columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), columns)
        cursor.copy_expert(statement, _Stream(_lines(table)))
    except psycopg2.Error as error:
        # The server's own text quotes the row.
        raise WarehouseError(f"table {table.name}: rows were refused (SQLSTATE {error.pgcode})") from None


def _lines(table: Table) -> Iterator[bytes]:
    keeps_empty = tuple(column in table.verbatim for column in table.columns)
    for row in table.rows:
        cells = (
            "\\N" if value is None or (value == "" and not keep) else str(value).translate(_ESCAPES)
            for value, keep in zip(row, keeps_empty, strict=True)
        )
        yield ("\t".join(cells) + "\n").encode()


class _Stream:
    """A file to read from, made of lines as they come."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._left = b""

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes; none at the end."""
        parts, length = [self._left], len(self._left)
        while size < 0 or length < size:
            line = next(self._lines, None)
            if line is None:
                break
            parts.append(line)
            length += len(line)
        joined = b"".join(parts)
        end = len(joined) if size < 0 else size
        self._left = joined[end:]
        return joined[:end]
