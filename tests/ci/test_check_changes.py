"""Which tests `make check` runs for which change."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "check_changes.py"


@pytest.fixture(scope="module")
def check():
    spec = importlib.util.spec_from_file_location("check_changes", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("deid_tasks/engine/merge/merge.py", "tests/engine/merge/test_merge.py"),
        ("deid_tasks/engine/merge/anew.py", "tests/engine/merge"),
        ("deid_tasks/engine/anew/deeper/anew.py", "tests/engine"),
        ("deid_tasks/cli/output.py", "tests/cli/test_output.py"),
        ("tests/cli/test_output.py", "tests/cli/test_output.py"),
        ("tests/dbt/conftest.py", "tests/dbt"),
        ("tests/support/small_hospital.py", "tests/hospital/layouts/test_load.py"),
        ("dags/notes_dag.py", "tests/dags"),
        ("dbt/models/staging/stg_note.sql", "tests/dbt"),
    ],
)
def test_a_change_runs_the_tests_that_mirror_it(check, changed, expected):
    assert expected in check.tests_of([changed])


@pytest.mark.parametrize("changed", ["README.md", "docs/index.md", "Makefile"])
def test_a_change_of_prose_runs_no_test(check, changed):
    assert check.tests_of([changed]) == []


def test_a_file_in_a_folder_that_runs_is_not_named_again(check):
    chosen = check.tests_of(["deid_tasks/engine/merge/anew.py", "tests/engine/merge/test_merge.py"])
    assert "tests/engine/merge" in chosen
    assert "tests/engine/merge/test_merge.py" not in chosen
