"""Tasks of dbt build a layout that lies in the institutions' folder, outside of the checkout."""

import pytest

from deid_tasks.core.errors import SettingsError
from tests.support.own_layout import NOTES, load_raw_tables, staged_notes, write_own_layout


@pytest.fixture
def staging(_import_path, tmp_path, monkeypatch):
    """Return the task *dbt.staging* of an institution with an own layout, in a folder of ``tmp_path``."""
    from airflow.sdk import DAG

    from wiring import dbt
    from wiring.institutions import usable_institutions

    monkeypatch.setattr(dbt, "FOLDER", tmp_path)
    riverside = next(one for one in usable_institutions() if one.institution == "riverside")

    def build(layout):
        warehouse = riverside.warehouse.model_copy(update={"layout": layout})
        with DAG(f"own_{layout}"):
            return dbt.dbt_layers(riverside.model_copy(update={"warehouse": warehouse}))["staging"]

    return build


def test_a_task_builds_an_own_layout(staging, tmp_path, postgres, monkeypatch):
    postgres.create_database("own_layout_task")
    uri = postgres.uri("own_layout_task")
    load_raw_tables(uri)
    write_own_layout(tmp_path, "chart")
    monkeypatch.setenv("AIRFLOW_CONN_RIVERSIDE_BUILD", uri)
    staging("chart").execute({"run_id": "manual__1"})
    assert staged_notes(uri, "riverside") == NOTES


def test_an_own_layout_with_the_name_of_a_shipped_one_fails_the_task(staging, tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW_CONN_RIVERSIDE_BUILD", "postgresql://nobody:x@127.0.0.1:1/none")
    (tmp_path / "layouts" / "omop").mkdir(parents=True)
    with pytest.raises(SettingsError, match=r"layouts/omop: a layout named 'omop' ships with the platform"):
        staging("omop").execute({"run_id": "manual__1"})
