"""Keys of new rows: each is given once, also where the row with the newest key has gone."""

from typing import Any

from psycopg2 import sql


def next_key(cursor: Any, table: str, column: str) -> int:
    """Return a key of ``table`` that no row has or had."""
    cursor.execute(
        sql.SQL(
            "INSERT INTO expected_key AS k SELECT %s, coalesce(max({column}), 0) + 1 FROM {table} "
            "ON CONFLICT (name) DO UPDATE SET last = greatest(k.last + 1, excluded.last) RETURNING last"
        ).format(column=sql.Identifier(column), table=sql.Identifier(table)),
        (table,),
    )
    return int(cursor.fetchone()[0])


def split_damaged(text: str) -> tuple[str, bytes]:
    """Return what comes before the first byte that is not UTF-8, and the bytes from there on."""
    encoded = text.encode("utf-8", "surrogateescape")
    try:
        encoded.decode("utf-8")
    except UnicodeDecodeError as error:
        return encoded[: error.start].decode("utf-8"), encoded[error.start :]
    return text, b""
