"""Connections to PostgreSQL whose errors name the place and never the data."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg2
from psycopg2.extensions import connection as Connection  # noqa: N812 - psycopg2 names its class in lower case

from deid_tasks.core.errors import WarehouseError


@contextmanager
def connect(uri: str) -> Iterator[Connection]:
    """A connection that commits when the block ends well and rolls back otherwise.

    Raises:
        WarehouseError: the server cannot be reached, or refuses a statement. PostgreSQL's detail lines quote rows, so only
            its error class and the first line of its message, which names tables and columns, are passed on.
    """
    place = urlsplit(uri)
    where = f"{place.hostname or 'local'}:{place.port or 5432}{place.path}"
    try:
        connection = psycopg2.connect(uri, connect_timeout=10, application_name="palimpsest")
    except psycopg2.OperationalError:
        raise WarehouseError(
            f"cannot connect to PostgreSQL at {where}: is it up, and are the credentials right?"
        ) from None
    connection.set_client_encoding("UTF8")
    try:
        with connection:
            yield connection
    except psycopg2.errors.UndefinedTable as error:
        raise WarehouseError(f"{where}: {_first_line(error)}; has `dbt build` run for this institution?") from None
    except psycopg2.errors.UndefinedColumn as error:
        raise WarehouseError(f"{where}: {_first_line(error)}; does the staging model keep the contract?") from None
    except (psycopg2.OperationalError, psycopg2.InterfaceError):
        raise WarehouseError(f"lost the connection to PostgreSQL at {where}") from None
    except psycopg2.Error as error:
        raise WarehouseError(f"{where}: {type(error).__name__} ({error.pgcode})") from None
    finally:
        connection.close()


def _first_line(error: psycopg2.Error) -> str:
    return (error.diag.message_primary or type(error).__name__).strip()
