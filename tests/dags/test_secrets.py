"""Secrets of tasks: connections and variables of Airflow, read when a task runs and never before."""

import json

import pytest

from deid_tasks.core.errors import SettingsError


@pytest.mark.parametrize(
    ("connection", "secret"),
    [
        ("postgres://u:p%40ss@db.example:5433/ehr", "postgresql://u:p%40ss@db.example:5433/ehr"),
        ("postgresql://u:p@db.example/ehr?sslmode=require", "postgresql://u:p@db.example/ehr?sslmode=require"),
    ],
)
def test_a_postgres_connection_is_a_uri(monkeypatch, connection, secret):
    from wiring.secrets import airflow_secrets

    monkeypatch.setenv("AIRFLOW_CONN_SOME_EHR", connection)
    assert airflow_secrets().text("some_ehr") == secret


def test_an_aws_connection_is_endpoint_and_credentials(monkeypatch):
    from wiring.secrets import airflow_secrets

    aws = {"conn_type": "aws", "login": "id", "password": "key", "extra": {"endpoint_url": "http://127.0.0.1:9"}}
    monkeypatch.setenv("AIRFLOW_CONN_STORE", json.dumps(aws))
    assert airflow_secrets().mapping("store") == {
        "endpoint": "http://127.0.0.1:9",
        "region": "us-east-1",
        "access_key": "id",
        "secret_key": "key",
    }


def test_an_aws_connection_may_have_a_token_a_role_and_properties_of_pyiceberg(monkeypatch):
    from wiring.secrets import airflow_secrets

    extra = {
        "aws_session_token": "brief",
        "role_arn": "arn:aws:iam::1:role/deid",
        "s3.proxy-uri": "http://p",
        "more": 1,
    }
    monkeypatch.setenv("AIRFLOW_CONN_STORE", json.dumps({"conn_type": "aws", "extra": extra}))
    found = airflow_secrets().mapping("store")
    assert (found["session_token"], found["role_arn"]) == ("brief", "arn:aws:iam::1:role/deid")
    assert found["s3.proxy-uri"] == "http://p"
    assert "more" not in found


def test_only_a_public_key_may_be_a_variable(monkeypatch):
    from deid_tasks.evidence.gate import new_key_pair
    from wiring.secrets import airflow_secrets

    private, public = new_key_pair()
    monkeypatch.setenv("AIRFLOW_VAR_SOME_KEY", public)
    assert airflow_secrets().text("some_key") == public
    for secret in (private, "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU=", "postgresql://u:p@host/db"):
        monkeypatch.setenv("AIRFLOW_VAR_SOME_KEY", secret)
        with pytest.raises(
            SettingsError, match=r"'some_key' is an Airflow variable.*--conn-type generic.*variables delete"
        ) as e:
            airflow_secrets().text("some_key")
        assert secret not in str(e.value)


def test_airflow_masks_a_key_once_a_task_has_read_it(monkeypatch):
    from airflow.sdk._shared.secrets_masker import _secrets_masker

    from wiring.secrets import airflow_secrets

    key = "TUFTS01BU0tNQVNLTUFTS01BU0tNQVNLTUFTS01BU0s="
    monkeypatch.setenv("AIRFLOW_CONN_MASKED_KEY", json.dumps({"conn_type": "generic", "password": key}))
    assert airflow_secrets().text("masked_key") == key
    assert key not in str(_secrets_masker().redact(f"the key is {key}"))


def test_what_is_nowhere_is_named(monkeypatch):
    from wiring import secrets

    monkeypatch.setattr(secrets.Variable, "get", lambda *_, **__: None)
    with pytest.raises(SettingsError, match="nowhere_key"):
        secrets.airflow_secrets().text("nowhere_key")


_BACKEND = """
import os, pathlib
from airflow.secrets import BaseSecretsBackend

class Recorder(BaseSecretsBackend):
    def get_conn_value(self, conn_id, team_name=None):
        pathlib.Path(os.environ["ASKED"]).touch()

    def get_variable(self, key, team_name=None):
        pathlib.Path(os.environ["ASKED"]).touch()
"""


@pytest.mark.parametrize("is_careless", [False, True])
def test_no_secret_is_read_while_dag_files_are_parsed(parse_copy, tmp_path, is_careless):
    (tmp_path / "recorder.py").write_text(_BACKEND)
    asked = tmp_path / "asked"

    def change(dags):
        if is_careless:
            with (dags / "notes_dag.py").open("a") as file:
                file.write("\nfrom airflow.sdk import Variable\nVariable.get('some_key', default=None)\n")

    parse_copy(change, AIRFLOW__SECRETS__BACKEND="recorder.Recorder", PYTHONPATH=str(tmp_path), ASKED=str(asked))
    assert asked.exists() == is_careless


def test_a_key_may_be_the_password_of_a_connection(monkeypatch):
    from wiring.secrets import airflow_secrets

    key = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU="
    monkeypatch.setenv("AIRFLOW_CONN_SOME_KEY", json.dumps({"conn_type": "generic", "password": key}))
    assert airflow_secrets().key("some_key") == b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
