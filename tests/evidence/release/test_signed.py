"""The signed report: what is proven, and what every change of it shows."""

import datetime
import json

import pytest

from deid_tasks.core.errors import GateError, SettingsError
from deid_tasks.core.pem import key_fingerprint
from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.evidence.release import Attestation, SignedReport, attest, issue_report, verify_report

PRIVATE, PUBLIC = new_key_pair()
EXPERT, EXPERT_PUBLIC = new_key_pair()
MOMENT = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)


@pytest.fixture
def report() -> SignedReport:
    return issue_report({"institution": "riverside", "release": {"notes": 10}}, PRIVATE)


@pytest.fixture
def attested(report) -> SignedReport:
    return attest(report, name="A", qualification="B", opinion="C", key=EXPERT, signed_at=MOMENT)


def test_a_file_is_read_as_it_was_written(attested):
    read = SignedReport.of_file(attested.file())
    assert read == attested
    verify_report(read, PUBLIC)
    assert key_fingerprint(EXPERT_PUBLIC) == key_fingerprint(str(read.attestations[0].content["public_key"]))


def test_an_attestation_changes_nothing_that_the_platform_signed(report, attested):
    assert (attested.signature, attested.sha256) == (report.signature, report.sha256)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda held: held["report"].update(institution="x"), "the report: its signature"),
        (lambda held: held.update(signature="AAAA"), "the report: its signature"),
        (
            lambda held: held["attestations"][0]["attestation"].update(opinion="other"),
            "attestation of A: its signature",
        ),
        (lambda held: held["attestations"][0]["attestation"].update(report_sha256="0"), "is of another report"),
    ],
)
def test_every_change_is_found(attested, change, message):
    held = json.loads(attested.file())
    change(held)
    with pytest.raises(GateError, match=message):
        verify_report(SignedReport.of_file(json.dumps(held)), PUBLIC)


def test_an_attestation_cannot_be_moved_to_another_report(attested):
    other = issue_report({"institution": "lakeshore"}, PRIVATE)
    with pytest.raises(GateError, match="another report"):
        verify_report(SignedReport(other.content, other.signature, attested.attestations), PUBLIC)


def test_what_is_no_report_is_refused():
    for text in (
        "",
        "[]",
        "{}",
        '{"report": {}, "signature": ""}',
        '{"report": 1, "signature": "", "attestations": []}',
    ):
        with pytest.raises(GateError, match="not a file of a release report"):
            SignedReport.of_file(text)


def test_a_key_of_another_kind_is_refused(report):
    with pytest.raises(SettingsError):
        attest(report, name="A", qualification="B", opinion="C", key="nonsense")
    with pytest.raises(SettingsError):
        verify_report(SignedReport(report.content, report.signature, (Attestation({}, ""),)), "nonsense")
