"""The Airflow task that submits to Spark, with a real ``spark-submit``; Airflow's scheduler has no part in it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deid_tasks.platform import runs
from tests.support.published_days import START, plan_day, with_settings

pytest.importorskip("airflow.providers.apache.spark", reason="Airflow's provider of Spark is not installed")

ROOT = Path(__file__).resolve().parents[2]
EXECUTE = """
import json, sys
from types import SimpleNamespace
from wiring.institutions import settings_of
from wiring.spark import SparkShards

results = json.loads(sys.argv[1])
task = SparkShards(
    task_id="detect_and_obfuscate", settings=settings_of("riverside"), kind="notes", plan_task="plan", pin_task="pin"
)
ti = SimpleNamespace(xcom_pull=lambda task_ids: results[task_ids])
print("RESULT" + json.dumps(task.execute({"ti": ti, "run_id": "by_airflow"})))
"""


@pytest.fixture
def execute(site, executor_environment, tmp_path):
    """Call the task's ``execute`` in a process with Airflow's connections; return its reports and what it printed."""

    def call(settings, plan, pin):
        (tmp_path / "riverside.yaml").write_text(settings.model_dump_json())
        connections = {
            "SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[2]"}),
            "RIVERSIDE_EHR": site.uri,
            "RIVERSIDE_KEY": json.dumps({"conn_type": "generic", "password": site.secrets.text("riverside_key")}),
        }
        environment = {key: value for key, value in executor_environment.items() if "SECRET" not in key}
        environment |= {f"AIRFLOW_CONN_{name}": value for name, value in connections.items()}
        environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment["PYTHONPATH"] += os.pathsep + str(ROOT / "dags")
        environment |= {"PALIMPSEST_INSTITUTIONS": str(tmp_path), "AIRFLOW_HOME": str(tmp_path / "airflow")}
        command = [sys.executable, "-c", EXECUTE, json.dumps({"plan": plan, "pin": pin})]
        done = subprocess.run(
            command, env=os.environ | environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        printed = done.stdout + done.stderr
        line = next((line for line in done.stdout.splitlines() if line.startswith("RESULT")), None)
        return line and json.loads(line.removeprefix("RESULT")), printed

    return call


def test_the_task_returns_the_reports_and_shows_no_secret(site, pin, execute):
    settings = with_settings(site, notes={"shard_notes": 40})
    plan = plan_day(settings, site, "by_airflow", START)
    reports, printed = execute(settings, plan, pin)
    assert reports, printed[-5_000:]
    released = runs.reconcile_run(settings, site.secrets, "by_airflow", pin, "notes", reports)
    assert released["notes_read"] == sum(report["notes"] for report in reports) > 0
    assert site.uri not in printed
    assert site.secrets.text("riverside_key") not in printed


def test_a_run_without_shards_is_skipped(site, pin, execute):
    reports, printed = execute(site.settings, [], pin)
    assert reports is None
    assert "AirflowSkipException: no note is to be processed" in printed
