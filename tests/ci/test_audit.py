"""The audit of packages: what is found, and that an audit that did not happen never looks like a clean one."""

import importlib.util
import json
import pathlib
import subprocess

import pytest

from tests.support.image_files import ROOT

SPEC = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")


@pytest.fixture
def audit(monkeypatch):
    """The module, over a pip-audit that answers what a test says."""
    module = importlib.util.module_from_spec(SPEC)
    SPEC.loader.exec_module(module)

    def answers(known):
        def run(command, **options):
            lines = pathlib.Path(command[-1]).read_text().split()
            rows = [dict(zip(("name", "version"), line.split("=="), strict=True)) | known(line) for line in lines]
            return subprocess.CompletedProcess(command, 0, json.dumps({"dependencies": rows}), "")

        monkeypatch.setattr(module.subprocess, "run", run)
        return module

    return answers


def test_a_known_vulnerability_fails(audit, capsys):
    module = audit(lambda line: {"vulns": [{"id": "CVE-1"}] if line.startswith("jinja2==") else []})
    assert module.main() == 1
    assert "jinja2 " in (said := capsys.readouterr().out)
    assert "CVE-1" in said
    assert "1 with known vulnerabilities, 0 that could not be looked up" in said


def test_what_could_not_be_looked_up_is_counted(audit, capsys):
    module = audit(lambda line: {"skip_reason": "unknown"} if line.startswith("jinja2==") else {"vulns": []})
    assert module.main() == 0
    assert "0 with known vulnerabilities, 1 that could not be looked up" in capsys.readouterr().out


def test_an_audit_without_a_source_says_that_nothing_was_audited(audit, capsys):
    assert audit(lambda line: {"skip_reason": "not found"}).main() == 0
    assert capsys.readouterr().out.strip().endswith("nothing was audited")
