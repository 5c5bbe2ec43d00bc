"""A failed dbt node is named with its schema, its rows and the command that shows them, and never with a value."""

import types

import pytest

from deid_tasks.core.errors import InputError, WarehouseError


def outcome(status, name, *, resource_type="test", model="", failures=0):
    node = types.SimpleNamespace(
        name=name, resource_type=resource_type, attached_node=model and f"model.palimpsest.{model}"
    )
    return types.SimpleNamespace(status=status, node=node, failures=failures, execution_time=0.5)


def result(*outcomes, exception=None):
    return types.SimpleNamespace(
        result=types.SimpleNamespace(results=list(outcomes)),
        success=not exception and not outcomes,
        exception=exception,
    )


@pytest.fixture
def layer(dagbag):
    return dagbag.dags["dictionaries__riverside"].get_task("dbt.staging")


def test_a_failed_test_names_test_model_rows_schema_and_command(layer):
    failed = outcome("fail", "unique_stg_provider_provider_id", model="stg_provider", failures=1)
    with pytest.raises(InputError) as caught:
        layer.handle_exception_dbt_runner(result(outcome("success", "stg_provider", resource_type="model"), failed))
    assert str(caught.value) == (
        "dbt: in schema riverside_staging: test unique_stg_provider_provider_id of stg_provider failed for 1 row;"
        " to see the rows or the error, run in a shell that may read the warehouse: deid dbt show"
        " --select unique_stg_provider_provider_id --institution riverside"
    )


def test_a_model_that_cannot_be_built_is_retried(layer):
    with pytest.raises(
        WarehouseError, match=r"model stg_note ended with status error.*deid dbt build --select stg_note"
    ):
        layer.handle_exception_dbt_runner(result(outcome("error", "stg_note", resource_type="model")))


def test_many_failures_are_counted(layer):
    failed = [outcome("fail", f"test_{number}", failures=2) for number in range(13)]
    with pytest.raises(InputError, match="and 3 more"):
        layer.handle_exception_dbt_runner(result(*failed))


def test_the_text_of_dbt_s_own_failure_is_withheld(layer):
    with pytest.raises(WarehouseError) as caught:
        layer.handle_exception_dbt_runner(
            types.SimpleNamespace(result=None, success=False, exception=ValueError("Okafor"))
        )
    assert "Okafor" not in str(caught.value)
    assert "ValueError" in str(caught.value)


def test_a_layer_logs_one_line(layer, caplog):
    outcomes = [outcome("pass", f"test_{number}") for number in range(60)]
    report = types.SimpleNamespace(results=outcomes)
    with caplog.at_level("INFO"):
        layer.handle_exception_dbt_runner(types.SimpleNamespace(result=report, success=True, exception=None))
    assert [record.getMessage() for record in caplog.records if "dbt built" in record.getMessage()] == [
        "dbt built 60 models and tests in 30.0 s: 60 pass"
    ]
    assert len(caplog.records) == 1


def test_warnings_name_test_and_rows(layer, caplog):
    warned = outcome("warn", "not_blank_stg_note_patient_id", model="stg_note", failures=2)
    report = types.SimpleNamespace(results=[warned])
    with caplog.at_level("WARNING"):
        layer.handle_exception_dbt_runner(types.SimpleNamespace(result=report, success=True, exception=None))
    assert "test not_blank_stg_note_patient_id of stg_note failed for 2 rows" in caplog.text


@pytest.fixture
def freshness(dagbag):
    from airflow.sdk import DAG

    from wiring.dbt import freshness_task
    from wiring.institutions import usable_institutions

    settings = next(one for one in usable_institutions() if one.institution == "riverside")
    limited = settings.model_copy(
        update={"warehouse": settings.warehouse.model_copy(update={"max_source_age_hours": 30})}
    )
    with DAG("freshness"):
        assert freshness_task(settings) is None
        return freshness_task(limited)


def _measured(status, name="note"):
    return types.SimpleNamespace(status=status, node=types.SimpleNamespace(name=name), age=7200.0)


def test_a_stale_table_is_named_with_its_limit(freshness):
    assert freshness.vars["freshness_error_hours"] == 30
    with pytest.raises(WarehouseError, match="table note: last loaded more than 30 hours ago"):
        freshness.handle_exception_dbt_runner(result(_measured("pass", "person"), _measured("error")))
    with pytest.raises(
        WarehouseError, match=r"could not measure note.*deid dbt source freshness --institution riverside"
    ):
        freshness.handle_exception_dbt_runner(result(_measured("runtime error")))


def test_a_fresh_table_passes(freshness):
    report = types.SimpleNamespace(results=[_measured("pass")])
    freshness.handle_exception_dbt_runner(types.SimpleNamespace(result=report, success=True, exception=None))
