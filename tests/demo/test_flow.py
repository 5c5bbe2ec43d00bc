"""What the demo says of a failed task, and what it does about a port that is taken."""

import json
import socket

import pytest

from deid_tasks.demo.flow import last_error
from deid_tasks.demo.services import Platform
from deid_tasks.demo.state import State

_FELL_SHORT = {"event": "Task failed", "error_detail": [{"exc_type": "GateError", "exc_value": "certified is 0"}]}
_RETRIED = {"event": "Task failed", "error_detail": [{"exc_type": "WarehouseError", "exc_value": "cannot connect"}]}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([json.dumps(_FELL_SHORT)], "GateError: certified is 0"),
        (
            [json.dumps(_RETRIED), "{cut", "[]", '{"error_detail": []}', json.dumps(_FELL_SHORT)],
            "GateError: certified is 0",
        ),
        (['{"event": "well"}'], "no error was logged"),
    ],
)
def test_a_failure_is_told_in_the_words_of_its_error(tmp_path, lines, said):
    log = tmp_path / "attempt=1.log"
    log.write_text("\n".join(lines))
    assert last_error(log) == said


def test_a_log_that_is_gone_hides_no_failure(tmp_path):
    assert last_error(tmp_path / "nothing.log") == "no error was logged"


@pytest.mark.parametrize("is_remembered", [False, True])
def test_a_port_of_another_program_is_named_and_passed_over(tmp_path, is_remembered):
    said = []
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        taken = stranger.getsockname()[1]
        state = State.load(tmp_path)
        if is_remembered:
            state.put("airflow_port", taken)
        port = Platform(tmp_path, state, said.append)._port("airflow_port", "api-server", taken)
    assert port != taken
    assert len(said) == 1
    assert f"port {taken} is in use" in said[0]
    assert State.load(tmp_path).get("airflow_port") == port
