"""Rows of other tables that the audit log names: whatever is done to them, a verification names it."""

import datetime
import json
import os
import time

import psycopg2
import pytest

from deid_tasks.core.identity import PLATFORM
from deid_tasks.platform import runs
from deid_tasks.platform.audit_log import AuditEvent, audited, open_log
from deid_tasks.platform.runs.certificates import store_certificate
from deid_tasks.platform.runs.gold_sets import record_gold_set
from deid_tasks.platform.runs.retractions import record_retraction
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.audited_records import AUDITED_COLUMNS, read_audited_records
from deid_tasks.platform.warehouse.certificates import CertificateRow
from deid_tasks.platform.warehouse.gold import NewGoldNote
from deid_tasks.platform.warehouse.ledger import WorkItem
from deid_tasks.platform.warehouse.reidentification import record_reidentification
from tests.support.audit_desk import ALICE, BOB

MOMENT = datetime.datetime(2024, 5, 1, 8, tzinfo=datetime.UTC)
HELD = {"review": [{"kind": "drift", "reason": "more entities"}], "fingerprint": "f", "certificate": "c"}
CHANGED = {"text": "'other'", "bigint": "99", "integer": "99", "double precision": ".5", "ARRAY": "array['other']"}
"""Another value by the type of a column; a moment otherwise."""
EXCLUSION = "riverside_results.exclusion"
UNPROTECTED = """
do $$ declare one record; begin
    for one in select conname from pg_constraint where conrelid = '{table}'::regclass and contype = 'c' loop
        execute format('alter table {table} drop constraint %I', one.conname);
    end loop;
    for one in select attname from pg_attribute where attrelid = '{table}'::regclass and attidentity <> '' loop
        execute format('alter table {table} alter column %I drop identity', one.attname);
    end loop;
    alter table {table} disable trigger user;
end $$
"""
"""What the tables' owner can do before a row is changed."""


@pytest.fixture
def recorded(desk):
    """The log after one act of each kind, so that each audited table has a row."""
    settings, secrets = desk.settings, desk.secrets
    open_log(settings, secrets, desk.uri)
    runs.record_review(settings, secrets, "r1", HELD, "approved", BOB, MOMENT)
    store_certificate(settings, secrets, CertificateRow("c", "f", "g", "passed", "{}", MOMENT, "signed"), PLATFORM)
    runs.request_retraction(settings, secrets, note_ids=["n1"], reason="legal_hold", requested_by=ALICE)
    runs.retract(settings, secrets, patient_ids=["p1"], note_ids=["n1"], reason="opted_out", requested_by=ALICE)
    runs.readmit(settings, secrets, note_ids=["n1"], reason="wrong note", requested_by=ALICE)
    with audited(settings, secrets, desk.uri) as audit:
        record = record_reidentification(audit.connection, settings, ALICE.name, "why", ["k"])
        audit.append(AuditEvent("reidentification", "performed", ALICE, record, {"record": record, "notes": 1}))
        removed = WorkItem("n1", MOMENT.date(), "deleted", is_removal=True)
        record_retraction(audit, settings, secrets, "r1", [removed], 7)
        gold = [NewGoldNote("n1", None, "letter", None, None, "a text", ())]
        record_gold_set(audit, settings, gold, ALICE, design="random", sample_version="s1", kappa=0.97)
    assert verified(desk) == []
    return desk


def name_of(table):
    return f"riverside_{'gold' if table == 'gold_set' else 'results'}.{table}"


def verified(desk) -> list[str]:
    return [str(one) for one in runs.verify_audit_log(desk.settings, desk.secrets).findings]


def unprotect(desk, table):
    desk.ask(UNPROTECTED.format(table=name_of(table)))


@pytest.mark.parametrize("table", AUDITED_COLUMNS)
def test_a_deleted_row_is_found(recorded, table):
    unprotect(recorded, table)
    rows = len(recorded.ask(f"delete from {name_of(table)} returning 1"))
    [*findings] = verified(recorded)
    assert len(findings) == rows > 0
    assert all(one.endswith(f"record missing: the row of {table} that it names is gone or changed") for one in findings)


@pytest.mark.parametrize("table", AUDITED_COLUMNS)
def test_a_changed_column_is_found(recorded, table):
    unprotect(recorded, table)
    name = name_of(table)
    if table == "gold_set":
        recorded.ask("alter table riverside_gold.gold_note drop constraint gold_note_gold_version_fkey")
    types = dict(
        recorded.ask(
            "select column_name, data_type from information_schema.columns"
            " where table_schema in ('riverside_results', 'riverside_gold') and table_name = %s and is_generated = 'NEVER'",
            table,
        )
    )
    names = ", ".join(types)
    recorded.ask(f"create table untouched as select * from {name}")
    for column in AUDITED_COLUMNS[table]:
        value = CHANGED.get(types[column], "timestamp '2020-01-01'")
        recorded.ask(f"update {name} set {column} = {value} where ctid = (select min(ctid) from {name})")
        findings = verified(recorded)
        assert len(findings) == 2, column
        assert f"the row of {table} that it names is gone or changed" in findings[0]
        assert findings[1].startswith(f"log: record changed or added: 1 rows of {table} ")
        recorded.ask(f"delete from {name}; insert into {name} ({names}) select {names} from untouched")
        assert verified(recorded) == []


def test_the_database_refuses_to_change_an_exclusion(recorded):
    for statement in ("update {t} set valid_to = now()", "delete from {t}", "truncate {t}"):
        with pytest.raises(psycopg2.errors.RaiseException, match="rows of exclusion are never changed"):
            recorded.ask(statement.format(t=EXCLUSION))


def test_an_exclusion_that_the_log_does_not_name_is_found(recorded):
    recorded.ask(
        f"insert into {EXCLUSION} (note_id, reason, valid_from, requested_by) values ('n9', 'vip', now(), 'mallory')"
    )
    assert verified(recorded) == [
        "log: record changed or added: 1 rows of exclusion are not what the log names, or unknown"
    ]


def test_exclusions_of_former_releases_are_taken_over_once(desk):
    """A log of before names the other tables, and its exclusions name no row."""
    with audited(desk.settings, desk.secrets, desk.uri) as audit:
        audit.append(AuditEvent("log_opened", "performed", PLATFORM, "riverside"))
        audit.append(AuditEvent("exclusion", "performed", ALICE, "", {"patients": 1, "notes": 1, "request": ""}))
    former = "insert into {t} (patient_id, note_id, reason, valid_from, valid_to, requested_by) values"
    desk.ask(
        former.format(t=EXCLUSION)
        + " ('p1', null, 'vip', '2024-01-01', null, 'alice'), (null, 'n1', 'vip', '2024-01-01', '2024-02-01', 'alice')"
    )
    before = runs.verify_audit_log(desk.settings, desk.secrets)
    assert before.findings == ()
    assert before.limits == (
        "rows of exclusion, exclusion_end, gold_set were not compared: the log has not taken them over; run"
        " dictionaries__riverside, or `deid tables upgrade` where the audit key is",
    )
    for _ in range(2):
        open_log(desk.settings, desk.secrets, desk.uri)
        rows = desk.ask("select event, actor, actor_source, details from riverside_results.audit_log order by seq")
        assert [row[:3] for row in rows[2:]] == [
            ("log_opened", "platform", "platform"),
            ("exclusion", "alice", "unverified"),
            ("exclusion", "alice", "unverified"),
        ]
    assert json.loads(rows[2][3]) == {"tables": ["exclusion", "exclusion_end", "gold_set"]}
    after = runs.verify_audit_log(desk.settings, desk.secrets)
    assert (after.findings, after.limits) == ((), ())
    unprotect(desk, "exclusion")
    desk.ask(f"delete from {EXCLUSION} where patient_id = 'p1'")
    open_log(desk.settings, desk.secrets, desk.uri)
    assert verified(desk) == ["row 4: record missing: the row of exclusion that it names is gone or changed"]


def test_equal_exclusions_have_unlike_hashes_that_no_readers_zone_changes(desk, monkeypatch):
    runs.retract(desk.settings, desk.secrets, note_ids=["n1", "n1"], reason="opted_out", requested_by=ALICE)

    def hashes():
        with connect(desk.uri) as connection:
            return [record for _, record in read_audited_records(connection, desk.settings, "exclusion")]

    here = hashes()
    assert len(set(here)) == 2
    details = desk.ask("select details from riverside_results.audit_log where event = 'exclusion'")[0][0]
    assert sorted(json.loads(details)["records"]) == sorted(here)
    assert "n1" not in details
    with monkeypatch.context() as elsewhere:
        elsewhere.setitem(os.environ, "TZ", "Asia/Kathmandu")
        time.tzset()
        there = hashes()
    time.tzset()
    assert sorted(there) == sorted(here)
