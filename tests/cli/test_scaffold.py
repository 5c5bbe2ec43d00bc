"""``deid layout new`` and ``deid institution new`` write files that dbt and the settings accept as they are."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.core.errors import InputError
from deid_tasks.settings import load_institution

ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def project(tmp_path):
    ignored = shutil.ignore_patterns("target", "logs", "seeds")
    shutil.copytree(ROOT / "dbt", tmp_path / "dbt", ignore=ignored)
    shutil.copytree(ROOT / "dbt" / "seeds", tmp_path / "dbt" / "seeds", symlinks=False)
    return tmp_path / "dbt"


def test_a_layout_has_every_model_of_the_contract_with_its_columns(project):
    run("layout", "new", "cedar", "--project", project)
    contract = yaml.safe_load((project / "models/staging/models.yml").read_text())["models"]
    folder = project / "models/staging/cedar"
    # An empty model of note states would say that every note was deleted.
    contract = [model for model in contract if model["name"] != "stg_note_state"]
    expected = {model["name"].replace("stg_", "stg_cedar__", 1) for model in contract}
    assert {path.stem for path in folder.glob("*.sql")} == expected
    written = {model["name"]: model for model in yaml.safe_load((folder / "models.yml").read_text())["models"]}
    for model in contract:
        columns = written[model["name"].replace("stg_", "stg_cedar__", 1)]["columns"]
        assert [column["name"] for column in columns] == [column["name"] for column in model["columns"]]
    with pytest.raises(InputError, match="exists already"):
        run("layout", "new", "cedar", "--project", project)


def test_note_states_are_written_if_asked_for_and_are_those_of_the_notes(project):
    run("layout", "new", "cedar", "--project", project, "--note-state")
    folder = project / "models/staging/cedar"
    model = (folder / "stg_cedar__note_state.sql").read_text()
    assert model.endswith("    is_deleted\nfrom {{ ref('stg_cedar__note') }}\n")
    assert "where false" not in model
    assert "stg_cedar__note_state" in (folder / "models.yml").read_text()


def test_dbt_parses_the_new_layout_and_chooses_its_models(project):
    run("layout", "new", "cedar", "--project", project)
    places = ["--project-dir", project, "--profiles-dir", project, "--target-path", project.parent / "target"]
    variables = ["--vars", "{institution: cedar, layout: cedar}", "--log-path", project.parent / "logs"]
    connection = {f"PALIMPSEST_DBT_{name}": "1" for name in ("HOST", "PORT", "USER", "PASSWORD", "DBNAME")}
    command = [sys.executable, "-m", "dbt.cli.main", "ls", "--select", "staging", "--resource-type", "model"]
    done = subprocess.run(
        [*command, *map(str, places), *map(str, variables)],
        env=os.environ | connection,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "stg_cedar__note" in done.stdout
    assert "stg_omop__note" not in done.stdout


@pytest.mark.parametrize("name", ["Cedar", "../cedar", "cedar;drop", ""])
def test_a_name_that_is_not_one_is_refused(project, name):
    with pytest.raises(InputError, match="is not a name"):
        run("layout", "new", name, "--project", project)


def test_an_institution_has_every_required_key_with_a_comment(tmp_path, monkeypatch):
    monkeypatch.setenv("PALIMPSEST_WORK_DIR", "/srv")
    run("institution", "new", "cedar", "--layout", "clarity", "--institutions", tmp_path)
    settings = load_institution(tmp_path / "cedar.yaml")
    assert (settings.institution, settings.warehouse.layout) == ("cedar", "clarity")
    assert str(settings.work_dir) == "/srv/cedar"
    assert (tmp_path / "cedar.yaml").read_text().count("#") > 8
    with pytest.raises(InputError, match="exists already"):
        run("institution", "new", "cedar", "--institutions", tmp_path)
