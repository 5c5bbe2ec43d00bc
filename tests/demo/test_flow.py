"""What the demo says of a failed task, and what it does about a port that is taken."""

import io
import json
import socket

import pytest
from rich.console import Console

from deid_tasks.demo.flow import Flow, last_error
from deid_tasks.demo.progress import Progress
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


class _Airflow:
    """What an interrupted demo leaves: a run under way, a queued one, a finished one, and a backfill."""

    def __init__(self):
        self.ended, self.cancelled = [], []

    def runs(self, dag_id):
        states = {"evaluate__riverside": ["running", "success"], "notes__riverside": ["queued", "failed"]}
        return [{"dag_run_id": state, "state": state} for state in states.get(dag_id, [])]

    def unfinished_backfills(self, dag_id):
        return [7] if dag_id == "notes__riverside" else []

    def end_run(self, dag_id, run_id):
        self.ended.append((dag_id, run_id))

    def cancel_backfill(self, backfill_id):
        self.cancelled.append(backfill_id)


def test_what_an_interruption_left_is_given_up_and_nothing_else(tmp_path):
    airflow = _Airflow()
    said = io.StringIO()
    Flow(airflow, ["riverside"], tmp_path, Progress(Console(file=said))).give_up_interrupted()
    assert airflow.ended == [("evaluate__riverside", "running"), ("notes__riverside", "queued")]
    assert airflow.cancelled == [7]
    assert said.getvalue().count("interrupted") == 2
