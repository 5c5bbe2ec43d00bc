"""Airflow's teams: each institution is a bundle of its own team, and its tasks get no connection of another's."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTITUTIONS = ("riverside", "lakeshore")
_PROBE = """
from airflow.sdk import dag, task
from wiring.institutions import usable_institutions

[institution] = usable_institutions()


@dag(dag_id=f"probe__{institution.institution}", schedule=None)
def probe():
    @task
    def ask():
        pass

    ask()


probe()
"""
_ASK = """
import json, sys
from airflow.api_fastapi.auth.tokens import JWTGenerator, get_signing_args
from airflow.api_fastapi.execution_api.app import create_task_execution_api_app
from airflow.configuration import conf
from airflow.models import Connection, Pool, TaskInstance
from airflow.utils.session import create_session
from fastapi.testclient import TestClient
from sqlalchemy import select

institutions, names = json.loads(sys.argv[1])
with create_session() as session:
    for one in institutions:
        connection = {"conn_id": f"{one}_engine", "conn_type": "postgres", "host": "db", "login": one}
        session.add(Connection(**connection, team_name=one))
    tasks = {one.dag_id: str(one.id) for one in session.scalars(select(TaskInstance))}
    pools = {pool.pool: pool.team_name for pool in session.scalars(select(Pool))}
audience = conf.get_mandatory_list_value("execution_api", "jwt_audience")[0]
tokens = JWTGenerator(valid_for=600, audience=audience, **get_signing_args(make_secret_key_if_needed=False))
answers = {}
with TestClient(create_task_execution_api_app()) as client:
    for dag_id, task in tasks.items():
        headers = {"Authorization": "Bearer " + tokens.generate({"sub": task})}
        for name in names:
            got = client.get(f"/connections/{name}", headers=headers)
            found = got.json()
            answers[f"{dag_id} {name}"] = [got.status_code, found.get("login") or found.get("password")]
print("RESULT" + json.dumps([answers, pools]))
"""


def _bundle(name: str, path: Path) -> dict[str, object]:
    local = "airflow.dag_processing.bundles.local.LocalDagBundle"
    return {"name": name, "classpath": local, "kwargs": {"path": str(path)}, "team_name": name}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What Airflow's API for tasks answers a task of each team, and the team of each pool."""
    folder = tmp_path_factory.mktemp("teams")
    for name in INSTITUTIONS:
        shutil.copytree(ROOT / "dags" / "wiring", folder / name / "wiring")
        (folder / name / "institutions").mkdir()
        text = (ROOT / "dags" / "institutions" / f"{name}.yaml").read_text() + f"\nteam: {name}\n"
        (folder / name / "institutions" / f"{name}.yaml").write_text(text)
        (folder / name / "probe.py").write_text(_PROBE)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("AIRFLOW", "PALIMPSEST"))}
    environment |= {
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__MULTI_TEAM": "True",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{folder}/airflow.db",
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps(
            [_bundle(name, folder / name) for name in INSTITUTIONS]
        ),
        "AIRFLOW__API_AUTH__JWT_SECRET": "s" * 64,
        "PALIMPSEST_WORK_DIR": str(folder / "work"),
        "DO_NOT_TRACK": "1",
        **{f"AIRFLOW_CONN__{name.upper()}___DEID_KEY": f"generic://:key-of-{name}@" for name in INSTITUTIONS},
    }

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("-m", "airflow", "db", "migrate")
    run("-m", "airflow", "teams", "sync")
    for name in INSTITUTIONS:
        # One call a bundle: the bundles have modules of one name.
        run("-m", "airflow", "dags", "reserialize", "-B", name)
        run("-m", "airflow", "dags", "trigger", f"probe__{name}")
        run(
            "-m", "deid_tasks.cli", "pools", "--institutions", str(folder / name / "institutions"),
            "-o", str(folder / "pools.json"),
        )  # fmt: skip
        run("-m", "airflow", "pools", "import", str(folder / "pools.json"))
    names = [f"{name}_engine" for name in INSTITUTIONS] + ["deid_key", "riverside___deid_key"]
    said = run("-c", _ASK, json.dumps([INSTITUTIONS, names]))
    return json.loads(next(line for line in said.splitlines() if line.startswith("RESULT")).removeprefix("RESULT"))


@pytest.mark.parametrize(("own", "other"), [INSTITUTIONS, INSTITUTIONS[::-1]])
def test_a_task_gets_the_connections_of_its_own_institution_alone(answers, own, other):
    found, _ = answers
    assert found[f"probe__{own} {own}_engine"] == [200, own]
    assert found[f"probe__{own} {other}_engine"] == [404, None]


def test_a_key_of_one_name_is_another_key_in_each_team(answers):
    found, _ = answers
    assert [found[f"probe__{name} deid_key"] for name in INSTITUTIONS] == [
        [200, "key-of-riverside"],
        [200, "key-of-lakeshore"],
    ]
    assert all(found[f"probe__{name} riverside___deid_key"] == [404, None] for name in INSTITUTIONS)


def test_pools_belong_to_the_institutions_team(answers):
    _, pools = answers
    for name in INSTITUTIONS:
        assert pools[name] == pools[f"{name}_notes"] == name
