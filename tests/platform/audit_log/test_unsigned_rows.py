"""Rows that lack a signature: an upgrade writes none, and those of former releases are accepted by a person."""

from dataclasses import replace

import pytest

from deid_tasks.core.errors import InputError, SettingsError
from deid_tasks.core.identity import PLATFORM
from deid_tasks.platform import runs
from deid_tasks.platform.audit_log import AuditEvent, audited, is_trusted_row
from deid_tasks.platform.audit_log.chain import hash_of_row
from deid_tasks.platform.audit_log.signing import ACCEPTED
from deid_tasks.platform.runs.schema_upgrade import upgraded_tables
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.audit_log import read_audit_rows
from deid_tasks.settings import Secrets
from tests.support.audit_desk import ALICE, BOB

EARLIER = """
insert into riverside_results.exclusion (note_id, reason, valid_from, requested_by)
    values ('n1', 'vip', '2024-01-01', 'alice'), ('n2', 'vip', '2024-01-01', 'alice')
"""


def open_as_before(desk):
    """Write the log of a release that knew neither exclusions nor gold sets, with a signed row."""
    with audited(desk.settings, desk.secrets, desk.uri) as audit:
        audit.append(AuditEvent("log_opened", "performed", PLATFORM, "riverside"))
        audit.append(AuditEvent("harvest", "prepared", ALICE, "harvest"))
    desk.ask(EARLIER)


def without_key(desk) -> Secrets:
    """What a worker of dbt has: the warehouse, and neither the audit key nor the bucket of the heads."""
    return Secrets({"riverside_ehr": desk.uri}.get)


def events(desk) -> list[tuple]:
    return desk.ask("select event, signature <> '' from riverside_results.audit_log order by seq")


def append_unsigned(desk, *subjects):
    """Write rows as an upgrade of a former release did on a worker without the key."""
    with audited(desk.settings, without_key(desk), desk.uri) as audit:
        for subject in subjects:
            audit.append(AuditEvent("exclusion", "performed", PLATFORM, subject))


def verdict(desk):
    return runs.verify_audit_log(desk.settings, desk.secrets)


def test_an_upgrade_without_the_key_writes_no_row_and_the_task_with_it_takes_over(desk):
    open_as_before(desk)
    done = upgraded_tables(desk.settings, without_key(desk))
    assert (
        "the audit log has not taken over exclusion, exclusion_end, gold_set: the audit key is not here" in done.waiting
    )
    assert len(events(desk)) == 2
    with pytest.raises(SettingsError, match="the audit log is signed, and the secret 'audit_signing_key' is not set"):
        runs.open_audit_log(desk.settings, without_key(desk))
    assert len(events(desk)) == 2
    assert runs.open_audit_log(desk.settings, desk.secrets) == {"tables": 3}
    assert events(desk)[2:] == [("log_opened", True), ("exclusion", True), ("exclusion", True)]
    assert (verdict(desk).findings, verdict(desk).limits) == ((), ())
    assert runs.open_audit_log(desk.settings, without_key(desk)) == {"tables": 0}
    assert upgraded_tables(desk.settings, without_key(desk)).waiting == ""


def test_a_log_without_any_key_is_opened_unsigned(desk):
    assert runs.open_audit_log(desk.settings, without_key(desk))["tables"] > 5
    assert events(desk) == [("log_opened", False)]


def test_a_signed_row_accepts_rows_of_a_former_upgrade_and_covers_them(desk):
    desk.append(1)
    append_unsigned(desk, "one", "two")
    assert [str(one).partition(": e")[0] for one in verdict(desk).findings] == [
        "row 3: not signed",
        "row 4: not signed",
    ]
    with connect(desk.uri) as connection:
        unsigned = list(read_audit_rows(connection, desk.settings, first=3))
        assert not is_trusted_row(connection, desk.settings, desk.secrets, unsigned[0])
    accepted = runs.accept_unsigned_rows(desk.settings, desk.secrets, 3, 4, BOB)
    assert accepted == unsigned
    assert verdict(desk).findings == ()
    assert verdict(desk).limits == (
        "2 rows are not signed: the secret audit_log.signing_key was not set when they were written",
        "2 of them were accepted by bob, as row 5 says",
    )
    assert runs.check_audit_log(desk.settings, desk.secrets)["rows"] == 5
    with connect(desk.uri) as connection:
        assert is_trusted_row(connection, desk.settings, desk.secrets, unsigned[0])
    append_unsigned(desk, "three")
    assert [(one.seq, one.kind) for one in verdict(desk).findings] == [(6, "not signed")]
    desk.tamper("update riverside_results.audit_log set subject = 'other' where seq = 3")
    assert (3, "row changed") in [(one.seq, one.kind) for one in verdict(desk).findings]


def test_only_who_has_the_key_accepts_and_only_what_is_not_signed(desk):
    desk.append(1)
    append_unsigned(desk, "one")
    with pytest.raises(SettingsError, match="only who has the audit key can accept rows"):
        runs.accept_unsigned_rows(desk.settings, without_key(desk), 3, 3, BOB)
    with pytest.raises(InputError, match="rows 4-3: the first number is above the last; nothing was accepted"):
        runs.accept_unsigned_rows(desk.settings, desk.secrets, 4, 3, BOB)
    for first, last, named in ((2, 3, 2), (3, 4, 4), (9, 9, 9)):
        with pytest.raises(InputError, match=rf"row {named} of the audit log is not one that .* nothing was accepted"):
            runs.accept_unsigned_rows(desk.settings, desk.secrets, first, last, BOB)
    # Without the key nobody accepts by a row of his own.
    with connect(desk.uri) as connection:
        (row,) = read_audit_rows(connection, desk.settings, first=3)
    with audited(desk.settings, without_key(desk), desk.uri) as audit:
        audit.append(AuditEvent(ACCEPTED, "approved", BOB, row.row_hash, {"rows": {"3": row.row_hash}}))
    assert [(one.seq, one.kind) for one in verdict(desk).findings] == [(3, "not signed"), (4, "not signed")]


def test_a_row_from_before_the_key_is_trusted_only_where_it_is_linked_to_a_signed_one(desk):
    append_unsigned(desk, "one", "two")
    with connect(desk.uri) as connection:
        first, _ = read_audit_rows(connection, desk.settings)
        assert is_trusted_row(connection, desk.settings, desk.secrets, first)
    with audited(desk.settings, desk.secrets, desk.uri) as audit:
        audit.append(AuditEvent("harvest", "prepared", ALICE, "harvest"))
    with connect(desk.uri) as connection:
        assert is_trusted_row(connection, desk.settings, desk.secrets, first)
    # Its hash can be computed by whoever changes it.
    forged = replace(first, subject="other")
    forged = replace(forged, row_hash=hash_of_row("riverside", forged))
    desk.tamper(
        "update riverside_results.audit_log set subject = 'other', row_hash = %s where seq = 1", forged.row_hash
    )
    with connect(desk.uri) as connection:
        assert not is_trusted_row(connection, desk.settings, desk.secrets, forged)
    assert (2, "chain broken") in [(one.seq, one.kind) for one in verdict(desk).findings]
