"""A DagBag of the repository's DAG files, parsed once, without a database and without the caller's Airflow."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Airflow reads its configuration when it is first imported.
_HOME = tempfile.mkdtemp(prefix="palimpsest-airflow-")
for _name in [name for name in os.environ if name.startswith("AIRFLOW")]:
    del os.environ[_name]
os.environ |= {
    "AIRFLOW_HOME": _HOME,
    "AIRFLOW__CORE__UNIT_TEST_MODE": "True",
    "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
    "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
    "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{_HOME}/none.db",
    "AIRFLOW__COSMOS__ENABLE_TELEMETRY": "False",
    "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
    "DO_NOT_TRACK": "1",
    "PALIMPSEST_WORK_DIR": f"{_HOME}/work",
}


@pytest.fixture(scope="session", autouse=True)
def _import_path():
    folders = [str(ROOT / "dags"), str(ROOT / "plugins")]
    sys.path[:0] = folders
    yield
    for folder in folders:
        sys.path.remove(folder)


@pytest.fixture(scope="session")
def dagbag(_import_path):
    """Every DAG of the repository."""
    from airflow.dag_processing.dagbag import DagBag

    return DagBag(ROOT / "dags")


@pytest.fixture
def run_with(monkeypatch):
    """Call a task's function for one institution as if its run had been triggered with these values of the form."""
    from wiring import forms, people

    def call(task, params, institution="riverside"):
        run = types.SimpleNamespace(triggering_user_name="alice")
        for module in (forms, people):
            monkeypatch.setattr(module, "get_current_context", lambda: {"params": params, "dag_run": run})
        return task.python_callable(institution)

    return call


_PARSE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from airflow.dag_processing.dagbag import DagBag
bag = DagBag(sys.argv[1])
print("RESULT" + json.dumps([sorted(bag.dags), list(bag.import_errors.values())]))
"""


@pytest.fixture
def parse_copy(tmp_path):
    """Parse a changed copy of ``dags/`` in another process; return DAG ids and the last line of each import error."""

    def parse(change, **environment: str) -> tuple[set[str], list[str]]:
        copy = tmp_path / "dags"
        shutil.copytree(ROOT / "dags", copy, ignore=shutil.ignore_patterns("__pycache__"))
        change(copy)
        command = [sys.executable, "-c", _PARSE, str(copy)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ | environment
        )
        line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
        ids, errors = json.loads(line.removeprefix("RESULT"))
        return set(ids), [error.strip().splitlines()[-1] for error in errors]

    return parse
