"""``deid audit …`` as two users of the operating system call it."""

import json
import os
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.cli.identity import operating_system_identity
from deid_tasks.core.errors import ApprovalError
from deid_tasks.core.identity import PLATFORM
from deid_tasks.platform.audit_log import AuditEvent, audited
from deid_tasks.settings import Secrets

LOG = "riverside_results.audit_log"
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only for root does sudo say who called it")


@pytest.fixture
def deid(desk, tmp_path, monkeypatch):
    """Call a command as the user with this id."""
    (tmp_path / "riverside.yaml").write_text(yaml.safe_dump(desk.settings.model_dump(mode="json")))
    for name, value in desk.held.items():
        monkeypatch.setenv(f"PALIMPSEST_SECRET_{name.upper()}", value)

    def call(*arguments, uid=4_001):
        monkeypatch.setenv("SUDO_UID", str(uid))
        where = ["--institution", "riverside", "--institutions", str(tmp_path)]
        return CliRunner().invoke(app, [*arguments, *where])

    return call


def test_verify_says_that_nothing_was_changed_or_names_the_row(desk, deid):
    desk.append(2)
    done = deid("audit", "verify")
    assert (done.exit_code, done.stdout) == (
        0, "audit log of riverside: unchanged; 3 rows, 3 signed, 3 heads\n",
    )  # fmt: skip
    desk.tamper(f"update {LOG} set actor = 'mallory' where seq = 2")
    done = deid("audit", "verify")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "row 2: row changed: its content does not have its hash",
        "audit log of riverside: 1 findings; 3 rows, 3 signed, 3 heads",
    ]


def test_export_gives_each_row_as_a_line_for_a_siem(desk, deid):
    desk.append(2)
    lines = [json.loads(line) for line in deid("audit", "export").stdout.splitlines()]
    assert [line["seq"] for line in lines] == [1, 2, 3]
    assert lines[1]["details"] == {"sentences": 0}
    assert lines[1].keys() == {
        "institution", "seq", "occurred_at", "event", "role", "actor", "actor_source", "actor_origin", "database_user",
        "subject", "details", "previous_hash", "row_hash", "key_id", "signature",
    }  # fmt: skip
    assert len(deid("audit", "export", "--since", "3").stdout.splitlines()) == 1
    assert len(deid("audit", "export", "--since", "2020-01-01").stdout.splitlines()) == 3
    assert deid("audit", "export", "--since", "2999-01-01").stdout == ""
    assert "neither the number of a row nor a date" in str(deid("audit", "export", "--since", "soon").exception)


def test_rows_without_a_signature_are_accepted_by_number(desk, deid):
    desk.append(1)
    with audited(desk.settings, Secrets({"riverside_ehr": desk.uri}.get), desk.uri) as audit:
        audit.append(AuditEvent("log_opened", "performed", PLATFORM, "riverside", {"tables": []}))
    assert deid("audit", "verify").stdout.startswith("row 3: not signed: earlier rows are signed; ")
    assert "neither the number of a row nor a range" in str(deid("audit", "accept-unsigned", "last").exception)
    assert "row 2 of the audit log is not one" in str(deid("audit", "accept-unsigned", "2-3").exception)
    done = deid("audit", "accept-unsigned", "3")
    assert done.exit_code == 0
    assert "log_opened" in done.stdout
    verified = deid("audit", "verify")
    assert verified.exit_code == 0
    assert "note: 1 of them were accepted by " in verified.stdout


def test_show_prints_the_newest_rows(desk, deid):
    desk.append(2)
    assert "harvest 1" in deid("audit", "show", "--rows", "1").stdout
    assert "log_opened" not in deid("audit", "show", "--rows", "1").stdout


@needs_root
def test_two_users_make_and_approve_a_request(desk, deid):
    made = deid("retract", "--note", "n1", "--reason", "legal_hold", "--request", uid=4_001)
    request = made.stdout.strip()
    shown = deid("audit", "requests", request, uid=4_002).stdout
    assert "legal_hold" in shown
    assert "note n1" in shown
    own = deid("audit", "approve", request, uid=4_001)
    assert isinstance(own.exception, ApprovalError)
    assert deid("audit", "approve", request, uid=4_002).stdout == f"retraction {request}: approved by uid-4002\n"
    assert deid("retract", "--approved", request, uid=4_001).exit_code == 0
    again = deid("retract", "--approved", request, uid=4_001)
    assert isinstance(again.exception, ApprovalError)
    assert deid("audit", "verify").exit_code == 0


@needs_root
def test_who_is_asked_of_the_system_and_not_of_the_environment():
    assert operating_system_identity({"USER": "mallory", "LOGNAME": "mallory"}).name == "root"
    person = operating_system_identity({"SUDO_UID": "4001", "SUDO_USER": "mallory"})
    assert (person.name, person.source) == ("uid-4001", "operating_system")
    assert "through sudo" in person.origin


@pytest.mark.parametrize(
    "act",
    [
        ("audit", "approve", "5f0c9a1b22de"),
        ("audit", "reject", "5f0c9a1b22de"),
        ("audit", "restored"),
        ("retract", "--note", "n1", "--reason", "legal_hold", "--request"),
        ("retract", "--approved", "5f0c9a1b22de"),
        ("retract", "--end", "--note", "n1", "--reason", "wrong note"),
        ("reidentify", "n1", "--reason", "ticket 17"),
        ("harvest", "run"),
        ("harvest", "approve"),
    ],
    ids=lambda act: " ".join(act[:2]),
)
def test_nobody_acts_for_two_where_everybody_has_one_user(act, tmp_path, monkeypatch):
    folder = Path(__file__).parents[2] / "dags" / "institutions"
    marker = tmp_path / "image"
    marker.touch()
    monkeypatch.setattr("deid_tasks.cli.identity.IMAGE_MARKER", marker)
    monkeypatch.setenv("PALIMPSEST_WORK_DIR", str(tmp_path / "work"))
    done = CliRunner().invoke(app, [*act, "--institution", "riverside", "--institutions", str(folder)])
    assert isinstance(done.exception, ApprovalError)
    assert "nobody can be told apart" in str(done.exception)


def test_one_person_may_exclude_a_note_in_a_container(desk, deid, tmp_path, monkeypatch):
    marker = tmp_path / "image"
    marker.touch()
    monkeypatch.setattr("deid_tasks.cli.identity.IMAGE_MARKER", marker)
    assert deid("retract", "--note", "n1", "--reason", "legal_hold").exit_code == 0


def test_keys_are_written_for_their_owner_alone(tmp_path):
    done = CliRunner().invoke(app, ["audit", "keys", str(tmp_path / "keys")])
    assert done.exit_code == 0
    written = sorted((tmp_path / "keys").iterdir())
    assert [path.name for path in written] == ["audit_signing_key.pem", "audit_verification_key.pem"]
    assert {path.stat().st_mode & 0o077 for path in written} == {0}
