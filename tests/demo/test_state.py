"""The demo's memory, and the environment made from it."""

import json
import stat
from pathlib import Path

import pytest

from deid_tasks.demo.environment import Places, airflow_environment, demo_secrets, ui_password
from deid_tasks.demo.seed import Size
from deid_tasks.demo.state import DemoError, State


@pytest.fixture
def places():
    uris = {name: f"postgresql://u:p@127.0.0.1:5555/{name}" for name in ("airflow", "ehr", "catalog")}
    return Places(Path("/somewhere"), Path("/elsewhere"), 8081, 9001, uris)


def test_state_is_remembered_and_private(tmp_path):
    state = State.load(tmp_path)
    state.put("port", 8080)
    key = state.secret("jwt")
    again = State.load(tmp_path)
    assert again.get("port") == 8080
    assert again.secret("jwt") == key
    assert again.secret("other") != key
    assert stat.S_IMODE((tmp_path / "state.json").stat().st_mode) == 0o600
    assert key.hex() not in repr(again)


@pytest.mark.parametrize("text", ["", "{", '{"port": 80'])
def test_a_state_cut_short_by_an_interruption_is_begun_afresh(tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    assert State.load(tmp_path).get("port") is None


def test_two_demos_at_once_are_refused(tmp_path):
    with (
        State.load(tmp_path).locked(),
        pytest.raises(DemoError, match="another `make demo`"),
        State.load(tmp_path).locked(),
    ):
        pass
    with State.load(tmp_path).locked():
        pass


def test_callers_airflow_does_not_leak_into_the_demos(tmp_path, monkeypatch, places, institution):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    monkeypatch.setenv("AIRFLOW_CONN_STRANGER", "postgres://else:where@host/db")
    environment = airflow_environment(State(tmp_path), places, [institution])
    assert environment["AIRFLOW__CORE__EXECUTOR"] == "LocalExecutor"
    assert "AIRFLOW_CONN_STRANGER" not in environment
    assert environment["AIRFLOW__API__HOST"] == "127.0.0.1"
    assert environment["AIRFLOW__CORE__LOAD_EXAMPLES"] == "False"


def test_a_second_look_gives_the_same_environment(tmp_path, places, institution):
    first = airflow_environment(State.load(tmp_path), places, [institution])
    assert airflow_environment(State.load(tmp_path), places, [institution]) == first


def test_engine_and_airflow_are_given_the_same_secrets(tmp_path, places, institution):
    state = State(tmp_path)
    environment = airflow_environment(state, places, [institution])
    secrets = demo_secrets(state, places, [institution])
    assert environment["AIRFLOW_CONN_RIVERSIDE_EHR"] == secrets.text("riverside_ehr")
    key = {"conn_type": "generic", "password": secrets.text("riverside_key")}
    assert json.loads(environment["AIRFLOW_CONN_RIVERSIDE_KEY"]) == key
    # Airflow shows variables in clear.
    assert not [name for name in environment if name.startswith("AIRFLOW_VAR_")]
    assert len(secrets.key("riverside_key")) == 32
    assert secrets.mapping("object_store")["endpoint"] == places.object_store
    assert "AIRFLOW_CONN_OBJECT_STORE" in environment


def test_the_password_is_kept_where_airflow_reads_it(tmp_path):
    password = ui_password(State.load(tmp_path))
    file = tmp_path / "airflow" / "passwords.json"
    assert password in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert ui_password(State.load(tmp_path)) == password


@pytest.mark.parametrize("notes", [200, 320, 3_000, 50_000])
def test_a_hospital_of_any_size_has_people(notes):
    size = Size.of(notes)
    assert size.notes == notes
    assert 60 <= size.patients <= max(60, notes)
