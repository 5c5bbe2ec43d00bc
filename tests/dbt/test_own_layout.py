"""A layout in the institutions' folder, outside of the checkout, is built by ``deid dbt``."""

import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from tests.support.own_layout import NOTES, PROJECT, load_raw_tables, staged_notes, write_own_layout


@pytest.fixture
def institutions(tmp_path):
    folder = tmp_path / "institutions"
    folder.mkdir()
    CliRunner().invoke(app, ["institution", "new", "cedar", "--layout", "chart", "--institutions", str(folder)])
    return folder


def run_dbt(institutions, uri, *arguments):
    place = urlsplit(uri)
    environment = os.environ | {
        "PALIMPSEST_WORK_DIR": "/nowhere",
        "PALIMPSEST_INSTITUTIONS": str(institutions),
        "PALIMPSEST_DBT_HOST": place.hostname or "",
        "PALIMPSEST_DBT_PORT": str(place.port),
        "PALIMPSEST_DBT_USER": place.username or "",
        "PALIMPSEST_DBT_PASSWORD": place.password or "",
        "PALIMPSEST_DBT_DBNAME": place.path.removeprefix("/"),
    }
    command = [sys.executable, "-m", "deid_tasks.cli", "dbt", *arguments]
    command += ["--institution", "cedar", "--project", str(PROJECT)]
    return subprocess.run(command, env=environment, cwd=PROJECT.parent, capture_output=True, text=True, check=False)


def test_dbt_builds_an_own_layout_and_writes_nothing_beside_it(institutions, postgres):
    postgres.create_database("own_layout")
    uri = postgres.uri("own_layout")
    load_raw_tables(uri)
    folder = write_own_layout(institutions, "chart", "--note-state")
    files = {path: path.read_bytes() for path in institutions.rglob("*") if path.is_file()}
    done = run_dbt(institutions, uri, "build", "--select", "staging", "--exclude", "resource_type:unit_test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stg_omop__note" not in done.stdout
    # Its model of note states is in use: the test that compares it with the notes ran.
    assert "same_values_stg_note_state" in done.stdout
    assert staged_notes(uri, "cedar") == NOTES
    # dbt writes compiled SQL beside models that lie outside of its project.
    assert {path: path.read_bytes() for path in institutions.rglob("*") if path.is_file()} == files
    assert not (PROJECT / "models" / "staging" / folder.name).exists()


def test_a_layout_that_is_missing_is_one_line(institutions):
    done = run_dbt(institutions, "postgresql://nobody:x@127.0.0.1:1/none", "parse")
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.startswith("deid: warehouse.layout: there is no layout 'chart'")


def test_variables_of_settings_and_command_reach_dbt(institutions):
    file = institutions / "cedar.yaml"
    file.write_text(
        file.read_text().replace("layout: chart", "layout: omop") + "dictionaries: {variables: {harvest_notes: 7}}\n"
    )
    shown = "harvest_notes {{ var('harvest_notes') }}, harvest_patients {{ var('harvest_patients') }}"
    done = run_dbt(
        institutions, "postgresql://nobody:x@127.0.0.1:1/none",
        # An option of dbt may stand before dbt's command.
        "--no-use-colors", "compile", "--no-introspect", "--no-populate-cache", "--inline", shown,
        "--vars", "{harvest_patients: 3}",
    )  # fmt: skip
    assert "harvest_notes 7, harvest_patients 3" in done.stdout, done.stdout + done.stderr
