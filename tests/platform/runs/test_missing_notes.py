"""Notes that the warehouse lacks: a few leave the published table, and many wait for a person."""

import datetime
import logging

import pytest

from deid_tasks.core.identity import Identity
from deid_tasks.platform import runs
from tests.support.published_days import DAY, START, follow_changes, plan_day, release, reset, rows_of, with_settings

NOTE = "coalesce(note_source_value, note_id::text)"
OFFICER = Identity("privacy officer", "airflow")


@pytest.fixture(scope="module")
def certified(site):
    return runs.evaluate_and_certify(site.settings, site.secrets)


@pytest.fixture
def loaded(site, certified):
    """Settings of a table of its own over one published day, and a source that is put back afterwards."""
    settings = with_settings(
        site,
        publish={"table": "missing.notes"},
        changes={"few_notes": 3},
        gate={"volume": site.settings.gate.volume.model_copy(update={"enabled": False})},
    )
    site.rows("create schema kept")
    site.rows("create table kept.note as select * from riverside_ehr.note")
    site.rows("delete from riverside_ehr.note where note_id % 4 <> 0")
    site.rows("create table kept.loaded as select * from riverside_ehr.note")
    reset(settings, site)
    release(settings, site, "first", START, START + DAY)
    yield settings
    site.rows("delete from riverside_ehr.note")
    site.rows("insert into riverside_ehr.note select * from kept.note")
    site.rows("drop schema kept cascade")
    reset(settings, site)


def load(site):
    site.rows("insert into riverside_ehr.note select * from kept.loaded")


def published_ids(site):
    found = site.rows("select note_id from riverside_results.note_ledger where note_key is not null order by note_id")
    return [note for (note,) in found]


def delete(site, notes):
    site.rows(f"delete from riverside_ehr.note where {NOTE} in ({', '.join(repr(note) for note in notes)})")


def answer(settings, site, held, decision, run_id="asked"):
    runs.record_review(settings, site.secrets, run_id, held, decision, OFFICER, datetime.datetime.now(datetime.UTC))


def test_a_warehouse_that_is_loaded_again_takes_no_note_away_and_exclusions_go_on(site, loaded, caplog):
    before = rows_of(loaded, site)
    notes = published_ids(site)
    asked = {"reason": "consent_withdrawn", "requested_by": OFFICER}
    runs.retract(loaded, site.secrets, note_ids=notes[:1], **asked)
    site.rows("delete from riverside_ehr.note")
    with caplog.at_level(logging.WARNING):
        plan, published = follow_changes(loaded, site, "empty")
    # The note that a person took out goes, although the warehouse lacks it too.
    assert (plan["causes"], published) == ({"excluded": 1}, None)
    assert len(rows_of(loaded, site)) == len(before) - 1
    left = len(before) - 1
    [held] = plan["held"]["review"]
    assert (held["kind"], held["notes"]) == ("removal", left)
    assert f"the warehouse does not hold {left} of {left + 1} published notes any more" in held["reason"]
    [said] = [record.getMessage() for record in caplog.records if "review_removals" in record.getMessage()]
    assert held["reason"] in said
    assert not any(note in said for note in notes)
    # No other way leads around it: a retraction at once, a run of the day, and a run that read the notes before.
    assert runs.retract_at_once(loaded, site.secrets)["removed"] == 0
    shards = plan_day(loaded, site, "day again")
    assert len(shards) == 1
    assert runs.remove_notes(loaded, site.secrets, "day again")["removed"] == 0
    assert len(rows_of(loaded, site)) == left
    # The next run goes on by itself once the notes are back.
    load(site)
    plan, _ = follow_changes(loaded, site, "back")
    assert plan["causes"] == {"excluded": 1}
    assert "held" not in plan
    assert len(rows_of(loaded, site)) == left


def test_notes_that_vanish_while_a_run_reads_them_stay(site, loaded):
    before = rows_of(loaded, site)
    plan = runs.plan_notes_run(loaded, site.secrets, "race", START, START + DAY)
    pin = runs.pin_engine(loaded, site.secrets)
    runs.remove_notes(loaded, site.secrets, "race")
    done = [runs.process_shard(loaded, site.secrets, "race", pin, shard) for shard in plan["shards"]]
    site.rows("delete from riverside_ehr.note")
    released = runs.reconcile_run(loaded, site.secrets, "race", pin, "notes", done)
    assert runs.publish_notes(loaded, site.secrets, "race", pin, released)["left"] == len(before)
    assert rows_of(loaded, site) == before
    load(site)
    assert follow_changes(loaded, site, "back")[0]["causes"] == {}


def test_a_few_notes_leave_and_small_steps_add_up(site, loaded):
    notes, rows = published_ids(site), len(rows_of(loaded, site))
    delete(site, notes[:2])
    assert follow_changes(loaded, site, "two")[0]["causes"] == {"deleted": 2}
    delete(site, notes[2:4])
    plan, _ = follow_changes(loaded, site, "four")
    assert plan["causes"] == {}
    assert "and 2 have left it" in plan["held"]["review"][0]["reason"]
    # On the next day they are few again.
    site.rows("update riverside_results.retraction set removed_at = removed_at - interval '25 hours'")
    assert follow_changes(loaded, site, "later")[0]["causes"] == {"deleted": 2}
    assert len(rows_of(loaded, site)) == rows - 4


def test_a_person_lets_many_notes_go_and_no_more_than_were_asked_about(site, loaded):
    notes, rows = published_ids(site), len(rows_of(loaded, site))
    delete(site, notes[:6])
    plan, _ = follow_changes(loaded, site, "asked")
    answer(loaded, site, plan["held"], "rejected")
    assert follow_changes(loaded, site, "rejected")[0]["causes"] == {}
    answer(loaded, site, plan["held"], "approved")
    delete(site, notes[6:10])
    plan, _ = follow_changes(loaded, site, "more")
    assert (plan["causes"], plan["held"]["review"][0]["notes"]) == ({}, 10)
    site.rows(f"insert into riverside_ehr.note select * from kept.loaded where {NOTE} = any(array{notes[6:10]!r})")
    assert follow_changes(loaded, site, "approved")[0]["causes"] == {"deleted": 6}
    assert len(rows_of(loaded, site)) == rows - 6
    # The approval is used up, and what it let go does not count against the few of the day.
    delete(site, notes[6:9])
    assert follow_changes(loaded, site, "few")[0]["causes"] == {"deleted": 3}
    delete(site, notes[9:10])
    assert "held" in runs.plan_changes_run(loaded, site.secrets, "used up")
    logged = site.rows(
        "select role, details::jsonb ->> 'notes' from riverside_results.audit_log where event = 'review'"
    )
    assert logged[-2:] == [("rejected", "6"), ("approved", "6")]
    assert len(site.rows("select kind from riverside_results.approval where kind = 'removal'")) == 2


def test_many_changed_notes_are_said_and_judged_as_a_day_is(site, loaded, caplog):
    settings = with_settings(
        site,
        publish=dict(loaded.publish),
        changes={"few_notes": 3},
        gate={"drift": loaded.gate.drift.model_copy(update={"min_words": 1}), "volume": loaded.gate.volume},
    )
    site.rows(
        "update riverside_ehr.note set note_text = repeat('Vitals stable. ', 200), load_datetime = load_datetime + interval '1 hour'"
    )
    plan = runs.plan_changes_run(settings, site.secrets, "large")
    assert "notes came or changed" in caplog.text
    pin = runs.pin_engine(settings, site.secrets)
    done = [runs.process_shard(settings, site.secrets, "large", pin, shard) for shard in plan["shards"]]
    released = runs.reconcile_run(settings, site.secrets, "large", pin, "changes", done)
    assert [one["kind"] for one in released["review"]] == ["drift"]
