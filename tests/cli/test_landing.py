"""``deid land`` on a folder of deliveries."""

import json

import pytest
import yaml
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.platform import runs
from tests.support.deliveries import PATIENTS, deliver, landing_settings


@pytest.fixture
def invoke(institution, platform_secrets, tmp_path, monkeypatch, database):
    runs.upgrade_tables(institution, platform_secrets)
    landing = landing_settings(tmp_path / "deliveries", PATIENTS)
    settings = institution.model_copy(update={"landing": landing}).model_dump(mode="json")
    (tmp_path / "riverside.yaml").write_text(yaml.safe_dump(settings))
    monkeypatch.setenv("PALIMPSEST_SECRET_RIVERSIDE_EHR", database)
    (tmp_path / "deliveries").mkdir()

    def run(*arguments):
        command = ["land", "--institution", "riverside", "--institutions", str(tmp_path), *arguments]
        return CliRunner().invoke(app, command, catch_exceptions=False)

    return run


def test_a_dry_run_shows_what_a_run_then_does(invoke, tmp_path):
    content = b"pat_id,pat_name,birth_date,visits\nP1,Ann,,1\n"
    deliver(tmp_path / "deliveries", "2024-01-01", {"patient.csv": (content, 1)})
    (tmp_path / "deliveries" / "patient_later.csv").write_bytes(content)
    tried, done = invoke("--dry-run"), invoke()
    assert "deliveries of riverside (dry run)" in tried.stdout
    assert "1 files are named by no manifest, and wait." in done.stdout
    assert [part.stdout.split("2024-01-01")[1].split()[:6] for part in (tried, done)] == [
        ["patient", "1", "1", "0", "1", "0"]
    ] * 2
    assert "There is no new delivery." in invoke().stdout
    assert json.loads(invoke("--json", "-").stdout)["deliveries"] == 0
