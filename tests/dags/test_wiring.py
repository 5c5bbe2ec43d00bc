"""The seam between tasks and engine: secrets at run time, and no patient data in what fails."""

import json
from pathlib import Path

import pytest

from deid_tasks.core.errors import GateError, SettingsError


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


def test_a_variable_is_a_key(monkeypatch):
    from wiring.secrets import airflow_secrets

    monkeypatch.setenv("AIRFLOW_VAR_SOME_KEY", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU=")
    assert airflow_secrets().key("some_key") == b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"


def test_what_is_nowhere_is_named(monkeypatch):
    from wiring import secrets

    monkeypatch.setattr(secrets.Variable, "get", lambda *_, **__: None)
    with pytest.raises(SettingsError, match="nowhere_key"):
        secrets.airflow_secrets().text("nowhere_key")


def _chain(error: BaseException) -> str:
    """All that a log would print of an error and of what it shows as its causes."""
    texts = []
    while error is not None:
        texts.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n".join(texts)


def test_a_strange_error_loses_its_text_and_keeps_its_place():
    from wiring.engine import engine

    with pytest.raises(Exception) as caught, engine("riverside"):  # noqa: PT011
        int("Okafor")
    told = _chain(caught.value)
    assert "Okafor" not in told
    assert "ValueError" in told
    assert "test_wiring.py" in told


def _fall_short() -> None:
    try:
        raise ValueError("Okafor")
    except ValueError as error:
        raise GateError("recall 0.97 is below 0.98") from error


def test_our_own_error_keeps_its_text_and_loses_its_cause():
    from wiring.engine import engine

    with pytest.raises(GateError) as caught, engine("riverside"):
        _fall_short()
    told = _chain(caught.value)
    assert "Okafor" not in told
    assert "recall 0.97 is below 0.98" in told


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


def test_no_telemetry():
    from deid_tasks.demo.environment import no_telemetry

    switched_off = no_telemetry()
    assert switched_off["DO_NOT_TRACK"] == "1"
    assert switched_off["AIRFLOW__COSMOS__ENABLE_TELEMETRY"] == "False"
    assert switched_off["AIRFLOW__USAGE_DATA_COLLECTION__ENABLED"] == "False"
    assert switched_off["DBT_SEND_ANONYMOUS_USAGE_STATS"] == "False"


def test_institutions_may_stand_in_a_folder_of_their_own(parse_copy, tmp_path):
    elsewhere = tmp_path / "tenants"
    elsewhere.mkdir()
    committed = Path(__file__).parents[2] / "dags" / "institutions" / "riverside.yaml"
    (elsewhere / "hillside.yaml").write_text(committed.read_text().replace("riverside", "hillside"))
    ids, errors = parse_copy(lambda dags: None, PALIMPSEST_INSTITUTIONS=str(elsewhere))
    assert errors == []
    from wiring.policy import Kind

    assert ids == {f"{kind}__hillside" for kind in Kind}


@pytest.mark.parametrize("waiting", ["", "annotator_a: 3 of 5 notes; folder /work"])
def test_freezing_is_skipped_with_a_reason_while_work_is_open(dagbag, monkeypatch, waiting):
    from airflow.sdk.exceptions import AirflowSkipException

    from deid_tasks.platform import runs

    asked = []

    def freeze(settings, secrets, versions):
        asked.append(versions)
        reports = [("random", "s1", ""), ("stratified", "s2", waiting)]
        return [{"design": d, "sample_version": v, "waiting_for": w} for d, v, w in reports]

    monkeypatch.setattr(runs, "freeze_gold_sets", freeze)
    task = dagbag.dags["gold__riverside"].get_task("freeze")
    if waiting:
        with pytest.raises(
            AirflowSkipException, match=r"work is open: stratified sample s2: annotator_a: 3 of 5 notes"
        ):
            task.python_callable("riverside", {"sample_version": ""})
    else:
        assert len(task.python_callable("riverside", {"sample_version": "s7"})) == 2
    assert asked == [["s7"] if not waiting else []]


def test_the_form_of_samples_is_what_is_drawn(dagbag, monkeypatch):
    from deid_tasks.platform import runs
    from deid_tasks.settings import DESIGNS, SamplingSettings

    asked = []

    def draw_samples(settings, secrets, overrides, designs):
        asked.append((settings.sampling, SamplingSettings.model_validate(overrides), designs))
        return []

    monkeypatch.setattr(runs, "draw_samples", draw_samples)
    dag = dagbag.dags["sample__riverside"]
    task = dag.get_task("draw")
    form = {name: param.value for name, param in dag.params.items()}
    task.python_callable("riverside", form)
    task.python_callable("riverside", form | {"disagreement_size": 30, "designs": ["disagreement"]})
    (own, usual, everything), (_, other, designs) = asked
    assert usual == own.model_copy(update={"periods": usual.periods})
    assert everything == list(DESIGNS)
    assert (other.disagreement_size, designs) == (30, ["disagreement"])
