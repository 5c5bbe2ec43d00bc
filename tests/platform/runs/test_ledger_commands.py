"""``deid ledger`` and ``deid retract``, as people run them."""

import csv
import json
import os
import pwd
import subprocess
import sys

import pytest
import yaml

from deid_tasks.platform import runs
from deid_tasks.platform.publish.catalog import open_catalog
from tests.support.published_days import (
    DAY,
    START,
    delete_exclusions,
    follow_changes,
    published,
    release,
    with_settings,
)

_SECRETS = (
    "riverside_ehr", "catalog", "object_store", "riverside_key", "certificate_signing_key",
    "certificate_verification_key",
)  # fmt: skip
_TABLES = ("note_ledger", "published_slice", "run_note", "run_day", "retraction", "ledger_count")


def _forget_everything(settings, site):
    catalog = open_catalog(settings, site.secrets)
    if catalog.table_exists(settings.publish.table):
        catalog.drop_table(settings.publish.table)
    for table in _TABLES:
        site.rows(f"delete from riverside_results.{table}")
    delete_exclusions(site)


@pytest.fixture(scope="module")
def settings(site):
    """Settings of a table of its own over two published days."""
    own = with_settings(
        site,
        publish={"table": "ledger_commands.notes"},
        gate={"volume": site.settings.gate.volume.model_copy(update={"enabled": False})},
    )
    _forget_everything(own, site)
    runs.evaluate_and_certify(own, site.secrets)
    release(own, site, "commands", START, START + 2 * DAY)
    yield own
    _forget_everything(own, site)


@pytest.fixture
def deid(site, settings, tmp_path):
    (tmp_path / "riverside.yaml").write_text(yaml.safe_dump(settings.model_dump(mode="json")))
    held = {f"PALIMPSEST_SECRET_{name.upper()}": site.secrets.text(name) for name in _SECRETS}
    user = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "USER": "officer", "LOGNAME": "officer"}

    def run(*arguments):
        command = [sys.executable, "-m", "deid_tasks.cli", *arguments]
        where = ["--institution", "riverside", "--institutions", str(tmp_path)]
        path = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
        return subprocess.run([*command, *where], capture_output=True, text=True, check=False, env=user | held | path)

    return run


def _notes(site, count):
    """Return ids of published notes, each of another patient."""
    found = site.rows(
        "select min(note_id) from riverside_results.note_ledger where outcome = 'published' group by patient_id"
        f" order by 1 limit {count}"
    )
    return [note_id for (note_id,) in found]


def test_the_ledger_is_printed_as_it_was_reconciled(site, settings, deid, tmp_path):
    report = runs.reconcile_ledger(settings, site.secrets)
    assert report["days"] == 2
    done = deid("ledger", "--json", str(tmp_path / "ledger.json"), "--csv", str(tmp_path / "ledger.csv"))
    assert done.returncode == 0, done.stderr
    assert "notes of riverside" in done.stdout
    rows = json.loads((tmp_path / "ledger.json").read_text())
    assert sum(row["published"] for row in rows) == sum(row["in_table"] for row in rows) == report["in_table"]
    assert {row["note_day"] for row in rows} == {"2024-01-01", "2024-01-02"}
    with (tmp_path / "ledger.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(rows)


def test_a_row_beside_the_ledger_is_shown_and_fails_the_command(site, settings, deid, tmp_path):
    [note] = _notes(site, 1)
    quiet = deid("ledger", "--differences", "--json", str(tmp_path / "none.json"))
    assert (quiet.returncode, json.loads((tmp_path / "none.json").read_text())) == (0, [])
    site.rows(f"update riverside_results.note_ledger set outcome = 'quarantined' where note_id = '{note}'")
    try:
        with pytest.raises(Exception, match="rows_beside_the_ledger"):
            runs.reconcile_ledger(settings, site.secrets)
        done = deid("ledger", "--differences", "--json", str(tmp_path / "one.json"))
    finally:
        site.rows(f"update riverside_results.note_ledger set outcome = 'published' where note_id = '{note}'")
    assert done.returncode == 1
    [row] = json.loads((tmp_path / "one.json").read_text())
    assert row["in_table"] == row["published"] + 1


def test_a_retracted_note_leaves_with_the_next_run_of_changes(site, settings, deid):
    [note] = _notes(site, 1)
    rows = published(settings, site).num_rows
    done = deid("retract", "--note", note, "--reason", "legal_hold")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "1 notes of the ledger are excluded from now on\nchanges__riverside removes them in its next run\n"
    )
    [(requested_by, reason)] = site.rows(
        f"select requested_by, reason from riverside_results.exclusion where note_id = '{note}'"
    )
    # The operating system says who it is, and no variable of the user's.
    assert (requested_by, reason) == (pwd.getpwuid(os.getuid()).pw_name, "legal_hold")
    assert published(settings, site).num_rows == rows
    plan, _ = follow_changes(settings, site, "retracted")
    assert plan["causes"] == {"excluded": 1}
    assert published(settings, site).num_rows == rows - 1


def test_a_note_that_was_retracted_by_mistake_comes_back(site, settings, deid):
    [(note,)] = site.rows("select note_id from riverside_results.exclusion where note_id is not null limit 1")
    rows = published(settings, site).num_rows
    done = deid("retract", "--end", "--note", note, "--reason", "wrong note")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "1 notes of the ledger are excluded no longer by these requests\n"
        "changes__riverside publishes them in its next run, unless another exclusion holds\n"
    )
    plan, _ = follow_changes(settings, site, "readmitted")
    assert plan["causes"] == {"readmitted": 1}
    assert published(settings, site).num_rows == rows + 1
    again = deid("retract", "--end", "--note", note, "--reason", "wrong note")
    assert again.returncode == 2
    assert "1 of the notes are not excluded by request" in again.stderr
    assert note not in again.stderr
    assert deid("retract", "--end", "--now", "--note", note, "--reason", "x").returncode == 2
    findings = map(str, runs.verify_audit_log(settings, site.secrets).findings)
    assert [finding for finding in findings if "record" in finding] == []


def test_a_patient_is_retracted_at_once(site, settings, deid):
    [note] = _notes(site, 1)
    [(patient, count)] = site.rows(
        "select patient_id, count(*) from riverside_results.note_ledger"
        " where outcome in ('published', 'unchanged') and patient_id ="
        f" (select patient_id from riverside_results.note_ledger where note_id = '{note}') group by 1"
    )
    rows = published(settings, site).num_rows
    done = deid("retract", "--patient", patient, "--reason", "consent_withdrawn", "--now")
    assert done.returncode == 0, done.stderr
    assert f"{count} rows removed, " in done.stdout
    assert published(settings, site).num_rows == rows - count


def test_a_request_without_a_patient_or_a_note_is_refused(deid):
    done = deid("retract", "--reason", "opted_out")
    assert (done.returncode, done.stdout) == (2, "")
    assert "name at least one patient (--patient) or note (--note)" in done.stderr
