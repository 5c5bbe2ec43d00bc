"""dbt as people run it, without an option that says where it writes: what it shows of patients is in no file."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from tests.dbt.conftest import PROJECT
from tests.support.small_hospital import PATIENTS

NAMES = [patient.person.last for patient in PATIENTS if len(patient.person.last) > 5]
BROKEN = """\
{{ config(materialized='table') }}
select term::date as day from {{ ref('dict_patient_name') }}
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the project, with a model that PostgreSQL refuses with a patient's name in its error."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(PROJECT, folder / "dbt", ignore=shutil.ignore_patterns("target", "logs"))
    (folder / "dbt" / "models" / "quality" / "broken.sql").write_text(BROKEN)
    return folder


@pytest.fixture
def dbt(warehouses, checkout):
    warehouse = warehouses["clarity"]
    place = urlsplit(warehouse.uri)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(checkout),
        "PALIMPSEST_DBT_HOST": place.hostname or "",
        "PALIMPSEST_DBT_PORT": str(place.port),
        "PALIMPSEST_DBT_USER": place.username or "",
        "PALIMPSEST_DBT_PASSWORD": place.password or "",
        "PALIMPSEST_DBT_DBNAME": place.path.removeprefix("/"),
    }

    def run(*arguments):
        places = ["--project-dir", "dbt", "--profiles-dir", "dbt"]
        variables = ["--vars", f"{{institution: {warehouse.institution}, layout: {warehouse.layout}}}"]
        done = subprocess.run(
            [sys.executable, "-m", "dbt.cli.main", *arguments, *places, *variables],
            env=environment, cwd=checkout, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return SimpleNamespace(returncode=done.returncode, shown=done.stdout.lower())

    return run


@pytest.mark.parametrize(
    ("verb", "model", "code"), [("show", "dict_patient_name", 0), ("build", "broken", 1)], ids=["rows", "error"]
)
def test_the_terminal_shows_a_name_and_no_file_does(dbt, checkout, verb, model, code):
    done = dbt(verb, "--select", model, *(("--limit", "1000") if verb == "show" else ()))
    assert done.returncode == code, done.shown
    assert "invalid input syntax for type date" in done.shown or any(name.lower() in done.shown for name in NAMES)
    files = {path: path.read_bytes().lower() for path in checkout.rglob("*") if path.is_file()}
    assert any("target" in path.parts for path in files)
    written = [path.name for path in files if {"target", "logs"} & set(path.parts)]
    assert not {"dbt.log", "run_results.json"} & set(written)
    content = [path.name for path in files if any(name.lower().encode() in files[path] for name in NAMES)]
    assert set(content) <= {"literature_counts.csv"} | {path.name for path in (checkout / "dbt" / "seeds").iterdir()}
