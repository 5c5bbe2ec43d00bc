"""Exclusions that the warehouse lacks: a few end, and more hold until a person approves."""

import datetime
import logging

import pytest

from deid_tasks.core.identity import Identity
from deid_tasks.platform import runs
from tests.support.published_days import (
    DAY,
    START,
    follow_changes,
    plan_day,
    process,
    release,
    reset,
    rows_of,
    with_settings,
)

OFFICER = Identity("privacy officer", "airflow")
ROWS = "riverside_ehr.research_exclusion"


@pytest.fixture(scope="module")
def certified(site):
    return runs.evaluate_and_certify(site.settings, site.secrets)


@pytest.fixture
def excluding(site, certified):
    """Settings of a table of its own over one published day, from which five patients are excluded; and these."""
    settings = with_settings(
        site,
        publish={"table": "readmitted.notes"},
        gate={"volume": site.settings.gate.volume.model_copy(update={"enabled": False})},
    )
    site.rows("create schema kept")
    for table in ("note", "research_exclusion"):
        site.rows(f"create table kept.{table} as select * from riverside_ehr.{table}")
    site.rows(f"delete from {ROWS}")
    site.rows("delete from riverside_ehr.note where note_id % 4 <> 0")
    reset(settings, site)
    release(settings, site, "first", START, START + DAY)
    patients = site.rows(
        "select patient_id from riverside_results.note_ledger where outcome = 'published' group by 1 order by count(*), 1"
    )
    people = [patient for (patient,) in patients][:6]
    exclude(site, *people[:5])
    assert follow_changes(settings, site, "excluded")[0]["causes"] == {"excluded": len(excluded_ids(site))}
    yield settings, people
    for table in ("note", "research_exclusion"):
        site.rows(f"delete from riverside_ehr.{table}")
        site.rows(f"insert into riverside_ehr.{table} select * from kept.{table}")
    site.rows("drop schema kept cascade")
    reset(settings, site)


def exclude(site, *patients):
    for patient in patients:
        site.rows(
            f"insert into {ROWS} (exclusion_id, person_id, note_id, reason)"
            f" select coalesce((select max(exclusion_id) from {ROWS}), 0) + 1, person_id, null, 'opted_out'"
            f" from riverside_ehr.person where person_source_value = '{patient}'"
        )


def lose(site, *patients):
    named = ", ".join(repr(patient) for patient in patients)
    site.rows(
        f"delete from {ROWS} where person_id in"
        f" (select person_id from riverside_ehr.person where person_source_value in ({named}))"
    )


def merge(site, former, survivor):
    site.rows(
        "insert into riverside_ehr.person_merge (person_id, surviving_person_id, merged_at)"
        " select f.person_id, s.person_id, '2024-01-20' from riverside_ehr.person as f, riverside_ehr.person as s"
        f" where f.person_source_value = '{former}' and s.person_source_value = '{survivor}'"
    )


def asks_always(site, settings):
    """Settings under which no exclusion ends without a person."""
    kept = {"publish": dict(settings.publish), "gate": dict(settings.gate)}
    return with_settings(site, **kept, changes={"max_ended_exclusions": 0})


def excluded_ids(site, *patients):
    found = site.rows("select note_id, patient_id from riverside_results.note_ledger where outcome = 'excluded'")
    return sorted(note for note, patient in found if not patients or patient in patients)


def answer(settings, site, held, decision):
    runs.record_review(settings, site.secrets, "asked", held, decision, OFFICER, datetime.datetime.now(datetime.UTC))


def test_a_truncated_table_of_exclusions_readmits_nobody_in_any_kind_of_run(site, excluding, caplog):
    settings, people = excluding
    before, excluded = rows_of(settings, site), excluded_ids(site)
    site.rows(f"truncate {ROWS}")
    with caplog.at_level(logging.WARNING):
        plan, published = follow_changes(settings, site, "truncated")
    assert (plan["causes"], published) == ({}, None)
    [held] = plan["held"]["review"]
    assert (held["kind"], held["notes"]) == ("readmission", len(excluded))
    assert "has no exclusion left: it lacks 5 that it had" in held["reason"]
    [said] = [record.getMessage() for record in caplog.records if "review_readmissions" in record.getMessage()]
    assert not any(person in said for person in people)
    # Neither a run of the day nor a late note of such a patient leads around it.
    site.rows(
        "insert into riverside_ehr.note select * from kept.note as k where note_id % 4 <> 0 and exists ("
        " select 1 from riverside_ehr.note as n where n.person_id = k.person_id)"
    )
    shards = plan_day(settings, site, "day again")
    process(settings, site, "day again", {"kind": "notes", "shards": shards})
    named = ", ".join(repr(one) for one in people[:5])
    assert site.rows(
        f"select count(*) from riverside_results.note_ledger where outcome <> 'excluded' and patient_id in ({named})"
    ) == [(0,)]
    assert len(excluded_ids(site)) > len(excluded)
    # The next run goes on by itself once the exclusions are back.
    exclude(site, *people[:5])
    assert "held" not in runs.plan_changes_run(settings, site.secrets, "back")
    site.rows("delete from riverside_ehr.note where note_id % 4 <> 0")
    follow_changes(
        with_settings(site, publish=dict(settings.publish), changes={"max_removed_share": 1}), site, "as before"
    )
    assert rows_of(settings, site) == before


def test_exclusions_that_vanish_while_a_run_reads_let_nobody_in(site, excluding):
    settings, people = excluding
    plan = runs.plan_notes_run(settings, site.secrets, "race", START, START + DAY)
    exclude(site, people[5])
    # remove_notes sees the new exclusion, which vanishes before the run publishes.
    runs.remove_notes(settings, site.secrets, "race")
    lose(site, *people)
    pin = runs.pin_engine(settings, site.secrets)
    done = [runs.process_shard(settings, site.secrets, "race", pin, shard) for shard in plan["shards"]]
    released = runs.reconcile_run(settings, site.secrets, "race", pin, "notes", done)
    runs.publish_notes(settings, site.secrets, "race", pin, released)
    assert {
        patient
        for (patient,) in site.rows(
            "select distinct patient_id from riverside_results.note_ledger where outcome = 'excluded'"
        )
    } == set(people)


def test_a_few_end_and_small_steps_add_up(site, excluding):
    settings, people = excluding
    lose(site, *people[:3])
    notes = excluded_ids(site, *people[:3])
    assert follow_changes(settings, site, "three")[0]["causes"] == {"readmitted": len(notes)}
    lose(site, people[3])
    plan, _ = follow_changes(settings, site, "fourth")
    assert plan["causes"] == {}
    assert "lacks 1 that it had" in plan["held"]["review"][0]["reason"]
    assert "and 3 others have ended" in plan["held"]["review"][0]["reason"]
    site.rows("update riverside_results.warehouse_exclusion set ended_at = ended_at - interval '25 hours'")
    notes = excluded_ids(site, people[3])
    assert follow_changes(settings, site, "later")[0]["causes"] == {"readmitted": len(notes)}
    # The last row is never one of a few: a truncated table looks the same.
    lose(site, people[4])
    site.rows("delete from riverside_results.warehouse_exclusion where is_ended")
    assert "held" in runs.plan_changes_run(settings, site.secrets, "last")


def test_those_that_ended_and_came_back_count(site, excluding):
    """A table that is loaded in batches readmits no more patients than one that is loaded at once."""
    settings, people = excluding
    lose(site, *people[:3])
    follow_changes(settings, site, "first batch")
    exclude(site, *people[:3])
    follow_changes(settings, site, "back")
    lose(site, *people[3:5])
    plan, _ = follow_changes(settings, site, "second batch")
    assert plan["causes"] == {}
    assert "lacks 2 that it had" in plan["held"]["review"][0]["reason"]
    assert "and 3 others have ended" in plan["held"]["review"][0]["reason"]
    # One that ended, came back and vanished again is one.
    exclude(site, *people[3:5])
    lose(site, people[0])
    assert "held" not in runs.plan_changes_run(settings, site.secrets, "again")


def test_an_end_counts_once_it_was_named_for_a_day(site, excluding):
    settings, _ = excluding
    memory = "riverside_results.warehouse_exclusion"
    site.rows(f"update {ROWS} set valid_to = localtimestamp - interval '1 day'")
    plan, _ = follow_changes(settings, site, "closed")
    assert plan["causes"] == {}
    assert "lacks 5 that it had" in plan["held"]["review"][0]["reason"]
    # A load that closes the rows which it did not find may name the end of the day. Then the two hours pass.
    site.rows(f"update {ROWS} set valid_to = localtimestamp + interval '2 hours'")
    assert "held" not in runs.plan_changes_run(settings, site.secrets, "an earlier end")
    site.rows(f"update {ROWS} set valid_to = localtimestamp - interval '1 minute'")
    site.rows(f"update {memory} set valid_to = localtimestamp - interval '1 minute' where valid_to is not null")
    plan, _ = follow_changes(settings, site, "too early")
    assert (plan["causes"], "lacks 5 that it had" in plan["held"]["review"][0]["reason"]) == ({}, True)
    # Named for a day.
    site.rows(f"update {ROWS} set valid_to = localtimestamp + interval '2 hours'")
    assert "held" not in runs.plan_changes_run(settings, site.secrets, "named")
    site.rows(f"update {memory} set named_since = named_since - interval '25 hours'")
    assert "held" not in runs.plan_changes_run(settings, site.secrets, "a day later")
    site.rows(f"update {ROWS} set valid_to = localtimestamp - interval '1 minute'")
    site.rows(f"update {memory} set valid_to = localtimestamp - interval '1 minute' where valid_to is not null")
    notes = excluded_ids(site)
    assert follow_changes(settings, site, "ended")[0]["causes"] == {"readmitted": len(notes)}


def test_a_person_ends_those_that_were_shown_and_no_later_ones(site, excluding):
    settings, people = excluding
    settings = asks_always(site, settings)
    lose(site, *people[:2])
    plan, _ = follow_changes(settings, site, "asked")
    answer(settings, site, plan["held"], "rejected")
    assert follow_changes(settings, site, "rejected")[0]["causes"] == {}
    plan, _ = follow_changes(settings, site, "asked again")
    # One is back and vanishes again, and a third one vanishes, before the answer.
    exclude(site, people[1])
    runs.remove_notes(settings, site.secrets, "any run")
    lose(site, people[1], people[2])
    answer(settings, site, plan["held"], "approved")
    notes = excluded_ids(site, people[0])
    plan, _ = follow_changes(settings, site, "approved")
    assert plan["causes"] == {"readmitted": len(notes)}
    assert "lacks 2 that it had" in plan["held"]["review"][0]["reason"]
    # The approval is used up: the same exclusion is asked about anew.
    exclude(site, people[0])
    follow_changes(settings, site, "excluded again")
    lose(site, people[0])
    plan, _ = follow_changes(settings, site, "vanished again")
    assert (plan["causes"], "lacks 3 that it had" in plan["held"]["review"][0]["reason"]) == ({}, True)
    logged = site.rows(
        "select role, details::jsonb ->> 'kind', details::jsonb ? 'noticed_by' from riverside_results.audit_log"
        " where event = 'review' order by seq"
    )
    assert logged[-2:] == [("rejected", "readmission", True), ("approved", "readmission", True)]


def test_requests_end_at_once_also_while_exclusions_of_the_warehouse_are_missing(site, excluding):
    settings, people = excluding
    asked = {"reason": "opted_out", "requested_by": OFFICER}
    runs.retract(settings, site.secrets, patient_ids=[people[5]], **asked)
    follow_changes(settings, site, "by request")
    site.rows(f"truncate {ROWS}")
    runs.readmit(settings, site.secrets, patient_ids=[people[5]], **asked)
    notes = excluded_ids(site, people[5])
    plan, _ = follow_changes(settings, site, "ended")
    assert plan["causes"] == {"readmitted": len(notes)}
    assert "lacks 5 that it had" in plan["held"]["review"][0]["reason"]


def test_patients_whose_merge_is_lost_stay_excluded(site, excluding):
    settings, people = excluding
    merge(site, people[0], people[5])
    follow_changes(settings, site, "merged")
    assert excluded_ids(site, people[5])
    site.rows("delete from riverside_ehr.person_merge")
    plan, _ = follow_changes(asks_always(site, settings), site, "lost")
    assert "readmitted" not in plan["causes"]
    assert "lacks 1 that it had" in plan["held"]["review"][0]["reason"]
    assert excluded_ids(site, people[5])


def test_a_lost_merge_readmits_no_notes_of_a_survivor_who_is_excluded(site, excluding):
    settings, people = excluding
    # Notes of the sixth patient, who is merged into one who objected.
    merge(site, people[5], people[0])
    before = excluded_ids(site, people[0])
    follow_changes(settings, site, "merged")
    notes = sorted(set(excluded_ids(site, people[0])) - set(before))
    assert notes
    site.rows("delete from riverside_ehr.person_merge")
    settings = asks_always(site, settings)
    plan, _ = follow_changes(settings, site, "lost")
    assert "readmitted" not in plan["causes"]
    [held] = plan["held"]["review"]
    assert ("lacks 1 that it had" in held["reason"], held["notes"]) == (True, len(notes))
    assert set(notes) <= set(excluded_ids(site))
    # Both tables lost.
    site.rows(f"truncate {ROWS}")
    assert follow_changes(settings, site, "both")[0]["causes"] == {}
    exclude(site, *people[:5])
    # The merge was a mistake, which a person confirms.
    plan, _ = follow_changes(settings, site, "asked")
    answer(settings, site, plan["held"], "approved")
    plan, _ = follow_changes(settings, site, "approved")
    assert plan["causes"] == {"readmitted": len(notes)}
    assert excluded_ids(site, people[0]) == before


def test_a_row_without_a_reason_excludes_as_any_other(site, excluding):
    settings, people = excluding
    exclude(site, people[5])
    site.rows(f"update {ROWS} set reason = null")
    follow_changes(settings, site, "no reason")
    assert excluded_ids(site, people[5])


def test_notes_that_lose_their_excluded_patient_stay_out(site, excluding):
    settings, people = excluding
    types = tuple(kind for (kind,) in site.rows("select distinct note_type from riverside_results.note_ledger"))
    settings = with_settings(
        site,
        publish=dict(settings.publish),
        gate=dict(settings.gate),
        notes={"types_without_patient": types},
    )
    notes = excluded_ids(site, people[0])
    # A half-loaded table of persons: the notes are there, and whose they are is not.
    site.rows("create table kept.person as select * from riverside_ehr.person")
    lost = f"person_source_value = '{people[0]}'"
    site.rows(
        "create table kept.owner as select note_id, person_id from riverside_ehr.note where person_id ="
        f" (select person_id from kept.person where {lost})"
    )
    site.rows("update riverside_ehr.note set person_id = -1 where note_id in (select note_id from kept.owner)")
    plan, _ = follow_changes(settings, site, "no person")
    assert "readmitted" not in plan["causes"]
    shards = plan_day(settings, site, "day again")
    process(settings, site, "day again", {"kind": "notes", "shards": shards})
    assert set(notes) <= set(excluded_ids(site))
