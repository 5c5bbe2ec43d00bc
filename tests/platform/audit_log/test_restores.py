"""A warehouse that was restored from a backup publishes nothing until a person has looked at what it forgot."""

import dataclasses
import itertools
import json

import psycopg2
import pytest
from psycopg2 import sql

from deid_tasks.core.errors import GateError, InputError, SettingsError
from deid_tasks.platform import runs
from deid_tasks.platform.audit_log import AuditEvent, audited
from deid_tasks.platform.runs.restores import check_not_restored
from tests.support.audit_desk import ALICE, BOB

_NUMBERS = itertools.count()


def backup(desk, postgres) -> str:
    """Copy the warehouse; return the URI of the copy."""
    name = f"backup_{next(_NUMBERS)}"
    with psycopg2.connect(desk.uri) as connection:
        former = connection.info.dbname
    connection.close()
    administrator = psycopg2.connect(postgres.uri("postgres"))
    administrator.autocommit = True
    with administrator.cursor() as cursor:
        cursor.execute(sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(former)))
    administrator.close()
    return postgres.uri(name)


def restored(desk, uri):
    return dataclasses.replace(desk, uri=uri, held=desk.held | {"riverside_ehr": uri})


def exclude(desk, note):
    runs.retract(desk.settings, desk.secrets, note_ids=[note], reason="consent_withdrawn", requested_by=ALICE)


def excluded(desk) -> list[tuple]:
    return desk.ask("select note_id from riverside_results.exclusion order by 1")


@pytest.fixture
def forgetful(desk, postgres):
    """A warehouse as it was before the exclusions of today."""
    desk.append()
    exclude(desk, "yesterday")
    uri = backup(desk, postgres)
    exclude(desk, "today")
    exclude(desk, "today too")
    check_not_restored(desk.settings, desk.secrets)
    return restored(desk, uri)


def test_a_restored_warehouse_publishes_nothing(forgetful):
    assert excluded(forgetful) == [("yesterday",)]
    for _ in range(2):
        with pytest.raises(GateError, match=r"lacks 2 rows \(4 to 5\), whose heads .* `deid audit restored --inst"):
            runs.pin_engine(forgetful.settings, forgetful.secrets)
        # A log that has grown again over the lost rows is still not the one whose heads are stored.
        exclude(forgetful, "today")
        exclude(forgetful, "today too")


def test_a_person_accepts_what_is_lost_and_verifications_tell_it(forgetful):
    settings, secrets = forgetful.settings, forgetful.secrets
    with pytest.raises(GateError, match="log truncated: row 5 was written, and the log ends here"):
        runs.check_audit_log(settings, secrets)
    exclude(forgetful, "today")
    assert runs.accept_restore(settings, secrets, BOB) == {"rows": 2, "first": 4, "last": 5}
    check_not_restored(settings, secrets)
    verdict = runs.verify_audit_log(settings, secrets)
    assert verdict.findings == ()
    assert verdict.limits == ("row 5: bob accepted that 2 stored heads have no row: the log was restored",)
    with pytest.raises(InputError, match="nothing was restored"):
        runs.accept_restore(settings, secrets, BOB)


def test_rows_that_are_lost_later_need_another_answer(forgetful):
    settings, secrets = forgetful.settings, forgetful.secrets
    runs.accept_restore(settings, secrets, BOB)
    exclude(forgetful, "tomorrow")
    forgetful.tamper("delete from riverside_results.audit_log where seq = 5")
    with pytest.raises(GateError, match="lacks row 5, whose heads"):
        check_not_restored(settings, secrets)
    assert [one.kind for one in runs.verify_audit_log(settings, secrets).findings] == [
        "log truncated", "record changed or added",
    ]  # fmt: skip


def test_nobody_without_the_audit_key_can_accept(forgetful):
    settings, held = forgetful.settings, forgetful.held
    keyless = dataclasses.replace(forgetful, held={k: v for k, v in held.items() if k != "audit_signing_key"})
    before = forgetful.ask("select count(*) from riverside_results.audit_log")
    with pytest.raises(SettingsError, match="the audit log is signed, and the secret 'audit_signing_key' is not set"):
        runs.accept_restore(settings, keyless.secrets, BOB)
    assert forgetful.ask("select count(*) from riverside_results.audit_log") == before
    with pytest.raises(GateError, match="lacks 2 rows"):
        check_not_restored(settings, forgetful.secrets)


def test_heads_that_cannot_be_listed_are_a_warning(forgetful, caplog):
    bucket = forgetful.settings.audit_log.model_copy(update={"bucket": "no-such-bucket"})
    settings = forgetful.settings.model_copy(update={"audit_log": bucket})
    check_not_restored(settings, forgetful.secrets)
    assert "nobody knows whether the warehouse is a restored one" in caplog.text


def test_the_row_names_heads_and_no_person_but_the_one_who_accepts(forgetful):
    runs.accept_restore(forgetful.settings, forgetful.secrets, BOB)
    [(actor, details)] = forgetful.ask(
        "select actor, details from riverside_results.audit_log where event = 'log_restored'"
    )
    assert actor == "bob"
    assert [one.split("-")[0] for one in json.loads(details)["lost_heads"]] == ["4", "5"]


def test_an_act_whose_head_was_never_stored_is_no_restore(desk):
    desk.append()
    without = dataclasses.replace(desk, held={k: v for k, v in desk.held.items() if k != "object_store"})
    with audited(without.settings, without.secrets, desk.uri) as audit:
        audit.append(AuditEvent("harvest", "prepared", ALICE, "harvest", {"sentences": 1}))
    check_not_restored(desk.settings, desk.secrets)
