"""Errors of the warehouse say what is wrong, where and what to do, and quote no row."""

import socket

import pytest

from deid_tasks.core.errors import WarehouseError
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.statements import compose

SECRET = "Quillfeather"


def refused(uri: str, statement: str) -> str:
    with pytest.raises(WarehouseError) as caught, connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
    return str(caught.value)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "select * from xx_results.run",
            'relation "xx_results.run" does not exist. Tables of _results and _gold: run `deid',
        ),
        ("select placement from pg_class", 'column "placement" does not exist'),
        (f"select '{SECRET}'::date", "InvalidDatetimeFormat (SQLSTATE 22007); the server's log has its text"),
        (
            # What the server says when parallel processes have no room for their tables.
            "do $$ begin raise sqlstate '53100' using message = 'could not resize shared memory segment'; end $$",
            "could not resize shared memory segment. Give the server more room",
        ),
        ("select pg_terminate_backend(pg_backend_pid())", "lost the connection to PostgreSQL"),
    ],
)
def test_a_refused_statement(database, statement, said):
    message = refused(database, statement)
    assert said in message
    assert SECRET not in message
    assert "127.0.0.1:" in message


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        (
            "postgresql://u:secret@127.0.0.1:1/ehr",
            "cannot connect to PostgreSQL at 127.0.0.1:1/ehr: check that the server is up",
        ),
        ("mysql://u:secret@127.0.0.1/ehr", "is not a PostgreSQL URI"),
    ],
)
def test_a_connection_that_fails(uri, said):
    message = refused(uri, "select 1")
    assert said in message
    assert "secret" not in message


def test_names_are_quoted_by_the_driver(database, institution):
    with connect(database) as connection:
        shown = compose("select * from {gold}.sample, {staging}.stg_note", institution).as_string(connection)
    assert shown == 'select * from "riverside_gold".sample, "riverside_staging".stg_note'


def test_a_connection_whose_other_end_vanished_is_given_up_within_minutes(database):
    with connect(database) as connection, socket.socket(fileno=socket.dup(connection.fileno())) as own:
        assert own.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        idle, interval, count, unsent = (
            own.getsockopt(socket.IPPROTO_TCP, option)
            for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
        )
    assert idle + interval * count <= 120
    assert 0 < unsent <= 120_000
