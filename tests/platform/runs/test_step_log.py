"""Every step logs one line with institution, outcome, counts and seconds, and without text."""

import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deid_tasks.core.errors import GateError
from deid_tasks.platform import runs
from deid_tasks.platform.runs.step_log import counts_of, logged_step
from deid_tasks.settings import Secrets


class _Settings:
    institution = "riverside"


@logged_step
def good(settings, secrets, notes):
    """Return a report."""
    return {"notes": notes, "share": 0.5, "is_held": True, "folder": "/srv/Okafor", "by_entity": {"DATE": 3}}


@logged_step
def bad(settings, secrets):
    """Fail."""
    raise GateError("Okafor")


def lines(caplog):
    return [record for record in caplog.records if record.name == __name__]


def test_a_step_logs_its_counts_and_no_text(caplog):
    with caplog.at_level(logging.DEBUG):
        assert good(_Settings, Secrets(), notes=7)["notes"] == 7
    (record,) = lines(caplog)
    assert record.getMessage().startswith("step=good institution=riverside outcome=succeeded seconds=0.")
    assert record.getMessage().endswith(" notes=7")
    assert (record.step, record.institution, record.outcome, record.counts) == (
        "good",
        "riverside",
        "succeeded",
        {"notes": 7},
    )


def test_a_failed_step_logs_class_and_code_location_without_the_text(caplog):
    with caplog.at_level(logging.DEBUG), pytest.raises(GateError):
        bad(_Settings, Secrets())
    (record,) = lines(caplog)
    assert record.outcome == "failed"
    assert record.error.startswith("deid_tasks.core.errors.GateError at ")
    assert "Okafor" not in record.getMessage()


SCRIPT = """
import sys
from deid_tasks.core.errors import GateError
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.settings import Secrets

class Settings:
    institution = "riverside"

@logged_step
def good(settings, secrets):
    return {"notes": 7, "share": 0.5, "text": "seen: Marigold Stillwater"}

@logged_step
def bad(settings, secrets):
    raise GateError("seen: Marigold Stillwater")

if sys.argv[1] == "task":
    # What Airflow's supervisor calls in the process of a task.
    from airflow.sdk.log import configure_logging, reset_logging
    reset_logging()
    configure_logging(json_output=True, output=sys.stdout.buffer, sending_to_supervisor=True)
else:
    from airflow.logging_config import configure_logging
    configure_logging()
good(Settings, Secrets())
try:
    bad(Settings, Secrets())
except GateError:
    pass
"""
"""Runs two steps in a process whose log Airflow has configured."""


def logged_by_airflow(folder, process, *, is_json):
    """Return the lines of two steps in Airflow's log."""
    root = Path(__file__).parents[3]
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(root),
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW__LOGGING__JSON_LOGS": str(is_json),
        "AIRFLOW__LOGGING__COLORED_CONSOLE_LOG": "False",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, process], capture_output=True, text=True, env=environment, cwd=folder, check=True
    )
    assert "Stillwater" not in done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "riverside" in line]


@pytest.mark.parametrize("process", ["task", "component"])
def test_fields_are_keys_of_a_line_that_airflow_writes_as_json(tmp_path, process):
    good_line, bad_line = map(json.loads, logged_by_airflow(tmp_path, process, is_json=True))
    assert good_line["seconds"] >= 0
    assert good_line["timestamp"]
    # Airflow adds file and line of the code.
    assert {name: good_line[name] for name in set(good_line) - {"seconds", "timestamp", "filename", "lineno"}} == {
        "level": "info",
        "event": "step ended",
        "step": "good",
        "institution": "riverside",
        "outcome": "succeeded",
        "counts": {"notes": 7},
        "logger": "__main__",
    }
    assert (bad_line["step"], bad_line["institution"], bad_line["outcome"]) == ("bad", "riverside", "failed")
    assert bad_line["error"].startswith("deid_tasks.core.errors.GateError at ")
    assert "counts" not in bad_line


def test_people_read_the_fields_in_a_text(tmp_path):
    good_line, bad_line = logged_by_airflow(tmp_path, "component", is_json=False)
    assert re.search(r" step=good institution=riverside outcome=succeeded seconds=\d\.\d{3} notes=7 ", good_line)
    assert " step=bad institution=riverside outcome=failed seconds=0." in bad_line
    assert good_line.count("riverside") == 1


@pytest.mark.parametrize(
    ("report", "counts"),
    [
        ({"notes": 3, "warnings": ["a"], "review": []}, {"notes": 3}),
        ([{"notes": 3}, {"notes": 4, "new": 1}], {"items": 2, "notes": 7, "new": 1}),
        ([], {"items": 0}),
        ([object()], {"items": 1}),
        ("a note's text", {}),
        (None, {}),
    ],
)
def test_counts_are_the_whole_numbers_of_a_report(report, counts):
    assert counts_of(report) == counts


def test_every_task_of_a_dag_logs_its_step():
    # What commands read, print and write.
    loaded = {
        "load_engine", "approved_harvest", "surrogate_keys", "export_audit_log", "exported_rows", "read_request_states",
        "write_report_files",
    }  # fmt: skip
    steps = {name: getattr(runs, name) for name in set(runs.__all__) - loaded}
    assert [name for name, step in sorted(steps.items()) if not hasattr(step, "__wrapped__")] == []
