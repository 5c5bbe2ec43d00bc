"""``deid pools`` writes what `airflow pools import` reads."""

import json

import yaml
from typer.testing import CliRunner

from deid_tasks.cli.app import app


def test_pools_of_valid_institutions_are_written_and_an_invalid_file_is_named(institution, tmp_path):
    (tmp_path / "riverside.yaml").write_text(yaml.safe_dump(institution.model_dump(mode="json")))
    arguments = ["pools", "--institutions", str(tmp_path)]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert (done.exit_code, set(json.loads(done.stdout))) == (0, {"riverside", "riverside_notes"})
    (tmp_path / "lakeshore.yaml").write_text("title: Lakeshore\n")
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert (done.exit_code, set(json.loads(done.stdout))) == (1, {"riverside", "riverside_notes"})
    assert "lakeshore.yaml: " in done.stderr
