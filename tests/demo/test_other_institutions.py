"""The demo beside institutions that are not its own: it neither reads their files nor sets their secrets."""

import io
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from deid_tasks.demo import DEMO_INSTITUTIONS, demo_institutions
from deid_tasks.demo.environment import Places, airflow_environment
from deid_tasks.demo.flow import KINDS, Flow
from deid_tasks.demo.progress import Progress
from deid_tasks.demo.report import show_next_steps
from deid_tasks.demo.secrets_file import added_secrets
from deid_tasks.demo.seed import Size, spec_of
from deid_tasks.demo.state import INSTITUTIONS, DemoError, State, checkout


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The repository's institutions, with one more, and one whose file is broken."""
    monkeypatch.setenv("PALIMPSEST_WORK_DIR", str(tmp_path / "work"))
    copy = tmp_path / "institutions"
    shutil.copytree(checkout() / INSTITUTIONS, copy)
    riverside = (copy / "riverside.yaml").read_text()
    (copy / "cedar.yaml").write_text(riverside.replace("riverside", "cedar"))
    (copy / "broken.yaml").write_text("institution: [")
    return copy


@pytest.fixture
def places(tmp_path):
    uris = {name: f"postgresql://u:p@127.0.0.1:5555/{name}" for name in ("airflow", "ehr", "catalog")}
    return Places(tmp_path, tmp_path / "institutions", 8081, 9001, uris)


def test_only_the_demos_own_institutions_are_read_and_simulated(folder, tmp_path):
    found = demo_institutions(folder, State(tmp_path))
    assert tuple(settings.institution for settings in found) == DEMO_INSTITUTIONS
    assert all(spec_of(settings, Size.of(200)).institution in DEMO_INSTITUTIONS for settings in found)


def test_no_secret_of_another_institution_is_set(folder, tmp_path, places):
    state = State(tmp_path / "run")
    environment = airflow_environment(state, places, demo_institutions(folder, state))
    assert "AIRFLOW_CONN_RIVERSIDE_SURROGATE_KEY" in environment
    assert not [name for name in environment if "CEDAR" in name]


def test_secrets_of_the_users_file_reach_airflow_as_they_are(folder, tmp_path, places):
    state = State(tmp_path / "run")
    state.folder.mkdir()
    (state.folder / "secrets.env").write_text(
        "# cedar\n\nexport AIRFLOW_VAR_CEDAR_SURROGATE_KEY='a b=='\nAIRFLOW_CONN_CEDAR_EHR=postgresql://u:p@host/db\n"
    )
    environment = airflow_environment(state, places, demo_institutions(folder, state))
    assert environment["AIRFLOW_VAR_CEDAR_SURROGATE_KEY"] == "a b=="
    assert environment["AIRFLOW_CONN_CEDAR_EHR"] == "postgresql://u:p@host/db"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("AIRFLOW_VAR_RIVERSIDE_SURROGATE_KEY=marigold", "belongs to the demo itself"),
        ("PATH=marigold", "PATH is not a secret"),
        ("AIRFLOW__CORE__EXECUTOR=marigold", "is not a secret"),
        ("AIRFLOW_VAR_X marigold", "must read NAME=value"),
        ("AIRFLOW_VAR_X=two marigolds", "must read NAME=value"),
        ("AIRFLOW_VAR_X='marigold", "quotation mark"),
    ],
)
def test_a_bad_line_is_named_by_its_number_and_its_value_is_not_shown(tmp_path, line, reason):
    file = tmp_path / "secrets.env"
    file.write_text(f"# first\n{line}\n")
    with pytest.raises(DemoError, match=reason) as caught:
        added_secrets(file, {"AIRFLOW_VAR_RIVERSIDE_SURROGATE_KEY"})
    assert f"{file}:2" in str(caught.value)
    assert "marigold" not in str(caught.value)


def test_there_need_be_no_file(tmp_path):
    assert added_secrets(tmp_path / "secrets.env", ()) == {}


class _Airflow:
    """Has parsed the demo's DAGs, and cannot import another institution's file."""

    def dag_ids(self):
        return {f"{kind}__{name}" for kind in KINDS for name in DEMO_INSTITUTIONS} | {"notes__cedar"}

    def import_errors(self):
        return ["broken.yaml: is not YAML"]


def test_another_institutions_import_error_stops_nothing(tmp_path):
    Flow(_Airflow(), list(DEMO_INSTITUTIONS), tmp_path, Progress(Console(file=io.StringIO()))).wait_for_dags()


def test_the_demo_ends_with_addresses_and_what_to_try_next(places):
    said = io.StringIO()
    login = f"{places.airflow}  user admin  password 0123456789abcdef"
    show_next_steps(Console(file=said, width=80), places, login, Path(".run/secrets.env"))
    lines = said.getvalue().splitlines()
    assert any(line.startswith("Airflow") and places.airflow in line for line in lines)
    assert any("/palimpsest/" in line for line in lines)
    assert any("deid layout new" in line for line in lines)
