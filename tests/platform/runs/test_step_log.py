"""Every step logs one line with institution, outcome, counts and seconds, and without text."""

import logging

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
