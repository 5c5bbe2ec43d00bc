"""Whatever is done to the rows of the audit log, a verification names it."""

import datetime
import json
import multiprocessing
from dataclasses import asdict, replace

import psycopg2
import pytest

from deid_tasks.core.errors import GateError, SettingsError
from deid_tasks.core.identity import Identity
from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.platform import runs
from deid_tasks.platform.audit_log import AuditEvent, audited
from deid_tasks.platform.audit_log.chain import NO_ROW, hash_of_row
from deid_tasks.platform.audit_log.signing import AuditSigner
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.audit_log import AuditLogRow, insert_audit_row, read_audit_rows
from deid_tasks.settings import Secrets

LOG = "riverside_results.audit_log"


def found(desk) -> list[tuple[int | None, str]]:
    return [(one.seq, one.kind) for one in runs.verify_audit_log(desk.settings, desk.secrets).findings]


def rows_of(desk) -> list[AuditLogRow]:
    with connect(desk.uri) as connection:
        return list(read_audit_rows(connection, desk.settings))


def write_anew(desk, rows, signing_key=None, first=1):
    """Write these rows in place of the log's, each hashed and linked as the platform does."""
    held = desk.held | {"audit_signing_key": signing_key or ""}
    signer = AuditSigner(desk.settings, Secrets(held.get))
    previous, made = NO_ROW, []
    for seq, row in enumerate(rows, start=first):
        row = replace(row, seq=seq, previous_hash=previous, key_id=signer.key_id)
        previous = hash_of_row("riverside", row)
        made.append(replace(row, row_hash=previous, signature=signer.sign_row(previous)))
    desk.tamper(f"delete from {LOG}")
    with connect(desk.uri) as connection:
        for row in made:
            insert_audit_row(connection, desk.settings, row)


def test_an_untouched_log_is_verified_and_says_who_did_what(desk):
    desk.append(3)
    verdict = runs.verify_audit_log(desk.settings, desk.secrets)
    assert (verdict.findings, verdict.limits) == ((), ())
    assert (verdict.rows, verdict.signed, verdict.heads) == (4, 4, 4)
    opened, first, *_ = rows_of(desk)
    assert (opened.seq, opened.event, opened.actor_source) == (1, "log_opened", "platform")
    assert (first.actor, first.actor_source, first.actor_origin) == ("alice", "operating_system", "uid 1001 on desk")
    assert first.database_user == desk.ask("select session_user")[0][0]
    assert json.loads(first.details) == {"sentences": 0}


def test_the_nightly_check_fails_on_a_changed_row(desk):
    desk.append(3)
    assert runs.check_audit_log(desk.settings, desk.secrets)["rows"] == 4
    desk.tamper(f"update {LOG} set actor = 'mallory' where seq = 2")
    with pytest.raises(GateError, match=r"^riverside: the audit log is not what was written, \d findings: row 2: "):
        runs.check_audit_log(desk.settings, desk.secrets)


def test_the_database_refuses_every_change(desk):
    desk.append()
    for statement in ("update {t} set actor = 'x'", "delete from {t}", "truncate {t}"):
        with pytest.raises(psycopg2.errors.RaiseException, match="rows of audit_log are never changed"):
            desk.ask(statement.format(t=LOG))


@pytest.mark.parametrize("column", [name for name in AuditLogRow.__dataclass_fields__ if name != "seq"])
def test_a_changed_column_is_found(desk, column):
    desk.append(3)
    changed = {
        "occurred_at": datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
        "role": "approved",
        "actor_source": "airflow",
        "signature": "AAAA",
    }
    desk.tamper(f"update {LOG} set {column} = %s where seq = 3", changed.get(column, "x"))
    wanted = "wrong signature" if column == "signature" else "row changed"
    assert (3, wanted) in found(desk)


def test_two_swapped_rows_are_found(desk):
    desk.append(3)
    swap = f"update {LOG} set seq = case seq when 102 then 3 else 2 end where seq > 100"
    desk.tamper(f"update {LOG} set seq = seq + 100 where seq in (2, 3); {swap}")
    assert {(2, "row changed"), (3, "row changed"), (2, "log rewritten"), (3, "log rewritten")} <= set(found(desk))


def test_rows_deleted_from_the_middle_are_found(desk):
    desk.append(5)
    desk.tamper(f"delete from {LOG} where seq in (3, 4)")
    verdict = runs.verify_audit_log(desk.settings, desk.secrets)
    assert [str(one) for one in verdict.findings] == [
        "row 5: row missing: rows 3 to 4 are missing before it: the rows were deleted"
    ]


@pytest.mark.parametrize("left", [0, 2, 4])
def test_rows_deleted_from_the_end_are_found_by_the_head_outside(desk, left):
    desk.append(4)
    desk.tamper(f"delete from {LOG} where seq > %s", left)
    verdict = runs.verify_audit_log(desk.settings, desk.secrets)
    assert [str(one) for one in verdict.findings] == [
        f"row {left}: log truncated: row 5 was written, and the log ends here"
    ]


def test_a_truncated_log_that_grew_again_is_found(desk):
    desk.append(3)
    desk.tamper(f"delete from {LOG} where seq > 2")
    desk.append(2)
    assert (3, "log rewritten") in found(desk)


def test_renumbered_rows_are_found(desk):
    desk.append(4)
    # The first rows are deleted, and the others begin at 1 again.
    desk.tamper(f"delete from {LOG} where seq <= 2; update {LOG} set seq = seq + 100; update {LOG} set seq = seq - 102")
    kinds = {kind for _, kind in found(desk)}
    assert {"row changed", "chain broken", "log rewritten", "log truncated"} <= kinds


@pytest.mark.parametrize("is_signed", [False, True])
def test_a_log_that_was_written_anew_is_found(desk, is_signed):
    desk.append(4)
    forged = [replace(row, actor="mallory") for row in rows_of(desk)]
    write_anew(desk, forged, new_key_pair()[0] if is_signed else None)
    findings = found(desk)
    wanted = {(seq, "wrong signature") for seq in range(1, 6)} if is_signed else {(None, "not signed")}
    assert wanted <= set(findings)
    assert (5, "log rewritten") in findings
    # Without the heads the signatures alone tell.
    for key in desk.heads():
        desk.bucket.delete_object(Bucket=desk.settings.audit_log.bucket, Key=key)
    assert set(found(desk)) == wanted


def test_rows_appended_without_the_key_are_found(desk):
    desk.append(2)
    genuine, desk.held["audit_signing_key"] = desk.held["audit_signing_key"], new_key_pair()[0]
    desk.append()
    desk.held["audit_signing_key"] = ""
    desk.append()
    desk.held["audit_signing_key"] = genuine
    desk.append()
    assert found(desk) == [(4, "wrong signature"), (5, "not signed")]


def test_a_row_of_another_institution_does_not_fit(desk):
    desk.append(2)
    other = desk.settings.model_copy(update={"institution": "lakeshore"})
    row = rows_of(desk)[1]
    assert hash_of_row(other.institution, row) != row.row_hash == hash_of_row("riverside", row)


def test_a_forged_head_is_found(desk):
    desk.append(2)
    desk.bucket.put_object(
        Bucket=desk.settings.audit_log.bucket,
        Key=f"audit/riverside/{3:012d}-{rows_of(desk)[-1].row_hash}.json",
        Body=b"{}",
    )
    assert found(desk) == [(3, "head forged")]


def test_unsigned_rows_are_named_and_a_later_key_covers_them(desk):
    signing, verification = desk.held.pop("audit_signing_key"), desk.held.pop("audit_verification_key")
    desk.append(2)
    verdict = runs.verify_audit_log(desk.settings, desk.secrets)
    assert verdict.findings == ()
    assert verdict.limits == (
        "3 rows are not signed: the secret audit_log.signing_key was not set when they were written",
    )
    desk.held |= {"audit_signing_key": signing, "audit_verification_key": verification}
    assert found(desk) == [(None, "not signed")]
    desk.append()
    assert found(desk) == []


def test_rows_of_a_former_key_stay_valid_while_its_public_half_is_there(desk):
    desk.append(2)
    signing, verification = new_key_pair()
    former = desk.held["audit_verification_key"]
    desk.held |= {"audit_signing_key": signing, "audit_verification_key": verification + former}
    desk.append()
    assert found(desk) == []
    desk.held["audit_verification_key"] = verification
    assert found(desk) == [(1, "wrong signature"), (2, "wrong signature"), (3, "wrong signature")]
    desk.held["audit_verification_key"] = "no key"
    with pytest.raises(SettingsError, match="'audit_verification_key' holds no Ed25519 public key"):
        found(desk)


def test_without_the_bucket_the_act_is_recorded_and_the_limit_is_named(desk):
    store = desk.held.pop("object_store")
    desk.append(2)
    verdict = runs.verify_audit_log(desk.settings, desk.secrets)
    assert verdict.rows == 3
    assert [limit.partition(":")[0] for limit in verdict.limits] == ["rows deleted from the end were not looked for"]
    desk.held["object_store"] = store
    assert (
        "the deletion of rows from the end is not seen" in runs.verify_audit_log(desk.settings, desk.secrets).limits[0]
    )


def test_a_writer_with_the_bucket_stores_the_head_of_others(desk):
    store = desk.held.pop("object_store")
    desk.append(2)
    desk.held["object_store"] = store
    with audited(desk.settings, desk.secrets, desk.uri) as audit:
        audit.renew_head()
    verdict = runs.verify_audit_log(desk.settings, desk.secrets)
    assert (verdict.rows, verdict.heads, verdict.findings, verdict.limits) == (3, 1, (), ())
    desk.tamper(f"delete from {LOG} where seq = 3")
    assert found(desk) == [(2, "log truncated")]


def test_an_act_that_fails_leaves_no_row(desk):
    desk.append()

    class ActFailedError(Exception):
        pass

    def fail() -> None:
        with audited(desk.settings, desk.secrets, desk.uri) as audit:
            audit.append(AuditEvent("harvest", "approved", Identity("bob", "airflow"), "h"))
            raise ActFailedError

    with pytest.raises(ActFailedError):
        fail()
    assert len(rows_of(desk)) == 2
    assert found(desk) == []


def append_many(settings, held, number):
    for index in range(number):
        with audited(settings, Secrets(held.get), held["riverside_ehr"]) as audit:
            audit.append(AuditEvent("harvest", "prepared", Identity("alice", "airflow"), f"{index}"))


def test_processes_that_append_at_once_keep_one_chain(desk):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=append_many, args=(desk.settings, desk.held, 6)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert [row.seq for row in rows_of(desk)] == list(range(1, 13))
    assert found(desk) == []


def test_the_chain_cannot_fork(desk):
    desk.append(2)
    last = rows_of(desk)[-1]
    forked = replace(last, seq=99, row_hash="f" * 64)
    columns = asdict(forked)
    insert = f"insert into {LOG} ({', '.join(columns)}) values ({', '.join(['%s'] * len(columns))})"
    with pytest.raises(psycopg2.errors.UniqueViolation):
        desk.ask(insert, *columns.values())
