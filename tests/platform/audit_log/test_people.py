"""What takes two people: reviews, promotions, retractions and re-identifications."""

import datetime
import json

import psycopg2
import pytest

from deid_tasks.core.errors import ApprovalError, GateError, InputError, SettingsError
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.platform import runs
from deid_tasks.platform.audit_log import AuditEvent, audited
from deid_tasks.platform.runs.certificates import store_certificate
from deid_tasks.platform.runs.requests import check_alone
from deid_tasks.platform.runs.reviews import review_reasons
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.certificates import CertificateRow
from deid_tasks.platform.warehouse.reidentification import record_reidentification
from deid_tasks.settings import Secrets
from tests.support.audit_desk import ALICE, BOB

MOMENT = datetime.datetime(2024, 5, 1, 8, tzinfo=datetime.UTC)
HELD = {
    "review": [{"kind": "drift", "reason": "entities per 1,000 words 12.3, baseline 40.1"}],
    "fingerprint": "f",
    "certificate": "c",
}
FIRST = HELD | {"review": [{"kind": "first_publication", "reason": "nothing was published"}]}
ALICE_IN_AIRFLOW = Identity("Alice", "airflow", "user id 3")


def log(desk, event: str) -> list[tuple[str, str]]:
    return desk.ask("select role, actor from riverside_results.audit_log where event = %s order by seq", event)


def held(desk, released=HELD, *, approval=False) -> list[str]:
    """Return the kinds for which a person must still see the run."""
    gate = desk.settings.gate.model_copy(update={"approval": approval})
    settings = desk.settings.model_copy(update={"gate": gate})
    drift = [one["reason"] for one in released["review"] if one["kind"] == "drift"]
    with connect(desk.uri) as connection:
        return [one["kind"] for one in review_reasons(connection, settings, desk.secrets, "r1", "f", drift, [])]


def review(desk, person, decision="approved", released=HELD, triggered_by=ALICE_IN_AIRFLOW):
    return runs.record_review(desk.settings, desk.secrets, "r1", released, decision, person, MOMENT, triggered_by)


def with_acts(desk, *acts, **values):
    approvals = desk.settings.approvals.model_copy(update={"two_people": acts, **values})
    desk.settings = desk.settings.model_copy(update={"approvals": approvals})


def certify(desk, certificate_id="c", person=PLATFORM, fingerprint="f"):
    row = CertificateRow(certificate_id, fingerprint, "g", "passed", "{}", MOMENT, "signature")
    store_certificate(desk.settings, desk.secrets, row, person)


def unchanged(desk) -> bool:
    return runs.verify_audit_log(desk.settings, desk.secrets).findings == ()


def test_who_triggered_a_run_may_not_approve_it_and_the_try_is_recorded(desk):
    with pytest.raises(
        ApprovalError, match="Alice may not approve this run, because the same person triggered the run"
    ):
        review(desk, ALICE_IN_AIRFLOW)
    assert held(desk) == ["drift"]
    review(desk, BOB)
    assert held(desk) == []
    assert log(desk, "review") == [("refused", "Alice"), ("approved", "bob")]
    assert unchanged(desk)


def test_one_login_name_is_one_person_wherever_it_comes_from(desk):
    with pytest.raises(ApprovalError):
        review(desk, ALICE)


def test_rejecting_takes_one_person_and_the_newest_decision_counts(desk):
    review(desk, BOB)
    review(desk, ALICE_IN_AIRFLOW, "rejected")
    assert held(desk) == ["drift"]


def test_a_run_that_nobody_triggered_may_be_approved_by_anybody(desk):
    review(desk, BOB, triggered_by=None)
    assert held(desk) == []


def test_the_settings_may_leave_it_to_one_person(desk):
    with_acts(desk)
    review(desk, ALICE_IN_AIRFLOW)
    assert held(desk) == []


def test_who_triggered_the_evaluation_may_not_approve_its_first_publication(desk):
    certify(desk, person=BOB)
    with pytest.raises(ApprovalError, match=r"bob may not approve .* triggered the engine's evaluation"):
        review(desk, BOB, released=FIRST)
    assert held(desk, FIRST, approval=True) == ["first_publication"]
    review(desk, Identity("carol", "airflow"), released=FIRST)
    assert held(desk, FIRST, approval=True) == []


def test_a_later_evaluation_by_the_schedule_does_not_clear_who_triggered_the_first(desk):
    certify(desk, person=BOB)
    certify(desk, "d")
    with pytest.raises(ApprovalError, match=r"bob may not approve .* triggered the engine's evaluation"):
        review(desk, BOB, released=FIRST)


def test_an_approval_that_only_the_table_has_does_not_count(desk):
    desk.append()
    desk.ask(
        "insert into riverside_results.approval (kind, run_id, fingerprint, certificate_id, reason, decision,"
        " decided_by, decided_at) values ('drift', 'r1', 'f', 'c', %s, 'approved', 'mallory', now())",
        HELD["review"][0]["reason"],
    )
    assert held(desk) == ["drift"]
    [finding] = runs.verify_audit_log(desk.settings, desk.secrets).findings
    assert str(finding) == ("log: record changed or added: 1 rows of approval are not what the log names, or unknown")


def test_an_approval_that_was_forged_in_the_log_stops_the_run(desk):
    review(desk, BOB)
    desk.tamper("update riverside_results.audit_log set role = 'rejected' where event = 'review'")
    with pytest.raises(GateError, match=r"a decision about this run, was changed .* run `deid audit verify"):
        held(desk)


def test_a_request_takes_two_people_and_is_used_once(desk):
    with_acts(desk, "retraction")
    with pytest.raises(ApprovalError, match=r"needs two people .*`deid retract --request`"):
        runs.retract(desk.settings, desk.secrets, note_ids=["n1"], reason="legal_hold", requested_by=ALICE)
    asked = runs.request_retraction(
        desk.settings, desk.secrets, note_ids=["n1"], patient_ids=["p1"], reason="legal_hold", requested_by=ALICE
    )
    assert "n1" not in repr(asked)

    def use(person=ALICE):
        return runs.retract_as_approved(desk.settings, desk.secrets, asked.request_id, person)

    with pytest.raises(ApprovalError, match=r"is waiting, not approved; let another person run `deid audit approve"):
        use()
    with pytest.raises(ApprovalError, match="was made by alice: another person must approve it"):
        runs.decide_request(desk.settings, desk.secrets, asked.request_id, "approved", ALICE)
    runs.decide_request(desk.settings, desk.secrets, asked.request_id, "approved", BOB)
    with pytest.raises(ApprovalError, match="was made by alice, who alone may carry it out"):
        use(BOB)
    assert desk.ask("select * from riverside_results.exclusion") == []
    assert use() == {"notes": 0, "patients": 1}
    assert desk.ask(
        "select patient_id, note_id, requested_by from riverside_results.exclusion order by patient_id"
    ) == [("p1", None, "alice"), (None, "n1", "alice")]
    with pytest.raises(ApprovalError, match="is used, not approved; make a new one"):
        use()
    with pytest.raises(ApprovalError, match="waits for no answer: it is used"):
        runs.decide_request(desk.settings, desk.secrets, asked.request_id, "approved", BOB)
    assert log(desk, "request") == [("prepared", "alice"), ("refused", "alice"), ("approved", "bob")]
    [state] = runs.read_request_states(desk.settings, desk.secrets)
    assert (state.state, state.request.reason) == ("used", "legal_hold")
    assert unchanged(desk)


def test_a_request_and_its_answer_need_the_audit_key_where_the_log_is_signed(desk):
    with_acts(desk, "retraction")
    desk.append()
    keyless = Secrets({name: value for name, value in desk.held.items() if name != "audit_signing_key"}.get)
    rows = "select count(*) from riverside_results.audit_log"
    before = desk.ask(rows)

    def ask(secrets):
        return runs.request_retraction(
            desk.settings, secrets, note_ids=["n1"], reason="consent_withdrawn", requested_by=ALICE
        )

    with pytest.raises(SettingsError, match="the audit log is signed, and the secret 'audit_signing_key' is not set"):
        ask(keyless)
    assert desk.ask(rows) == before
    request = ask(desk.secrets)
    with pytest.raises(SettingsError, match="so nothing was done: set it, and run this again"):
        runs.decide_request(desk.settings, keyless, request.request_id, "approved", BOB)
    # The request still waits for an answer that counts.
    runs.decide_request(desk.settings, desk.secrets, request.request_id, "approved", BOB)


def test_an_exclusion_is_ended_by_two_people_too(desk):
    runs.retract(desk.settings, desk.secrets, patient_ids=["p1"], reason="vip", requested_by=ALICE)
    with_acts(desk, "retraction")
    given = {"patient_ids": ["p1"], "reason": "another person", "requested_by": ALICE}
    with pytest.raises(ApprovalError, match="needs two people as a retraction does"):
        runs.readmit(desk.settings, desk.secrets, **given)
    asked = runs.request_retraction(desk.settings, desk.secrets, **given, act="readmission")
    runs.decide_request(desk.settings, desk.secrets, asked.request_id, "approved", BOB)
    with pytest.raises(ApprovalError, match="is for a readmission, not for a retraction"):
        runs.retract_as_approved(desk.settings, desk.secrets, asked.request_id, ALICE)
    assert runs.readmit_as_approved(desk.settings, desk.secrets, asked.request_id, ALICE) == {"notes": 0, "patients": 1}
    with pytest.raises(ApprovalError, match="is used, not approved"):
        runs.readmit_as_approved(desk.settings, desk.secrets, asked.request_id, ALICE)
    assert log(desk, "readmission") == [("performed", "alice")]
    assert unchanged(desk)
    for table in ("exclusion", "exclusion_end"):
        with pytest.raises(psycopg2.errors.RaiseException, match=f"rows of {table} are never changed"):
            desk.ask(f"update riverside_results.{table} set reason = 'other'")


def test_requests_that_wait_are_counted_since_a_moment(desk):
    def waiting(since=None):
        return runs.waiting_requests(desk.settings, desk.secrets, since)

    assert waiting() == 0
    asked = runs.request_reidentification(desk.settings, desk.secrets, ["a" * 26], "adverse event", ALICE)
    assert waiting() == 1
    now = datetime.datetime.now(datetime.UTC)
    assert (waiting(now - datetime.timedelta(minutes=5)), waiting(now)) == (1, 0)
    runs.decide_request(desk.settings, desk.secrets, asked.request_id, "approved", BOB)
    assert waiting() == 0


def test_a_request_expires_and_may_be_rejected(desk):
    def ask():
        made = runs.request_reidentification(desk.settings, desk.secrets, ["a" * 26], "adverse event", ALICE)
        return made.request_id

    rejected = ask()
    runs.decide_request(desk.settings, desk.secrets, rejected, "rejected", ALICE)
    with pytest.raises(ApprovalError, match="is rejected, not approved"):
        runs.reidentify_as_approved(desk.settings, desk.secrets, rejected, ALICE)
    with_acts(desk, "reidentification", request_hours=1e-9)
    expired = ask()
    with pytest.raises(ApprovalError, match="waits for no answer: it is expired"):
        runs.decide_request(desk.settings, desk.secrets, expired, "approved", BOB)
    with pytest.raises(ApprovalError, match="there is no request 'none'"):
        runs.decide_request(desk.settings, desk.secrets, "none", "approved", BOB)
    with pytest.raises(InputError, match="a reason"):
        runs.request_reidentification(desk.settings, desk.secrets, [], "why", ALICE)


def test_a_request_that_was_changed_after_it_was_made_is_refused(desk):
    made = runs.request_retraction(
        desk.settings, desk.secrets, note_ids=["n1"], reason="legal_hold", requested_by=ALICE
    )
    runs.decide_request(desk.settings, desk.secrets, made.request_id, "approved", BOB)
    table = "riverside_results.approval_request"
    desk.ask(f"alter table {table} disable trigger user; update {table} set note_ids = array['n1', 'n2']")
    with pytest.raises(ApprovalError, match="is not what was asked for: it was changed"):
        runs.retract_as_approved(desk.settings, desk.secrets, made.request_id, ALICE)
    kinds = {one.kind for one in runs.verify_audit_log(desk.settings, desk.secrets).findings}
    assert kinds == {"record missing", "record changed or added"}


def test_notes_that_one_person_reidentifies_alone_add_up(desk):
    with_acts(desk, "reidentification", reidentify_max_notes=3)

    def reidentify(person, notes):
        with audited(desk.settings, desk.secrets, desk.uri) as audit:
            audit.lock()
            check_alone(audit.connection, desk.settings, person, notes)
            record = record_reidentification(audit.connection, desk.settings, person.name, "why", ["k"] * notes)
            details = {"record": record, "notes": notes, "request": ""}
            audit.append(AuditEvent("reidentification", "performed", person, record, details))

    reidentify(ALICE, 2)
    reidentify(BOB, 3)
    with pytest.raises(ApprovalError, match="2 notes, after 2 within 24 hours, are more than the 3 that one person"):
        reidentify(ALICE, 2)
    reidentify(ALICE, 1)
    assert unchanged(desk)


def reidentified(desk, person, notes, request="", said=None):
    """Write what `deid reidentify` writes on a machine whose settings allow everything."""
    with audited(desk.settings, desk.secrets, desk.uri) as audit:
        record = record_reidentification(audit.connection, desk.settings, person.name, "why", ["k"] * notes)
        details = {"record": record, "notes": notes if said is None else said, "request": request}
        audit.append(AuditEvent("reidentification", "performed", person, record, details))


def findings(desk, **values) -> list[str]:
    with_acts(desk, "reidentification", reidentify_max_notes=3, **values)
    return [str(one) for one in runs.verify_audit_log(desk.settings, desk.secrets).findings]


@pytest.mark.parametrize("said", [None, 1])
def test_a_verification_finds_notes_that_one_person_reidentified_alone_above_the_limit(desk, said):
    desk.append(0)
    reidentified(desk, ALICE, 2)
    reidentified(desk, BOB, 3)
    assert findings(desk) == []
    reidentified(desk, ALICE, 2, said=said)
    assert findings(desk) == [
        "row 4: not approved: alice re-identified 4 notes within 24 hours without another person's approval;"
        " approvals.reidentify_max_notes is 3"
    ]
    with pytest.raises(GateError, match=r"^riverside: acts were not approved, 1 findings: row 4: .* who did so"):
        runs.check_audit_log(desk.settings, desk.secrets)
    tomorrow = datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=1)
    assert findings(desk, compared_from=tomorrow) == []
    with_acts(desk)
    assert unchanged(desk)


def test_notes_of_two_days_do_not_add_up_in_a_verification(desk, monkeypatch):
    from deid_tasks.platform.audit_log import approvals

    desk.append(0)
    reidentified(desk, ALICE, 2)
    reidentified(desk, ALICE, 2)
    assert len(findings(desk)) == 1
    monkeypatch.setattr(approvals, "ALONE", datetime.timedelta(0))
    assert findings(desk) == []


def test_a_verification_finds_a_request_that_another_person_did_not_approve(desk):
    desk.append(0)
    made = [runs.request_reidentification(desk.settings, desk.secrets, ["k"], "why", ALICE) for _ in range(4)]
    approved, waiting, rejected, of_alice = (one.request_id for one in made)
    runs.decide_request(desk.settings, desk.secrets, approved, "approved", BOB)
    runs.decide_request(desk.settings, desk.secrets, of_alice, "approved", BOB)
    runs.decide_request(desk.settings, desk.secrets, rejected, "rejected", BOB)
    reidentified(desk, ALICE, 9, approved)
    assert findings(desk) == []
    reidentified(desk, ALICE, 9, approved)
    reidentified(desk, ALICE, 9, waiting)
    reidentified(desk, ALICE, 9, rejected)
    reidentified(desk, BOB, 9, of_alice)
    reidentified(desk, ALICE, 9, "invented")
    assert [one.partition("not approved: ")[2] for one in findings(desk)] == [
        f"request {approved} was used before, by row 9",
        f"request {waiting} was not approved by another person",
        f"request {rejected} was not approved by another person",
        f"request {of_alice} was made by alice, and not by bob",
        "the log has no request invented",
    ]


def test_a_new_key_is_recorded_by_its_fingerprint_once(desk):
    certify(desk)
    certify(desk, "c2")
    rows = desk.ask("select subject, details from riverside_results.audit_log where event = 'key_changed' order by seq")
    assert [json.loads(details)["key"] for _, details in rows] == ["surrogate", "audit"]
    former = rows[0][0]
    desk.held["riverside_key"] = "A" * 43 + "="
    certify(desk, "c3")
    [(subject, details)] = desk.ask(
        "select subject, details from riverside_results.audit_log where event = 'key_changed' and seq > 4"
    )
    assert json.loads(details) == {"key": "surrogate", "former": former}
    assert subject != former
    assert desk.held["riverside_key"] not in subject
    # The same figures again replace a certificate of the same id.
    certify(desk, "c3")
    assert unchanged(desk)


def test_what_was_recorded_before_the_log_opens_it(desk):
    with connect(desk.uri) as connection:
        record_reidentification(connection, desk.settings, "officer@ward", "recontact", ["a", "b"])
    desk.ask(
        "insert into riverside_results.approval (kind, run_id, fingerprint, certificate_id, reason, decision,"
        " decided_by, decided_at) values ('drift', 'r1', 'f', 'c', %s, 'approved', 'officer', now())",
        HELD["review"][0]["reason"],
    )
    desk.append()
    found = desk.ask("select event, actor, actor_source from riverside_results.audit_log order by seq")
    assert found == [
        ("log_opened", "platform", "platform"),
        ("review", "officer", "unverified"),
        ("reidentification", "officer@ward", "unverified"),
        ("harvest", "alice", "operating_system"),
    ]
    assert held(desk) == []
    assert unchanged(desk)
    table = "riverside_results.reidentification"
    desk.ask(f"alter table {table} disable trigger user; delete from {table}")
    [finding] = runs.verify_audit_log(desk.settings, desk.secrets).findings
    assert str(finding) == "row 3: record missing: the row of reidentification that it names is gone or changed"
