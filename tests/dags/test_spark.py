"""With ``notes.engine: spark`` one task submits all shards of a run."""

from pathlib import Path

import pytest

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import InstitutionSettings, load_institution

pytest.importorskip("airflow.providers.apache.spark", reason="Airflow's provider of Spark is not installed")

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"notes": "plan_notes", "changes": "plan_changes", "restate": "plan_restatement"}


@pytest.fixture
def build(dagbag):
    """Build the DAG of one kind with shards on Spark."""
    import importlib

    document = load_institution(ROOT / "dags" / "institutions" / "riverside.yaml").model_dump(mode="json")

    def build_dag(kind, spark=None, **notes):
        changed = document | {"notes": document["notes"] | {"engine": "spark", "spark": spark or {}} | notes}
        return importlib.import_module(f"{kind}_dag").build(InstitutionSettings.model_validate(changed))

    return build_dag


@pytest.mark.parametrize("kind", KINDS)
def test_one_task_submits_all_shards_between_plan_and_gate(build, kind):
    dag = build(kind, queue="spark")
    task = dag.get_task("detect_and_obfuscate")
    assert not task.is_mapped
    assert {"pin_engine", KINDS[kind]} <= task.upstream_task_ids
    assert task.downstream_task_ids == {"reconcile_and_gate"}
    assert (task.plan_task, task.pin_task, task.kind) == (KINDS[kind], "pin_engine", kind)
    assert (task.pool, task.queue) == ("riverside_notes", "spark")


@pytest.mark.parametrize(
    ("mode", "deploy", "yarn", "kubernetes"),
    [
        ("client", "client", False, False),
        ("yarn-cluster", "cluster", True, False),
        ("kubernetes-cluster", "cluster", False, True),
    ],
)
def test_a_driver_that_the_cluster_runs_is_found_again(build, mode, deploy, yarn, kubernetes):
    task = build("notes", spark={"mode": mode, "connection": "yarn_night"}).get_task("detect_and_obfuscate")
    assert task.durable
    assert (task._deploy_mode, task._yarn_track_via_rm_api, task._track_driver_via_k8s_api) == (
        deploy,
        yarn,
        kubernetes,
    )
    assert task._conn_id == "yarn_night"
    assert Path(task.application.removeprefix("local://")).name == "run_shards.py"
    assert task.application.startswith("local://") == kubernetes


def test_what_airflow_stores_of_the_task_holds_no_secret(build):
    from airflow.serialization.serialized_objects import DagSerialization

    stored = str(DagSerialization.to_dict(build("notes")))
    assert "PALIMPSEST_SECRET" not in stored


def test_without_the_provider_the_task_says_what_to_install(build, monkeypatch):
    import sys

    # None in its place is how Python marks a module that cannot be imported.
    monkeypatch.setitem(sys.modules, "wiring.spark", None)
    task = build("notes").get_task("detect_and_obfuscate")
    with pytest.raises(SettingsError, match=r"pip install 'palimpsest-deid\[spark\]'"):
        task.python_callable("airflow.providers.apache")
