"""Shards of a run are about equally long, whatever patients its notes are of."""

import pytest

from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.shards import save_work_list
from deid_tasks.platform.warehouse.work_list import Cause, add_notes, plan_days, work_days
from deid_tasks.settings import NotesRequest
from tests.support.published_days import DAY, START, plan_day, with_settings

PLANNED = "riverside_results.run_note as w"
TEXTS = "riverside_ehr.note as n on coalesce(n.note_source_value, n.note_id::text) = w.note_id"


@pytest.fixture
def planned(site):
    """Settings of small shards, and the shards of two days."""
    settings = with_settings(site, notes={"shard_notes": 25})
    return settings, plan_day(settings, site, "sharded", START, START + 2 * DAY)


def lengths(site, run_id="sharded") -> dict[int, int]:
    return dict(
        site.rows(
            f"select w.shard, sum(octet_length(n.note_text)) from {PLANNED} join {TEXTS}"
            f" where w.run_id = '{run_id}' group by 1"
        )
    )


def check_lengths(site, count):
    by_shard = lengths(site)
    [(longest,)] = site.rows(f"select max(octet_length(n.note_text)) from {PLANNED} join {TEXTS}")
    assert sorted(by_shard) == list(range(count))
    # A shard begins and ends with a note of which it has one half at least.
    assert max(by_shard.values()) - min(by_shard.values()) <= 2 * longest


def test_every_note_is_in_one_shard_and_shards_are_equally_long(site, planned):
    _, shards = planned
    assert len(shards) == len(site.notes) // 25
    check_lengths(site, len(shards))
    # Notes of a patient and a day are together, except where a shard ends.
    [(split,)] = site.rows(
        "select count(*) from (select n.person_id, w.note_day from"
        f" {PLANNED} join {TEXTS} group by 1, 2 having count(distinct w.shard) > 1) as x"
    )
    assert split < len(shards)


@pytest.mark.parametrize("person", ["null", "(select min(person_id) from riverside_ehr.person)"])
def test_notes_of_one_patient_or_of_none_are_spread(site, planned, person):
    settings, _ = planned
    site.rows(
        "create table held as select note_id, person_id from riverside_ehr.note;"
        " alter table riverside_ehr.note alter person_id drop not null;"
        f" update riverside_ehr.note set person_id = {person}"
    )
    try:
        shards = plan_day(settings, site, "sharded", START, START + 2 * DAY)
        check_lengths(site, len(shards))
    finally:
        site.rows(
            "update riverside_ehr.note as n set person_id = h.person_id from held as h where n.note_id = h.note_id;"
            " alter table riverside_ehr.note alter person_id set not null; drop table held"
        )


def test_a_shard_names_its_days_and_what_left_the_source_has_no_shard(site, planned):
    settings, shards = planned
    days = [START.date(), (START + DAY).date()]
    with connect(site.uri) as connection:
        plan_days(connection, settings, days, NotesRequest())
        add_notes(connection, Cause.DAY, [("gone", days[0])])
        save_work_list(connection, settings, "sharded", days, len(shards))
        found = [work_days(connection, settings, "sharded", shard["index"]) for shard in shards]
    assert {day for days in found for day in days} == {START.date(), (START + DAY).date()}
    assert sum(map(len, found)) <= len(shards) + 1
    assert site.rows("select shard from riverside_results.run_note where note_id = 'gone'") == [(None,)]
