"""Gold sets in the audit log: an evaluation uses the newest that the log names, and no other."""

import json

import pytest

from deid_tasks.core.errors import GateError, SettingsError
from deid_tasks.platform import runs
from deid_tasks.platform.audit_log import AuditEvent, audited
from deid_tasks.platform.runs.gold_sets import audited_gold_set, record_gold_set
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.audited_records import read_audited_records, utc_text
from deid_tasks.platform.warehouse.gold import NewGoldNote, freeze_gold_set
from deid_tasks.settings import Secrets
from tests.support.audit_desk import ALICE


def note(text="a text"):
    return NewGoldNote("n1", None, "letter", None, None, text, ())


def frozen(desk, text, secrets=None):
    with audited(desk.settings, secrets or desk.secrets, desk.uri) as audit:
        return record_gold_set(audit, desk.settings, [note(text)], ALICE, design="random", sample_version="s1")


def used(desk):
    with connect(desk.uri) as connection:
        return audited_gold_set(connection, desk.settings, desk.secrets, "random")


def newest_row(desk):
    with connect(desk.uri) as connection:
        *_, (row, record) = read_audited_records(connection, desk.settings, "gold_set")
    return utc_text(row["frozen_at"]), row["gold_version"], record


def findings(desk):
    return [str(one) for one in runs.verify_audit_log(desk.settings, desk.secrets).findings]


def test_freezing_is_an_event_and_another_newest_gold_set_is_refused(desk):
    runs.open_audit_log(desk.settings, desk.secrets)
    first, second = frozen(desk, "a text"), frozen(desk, "another text")
    frozen(desk, "another text")
    rows = desk.ask(
        "select actor, subject, details from riverside_results.audit_log where event = 'gold_frozen' order by seq"
    )
    assert [row[:2] for row in rows] == [("alice", first.version), ("alice", second.version)]
    details = json.loads(rows[1][2])
    assert {name: details[name] for name in ("design", "notes", "spans", "replaces", "written")} == {
        "design": "random", "notes": 1, "spans": 0, "replaces": first.version, "written": "frozen",
    }  # fmt: skip
    assert used(desk) == second
    assert findings(desk) == []
    with pytest.raises(SettingsError, match="the audit log is signed"):
        frozen(desk, "a third text", Secrets({"riverside_ehr": desk.uri}.get))
    assert used(desk) == second
    # A genuine gold set of before counts again where the newer one is deleted.
    desk.ask("delete from riverside_gold.gold_set where gold_version = %s", second.version)
    with pytest.raises(
        GateError,
        match=rf"no certificate: .*{first.version} is the newest random gold set, and the audit log names {second.version}",
    ):
        used(desk)
    assert findings(desk) == ["row 3: record missing: the row of gold_set that it names is gone or changed"]


def test_a_gold_set_that_somebody_inserted_is_refused(desk):
    runs.open_audit_log(desk.settings, desk.secrets)
    genuine = frozen(desk, "a text")
    with connect(desk.uri) as connection:
        freeze_gold_set(connection, desk.settings, [note("forged")], design="random", sample_version="s1")
    with pytest.raises(GateError, match=f"the audit log names {genuine.version}"):
        used(desk)
    assert findings(desk) == ["log: record changed or added: 1 rows of gold_set are not what the log names, or unknown"]
    # Nor does a row of the log help that the key did not sign.
    frozen_at, version, record = newest_row(desk)
    details = {"design": "random", "frozen_at": frozen_at, "record": record}
    with audited(desk.settings, Secrets({"riverside_ehr": desk.uri}.get), desk.uri) as audit:
        audit.append(AuditEvent("gold_frozen", "performed", ALICE, version, details))
    with pytest.raises(GateError, match="was changed or is not signed with the audit key"):
        used(desk)


def test_a_figure_of_a_gold_set_that_was_changed_is_refused(desk):
    runs.open_audit_log(desk.settings, desk.secrets)
    frozen(desk, "a text")
    desk.ask("update riverside_gold.gold_set set kappa = 0.99")
    with pytest.raises(GateError, match="or their rows differ"):
        used(desk)


def test_gold_sets_of_former_releases_are_taken_over_and_used(desk):
    with connect(desk.uri) as connection:
        gold = freeze_gold_set(connection, desk.settings, [note()], design="random", sample_version="s1", kappa=0.9)
    assert used(desk) == gold
    runs.open_audit_log(desk.settings, desk.secrets)
    assert used(desk) == gold
    assert findings(desk) == []


def test_a_log_that_was_changed_so_that_it_names_no_gold_sets_is_refused(desk):
    runs.open_audit_log(desk.settings, desk.secrets)
    frozen(desk, "a text")
    with connect(desk.uri) as connection:
        freeze_gold_set(connection, desk.settings, [note("forged")], design="random", sample_version="s1")
    [(seq, details)] = desk.ask(
        "select seq, details from riverside_results.audit_log where event = 'log_opened' and details ~ 'gold_set'"
    )
    without = details.replace('"gold_set"', '"other"')
    for change in (
        ("update riverside_results.audit_log set details = %s where seq = %s", without, seq),
        ("update riverside_results.audit_log set event = 'harvest' where seq = %s", seq),
        ("delete from riverside_results.audit_log where seq = %s", seq),
    ):
        desk.tamper(*change)
        with pytest.raises(GateError, match="the audit log does not name gold sets, and it was changed"):
            used(desk)


def test_a_gold_set_that_was_deleted_and_frozen_again_is_whole(desk):
    runs.open_audit_log(desk.settings, desk.secrets)
    first = frozen(desk, "a text")
    desk.ask("delete from riverside_gold.gold_set")
    assert findings(desk) == ["row 2: record missing: the row of gold_set that it names is gone or changed"]
    again = frozen(desk, "a text")
    assert again.version == first.version
    assert used(desk) == again
    assert findings(desk) == []
    assert desk.ask("select count(*) from riverside_results.audit_log where event = 'gold_frozen'") == [(2,)]
