"""``deid tables upgrade`` on a database of its own."""

import yaml
from typer.testing import CliRunner

from deid_tasks.cli.app import app


def test_upgrade_says_what_it_did_and_may_run_again(database, institution, tmp_path, monkeypatch):
    document = yaml.safe_dump(institution.model_dump(mode="json"))
    (tmp_path / "riverside.yaml").write_text(document)
    monkeypatch.setenv("PALIMPSEST_SECRET_RIVERSIDE_EHR", database)
    arguments = ["tables", "upgrade", "--institution", "riverside", "--institutions", str(tmp_path)]
    first, second = (CliRunner().invoke(app, arguments, catch_exceptions=False) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.stdout.splitlines() == [
        "riverside_gold: no version -> gold_0003",
        "riverside_results: no version -> results_0021",
    ]
    assert second.stdout.splitlines() == [
        "riverside_gold: gold_0003, nothing to do",
        "riverside_results: results_0021, nothing to do",
    ]


def test_without_the_audit_key_an_upgrade_leaves_the_log_and_says_so(desk, tmp_path, monkeypatch):
    (tmp_path / "riverside.yaml").write_text(yaml.safe_dump(desk.settings.model_dump(mode="json")))
    monkeypatch.setenv("PALIMPSEST_SECRET_RIVERSIDE_EHR", desk.uri)
    arguments = ["tables", "upgrade", "--institution", "riverside", "--institutions", str(tmp_path)]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert "the audit log has not taken over approval, certificate, " in done.stderr
    assert "the task open_audit_log of dictionaries__riverside does it" in done.stderr
    assert desk.ask("select count(*) from riverside_results.audit_log") == [(0,)]


def test_an_upgrade_opens_the_audit_log_once(desk, tmp_path, monkeypatch):
    (tmp_path / "riverside.yaml").write_text(yaml.safe_dump(desk.settings.model_dump(mode="json")))
    for name, value in desk.held.items():
        monkeypatch.setenv(f"PALIMPSEST_SECRET_{name.upper()}", value)
    arguments = ["tables", "upgrade", "--institution", "riverside", "--institutions", str(tmp_path)]
    for _ in range(2):
        assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0
        assert desk.ask("select seq, event from riverside_results.audit_log") == [(1, "log_opened")]
