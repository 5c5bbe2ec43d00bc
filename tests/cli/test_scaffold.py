"""``deid layout new`` and ``deid institution new`` write files that dbt and the settings accept as they are."""

from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.core.errors import InputError
from deid_tasks.settings import load_institution

PROJECT = Path(__file__).parents[2] / "dbt"


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def write(tmp_path):
    """Write a layout below ``tmp_path``, in place of the institutions' folder, and return its folder."""

    def write(name: str, *options: str) -> Path:
        run("layout", "new", name, "--project", PROJECT, "--institutions", tmp_path, *options)
        return tmp_path / "layouts" / name

    return write


def test_a_layout_has_every_model_of_the_contract_with_its_columns(write):
    contract = yaml.safe_load((PROJECT / "models/staging/models.yml").read_text())["models"]
    folder = write("cedar")
    # An empty model of note states would say that every note was deleted.
    contract = [model for model in contract if model["name"] != "stg_note_state"]
    expected = {model["name"].replace("stg_", "stg_cedar__", 1) for model in contract}
    assert {path.stem for path in folder.glob("*.sql")} == expected
    written = {model["name"]: model for model in yaml.safe_load((folder / "models.yml").read_text())["models"]}
    for model in contract:
        columns = written[model["name"].replace("stg_", "stg_cedar__", 1)]["columns"]
        assert [column["name"] for column in columns] == [column["name"] for column in model["columns"]]
    with pytest.raises(InputError, match="exists already"):
        write("cedar")


def test_nothing_of_the_dbt_project_changes(write):
    files = {path: path.read_bytes() for path in PROJECT.rglob("*") if path.is_file() and "target" not in path.parts}
    write("cedar")
    assert {path: path.read_bytes() for path in files} == files
    assert not (PROJECT / "models" / "staging" / "cedar").exists()


def test_the_name_of_a_shipped_layout_is_refused(write, tmp_path):
    with pytest.raises(InputError, match="a layout named 'omop' ships with the platform"):
        write("omop")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_the_dbt_project_is_refused(tmp_path):
    with pytest.raises(InputError, match="not the platform's dbt folder"):
        run("layout", "new", "cedar", "--project", tmp_path, "--institutions", tmp_path)


def test_the_institutions_folder_of_the_environment_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("PALIMPSEST_INSTITUTIONS", str(tmp_path))
    run("institution", "new", "cedar")
    run("layout", "new", "cedar", "--project", PROJECT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cedar.yaml", "layouts", "schema.json"]


def test_note_states_are_written_if_asked_for_and_are_those_of_the_notes(write):
    folder = write("cedar", "--note-state")
    model = (folder / "stg_cedar__note_state.sql").read_text()
    assert model.endswith("    is_deleted\nfrom {{ ref('stg_cedar__note') }}\n")
    assert "where false" not in model
    assert "stg_cedar__note_state" in (folder / "models.yml").read_text()


@pytest.mark.parametrize("name", ["Cedar", "../cedar", "cedar;drop", ""])
def test_a_name_that_is_not_one_is_refused(write, name):
    with pytest.raises(InputError, match="is not a name"):
        write(name)


def test_an_institution_has_every_required_key_with_a_comment(tmp_path, monkeypatch):
    monkeypatch.setenv("PALIMPSEST_WORK_DIR", "/srv")
    run("institution", "new", "cedar", "--layout", "clarity", "--institutions", tmp_path)
    settings = load_institution(tmp_path / "cedar.yaml")
    assert (settings.institution, settings.warehouse.layout) == ("cedar", "clarity")
    assert str(settings.work_dir) == "/srv/cedar"
    assert (tmp_path / "cedar.yaml").read_text().count("#") > 8
    # Its first line names the schema beside it.
    assert (tmp_path / "schema.json").read_text() == (PROJECT.parent / "dags/institutions/schema.json").read_text()
    with pytest.raises(InputError, match="exists already"):
        run("institution", "new", "cedar", "--institutions", tmp_path)
