"""``deid certificate``: keys for their owner alone, and a file that anyone with the public key can check."""

import json
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.core.errors import GateError, InputError
from deid_tasks.evidence.gate import issue_certificate
from deid_tasks.settings import GateSettings

RUNNER = CliRunner()
SCORE = {"value": 0.99, "lower": 0.98, "upper": 1.0}


def run(*arguments: object) -> str:
    result = RUNNER.invoke(app, ["certificate", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def keys(tmp_path) -> Path:
    run("keys", tmp_path / "keys")
    return tmp_path / "keys"


@pytest.fixture
def file(keys, tmp_path) -> Path:
    one = {
        "design": "random",
        "gold_version": "g1",
        "notes": 200,
        "recall_lower_bound": 0.985,
        "figures": {"recall": SCORE, "precision": SCORE},
    }
    signing = (keys / "signing_key.pem").read_text()
    gate = GateSettings(designs=("random",))
    certificate = issue_certificate("riverside", "f", "e", [one], {}, gate, (), (), signing)
    target = tmp_path / "certificate.json"
    target.write_text(certificate.file())
    return target


def test_keys_are_for_their_owner_alone_and_never_overwritten(keys):
    for path in keys.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {path.name for path in keys.iterdir()} == {"signing_key.pem", "verification_key.pem"}
    with pytest.raises(InputError, match="exists already"):
        run("keys", keys)


def test_a_file_is_shown_as_it_is_and_verified_with_the_public_key(keys, file):
    assert run("show", file) == file.read_text()
    said = run("verify", file, "--key", keys / "verification_key.pem")
    assert said.startswith("valid: certificate ")
    assert "unbiased" in said
    assert "lower bound 0.9850" in said


def test_a_changed_file_another_key_and_another_fingerprint_are_refused(keys, file, tmp_path):
    key = keys / "verification_key.pem"
    run("keys", tmp_path / "other")
    with pytest.raises(GateError, match="signed with another key"):
        run("verify", file, "--key", tmp_path / "other" / "verification_key.pem")
    with pytest.raises(GateError, match="it belongs to fingerprint f"):
        run("verify", file, "--key", key, "--fingerprint", "g")
    held = json.loads(file.read_text())
    held["certificate"]["evaluated"][0]["recall_lower_bound"] = 0.999
    file.write_text(json.dumps(held))
    with pytest.raises(GateError, match="signature is not valid"):
        run("verify", file, "--key", key)


def test_what_is_lacking_is_named(file):
    with pytest.raises(InputError, match="name a certificate file or an institution"):
        run("show")
    with pytest.raises(InputError, match="the public key is missing"):
        run("verify", file)
    file.write_text("{}")
    with pytest.raises(GateError, match=r"certificate\.json: it is not a certificate file"):
        run("show", file)
