"""Connections to PostgreSQL. Their errors name the server, tables and columns, and never quote rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg2
from psycopg2.extensions import connection as Connection  # noqa: N812 - psycopg2 names its class in lower case

from deid_tasks.core.errors import WarehouseError

_LOST_AFTER: dict[str, Any] = {
    "keepalives_idle": 60,
    "keepalives_interval": 10,
    "keepalives_count": 6,
    "tcp_user_timeout": 120_000,
}
"""When a connection is given up whose other end vanished without a word: after two minutes, in seconds and, the last,
milliseconds. Linux would wait two hours, and so would the task and its slot."""


@contextmanager
def connect(uri: str, person: str = "") -> Iterator[Connection]:
    """Yield a connection that commits when the block ends without an error and rolls back otherwise.

    Args:
        uri: Of the warehouse.
        person: The login name of who runs a command; the server's log may name it with the session.

    Raises:
        WarehouseError: The server cannot be reached, or refuses a statement.
    """
    connection = open_connection(uri, f"palimpsest {person}".rstrip())
    try:
        with warehouse_errors(uri), connection:
            yield connection
    finally:
        connection.close()


def open_connection(uri: str, application: str = "palimpsest") -> Connection:
    """Return a new connection, which the caller closes; ``application`` is its ``application_name``.

    Raises:
        WarehouseError: The server cannot be reached, or refuses the credentials.
    """
    try:
        connection: Connection = psycopg2.connect(uri, connect_timeout=10, application_name=application, **_LOST_AFTER)
    except psycopg2.OperationalError:
        raise WarehouseError(
            f"cannot connect to PostgreSQL at {_server(uri)}: check that the server is up, and the host, port, user and"
            " password of the connection that the settings name in warehouse.connection or warehouse.connections"
        ) from None
    except psycopg2.ProgrammingError:
        raise WarehouseError(
            "a connection that the settings name in warehouse.connection or .connections is not a PostgreSQL URI:"
            " write postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
        ) from None
    connection.set_client_encoding("UTF8")
    return connection


@contextmanager
def warehouse_errors(uri: str) -> Iterator[None]:
    """Raise ``WarehouseError`` in place of the driver's errors.

    PostgreSQL's messages may quote values of rows. Only the class of an error is passed on, and for a missing or
    forbidden table or column the first line of its message, which names it.
    """
    try:
        yield
    except (psycopg2.errors.UndefinedTable, psycopg2.errors.UndefinedColumn) as error:
        raise WarehouseError(
            f"{_server(uri)}: {_first_line(error)}. Tables of _results and _gold: run `deid tables upgrade`;"
            " tables of _staging and _dictionaries: run `dbt build`, and check the staging model against its contract"
        ) from None
    except psycopg2.errors.InsufficientPrivilege as error:
        raise WarehouseError(
            f"{_server(uri)}: {_first_line(error)}; grant it to the connection's role (`deid roles` writes the grants)"
        ) from None
    except psycopg2.errors.DiskFull as error:
        raise WarehouseError(
            f"{_server(uri)}: {_first_line(error)}. Give the server more room: on its disk, or in its shared memory"
            " where the message names it (a container: --shm-size=1g)"
        ) from None
    except psycopg2.Error as error:
        if _is_lost(error):
            raise WarehouseError(
                f"lost the connection to PostgreSQL at {_server(uri)} ({type(error).__name__});"
                " run again when the server is back"
            ) from None
        raise WarehouseError(
            f"{_server(uri)}: PostgreSQL refused a statement: {type(error).__name__} (SQLSTATE {error.pgcode});"
            " the server's log has its text, where it logs errors"
        ) from None


def _is_lost(error: psycopg2.Error) -> bool:
    """Whether the connection ended: no SQLSTATE, or one of the classes for connections and for a server that stops."""
    if not isinstance(error, (psycopg2.OperationalError, psycopg2.InterfaceError)):
        return False
    return error.pgcode is None or error.pgcode.startswith(("08", "57P"))


def _server(uri: str) -> str:
    """Return host, port and database, without credentials."""
    parts = urlsplit(uri)
    return f"{parts.hostname or 'local'}:{parts.port or 5432}{parts.path}"


def _first_line(error: psycopg2.Error) -> str:
    return (error.diag.message_primary or type(error).__name__).strip()
