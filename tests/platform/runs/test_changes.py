"""Notes that change after their day was published: the table becomes what a run from nothing would publish."""

import pytest

from deid_tasks.core.errors import GateError, InputError
from deid_tasks.core.identity import Identity
from deid_tasks.platform import runs
from deid_tasks.platform.publish import count_rows_by_slice, open_table
from deid_tasks.platform.warehouse import connect
from deid_tasks.settings import NotesRequest
from tests.support.published_days import (
    DAY,
    START,
    delete_exclusions,
    follow_changes,
    from_nothing,
    process,
    release,
    reset,
    rows_of,
    with_settings,
)


@pytest.fixture(scope="module")
def certified(site):
    return runs.evaluate_and_certify(site.settings, site.secrets)


@pytest.fixture
def changing(site, certified):
    """Settings of a table of its own over two published days, and a source that is put back afterwards."""
    settings = with_settings(
        site,
        publish={"table": "changes.notes"},
        gate={"volume": site.settings.gate.volume.model_copy(update={"enabled": False})},
    )
    site.rows("create schema kept")
    for table in ("note", "person", "person_name", "person_merge", "research_exclusion"):
        site.rows(f"create table kept.{table} as select * from riverside_ehr.{table}")
    # Each test publishes everything twice: a quarter of the notes will do.
    site.rows("delete from riverside_ehr.note where note_id % 4 <> 0")
    reset(settings, site)
    release(settings, site, "first", START, START + 2 * DAY)
    yield settings
    for table in ("research_exclusion", "person_merge", "person_name", "note", "person"):
        site.rows(f"delete from riverside_ehr.{table}")
    for table in ("person", "note", "person_name", "person_merge", "research_exclusion"):
        site.rows(f"insert into riverside_ehr.{table} select * from kept.{table}")
    site.rows("drop schema kept cascade")
    reset(settings, site)


def one_note(site, settings, *, skip=0):
    """Return id of a published note."""
    found = site.rows("select note_id from riverside_results.note_ledger where outcome = 'published' order by note_id")
    return found[skip][0]


NOTE = "coalesce(note_source_value, note_id::text)"


def test_nothing_changed_plans_nothing(site, changing):
    before = open_table(changing, site.secrets).current_snapshot().snapshot_id
    plan, published = follow_changes(changing, site, "idle")
    assert plan == {"kind": "changes", "shards": [], "causes": {}}
    assert published is None
    assert open_table(changing, site.secrets).current_snapshot().snapshot_id == before


def test_an_amended_note_gets_its_new_text(site, changing):
    note = one_note(site, changing)
    site.rows(
        f"update riverside_ehr.note set note_text = note_text || ' Addendum: afebrile overnight.',"
        f" load_datetime = load_datetime + interval '1 hour' where {NOTE} = '{note}'"
    )
    plan, published = follow_changes(changing, site, "amended")
    assert plan["causes"] == {"amended": 1}
    assert published["notes"] == 1
    rows = rows_of(changing, site)
    assert sum("afebrile overnight" in row["text"] for row in rows) == 1
    assert rows == from_nothing(changing, site)


def test_a_deleted_note_leaves_and_a_late_one_comes(site, changing):
    gone, moved = one_note(site, changing), one_note(site, changing, skip=1)
    site.rows(f"delete from riverside_ehr.note where {NOTE} = '{gone}'")
    site.rows(
        f"create temp table late as select * from riverside_ehr.note where {NOTE} = '{moved}';"
        " update late set note_id = 990002, note_source_value = 'LATE-1';"
        " insert into riverside_ehr.note select * from late"
    )
    plan, _ = follow_changes(changing, site, "moved")
    assert plan["causes"] == {"deleted": 1, "late": 1}
    # The purge of files reads which notes were removed, also after the run has published others.
    removed = site.rows(
        "select result, former_note_key is not null from riverside_results.run_note"
        " where run_id = 'moved' and cause = 'deleted'"
    )
    assert removed == [("removed", True)]
    assert rows_of(changing, site) == from_nothing(changing, site)


def test_a_note_of_another_day_moves_and_one_of_an_unpublished_day_waits(site, changing):
    first, second = one_note(site, changing), one_note(site, changing, skip=1)
    day = site.rows(f"select note_day from riverside_results.note_ledger where note_id = '{first}'")[0][0]
    other = START.date() if day != START.date() else (START + DAY).date()
    site.rows(
        f"update riverside_ehr.note set note_datetime = '{other} 12:00', note_date = '{other}' where {NOTE} = '{first}'"
    )
    site.rows(f"update riverside_ehr.note set note_datetime = '2024-03-09 12:00' where {NOTE} = '{second}'")
    before = len(rows_of(changing, site))
    plan, _ = follow_changes(changing, site, "redated")
    assert plan["causes"] == {"redated": 2}
    rows = rows_of(changing, site)
    assert len(rows) == before - 1
    assert rows == from_nothing(changing, site)


def test_excluded_patients_leave_and_come_back(site, changing):
    note = one_note(site, changing)
    patient = site.rows(f"select patient_id from riverside_results.note_ledger where note_id = '{note}'")[0][0]
    notes = site.rows(f"select count(*) from riverside_results.note_ledger where patient_id = '{patient}'")[0][0]
    person = site.rows(f"select person_id from riverside_ehr.person where person_source_value = '{patient}'")[0][0]
    before = rows_of(changing, site)
    site.rows(
        "insert into riverside_ehr.research_exclusion (exclusion_id, person_id, note_id, reason, valid_from, valid_to)"
        f" values (1, {person}, null, 'consent_withdrawn', null, null)"
    )
    plan, _ = follow_changes(changing, site, "excluded")
    assert plan["causes"] == {"excluded": notes}
    assert len(rows_of(changing, site)) == len(before) - notes
    site.rows("update riverside_ehr.research_exclusion set valid_from = '2024-01-05'")
    assert follow_changes(changing, site, "again")[0]["causes"] == {}
    site.rows("update riverside_ehr.research_exclusion set valid_to = '2024-02-01'")
    plan, _ = follow_changes(changing, site, "readmitted")
    assert plan["causes"] == {"readmitted": notes}
    assert rows_of(changing, site) == before


def test_merged_patients_share_a_pseudonym(site, changing):
    patients = site.rows(
        "select patient_id, count(*) from riverside_results.note_ledger where outcome = 'published' group by 1 order by 1"
    )
    (former, notes), (surviving, _) = patients[:2]
    ids = dict(site.rows("select person_source_value, person_id from riverside_ehr.person"))
    before = len({row["patient_key"] for row in rows_of(changing, site)})
    site.rows(
        "insert into riverside_ehr.person_merge (person_id, surviving_person_id, merged_at)"
        f" values ({ids[former]}, {ids[surviving]}, '2024-01-20')"
    )
    plan, _ = follow_changes(changing, site, "merged")
    assert plan["causes"]["merged"] >= notes
    # The surviving patient's record now holds the former names too.
    assert set(plan["causes"]) <= {"merged", "record"}
    rows = rows_of(changing, site)
    assert len({row["patient_key"] for row in rows}) == before - 1
    assert rows == from_nothing(changing, site)


def test_a_changed_record_is_read_again(site, changing):
    note = one_note(site, changing)
    patient = site.rows(f"select patient_id from riverside_results.note_ledger where note_id = '{note}'")[0][0]
    notes = site.rows(f"select count(*) from riverside_results.note_ledger where patient_id = '{patient}'")[0][0]
    site.rows(
        "insert into riverside_ehr.person_name (person_id, name_use, first_name, last_name, valid_from)"
        f" select person_id, 'official', 'Zephyrine', 'Quillfeather', '2024-02-01' from riverside_ehr.person"
        f" where person_source_value = '{patient}'"
    )
    plan, _ = follow_changes(changing, site, "record")
    assert plan["causes"] == {"record": notes}
    assert rows_of(changing, site) == from_nothing(changing, site)


def test_a_request_to_retract_removes_a_note(site, changing):
    note = one_note(site, changing)
    before = len(rows_of(changing, site))
    asked = runs.retract(
        changing,
        site.secrets,
        note_ids=[note],
        reason="consent_withdrawn",
        requested_by=Identity("privacy officer", "unverified"),
    )
    assert asked == {"notes": 1, "patients": 0}
    plan, _ = follow_changes(changing, site, "retract")
    assert plan["causes"] == {"excluded": 1}
    assert len(rows_of(changing, site)) == before - 1
    [(document,)] = site.rows("select document from riverside_results.retraction")
    assert note not in document
    assert rows_of(changing, site) == from_nothing(changing, site)


def test_a_note_amended_while_it_is_read_is_left_to_the_next_run(site, changing):
    note = one_note(site, changing)
    amend = (
        f"update riverside_ehr.note set note_text = 'Vitals stable.', load_datetime = load_datetime + interval '1 hour'"
        f" where {NOTE} = '{note}'"
    )
    plan = runs.plan_notes_run(changing, site.secrets, "race", START, START + 2 * DAY)
    runs.remove_notes(changing, site.secrets, "race")
    pin = runs.pin_engine(changing, site.secrets)
    done = [runs.process_shard(changing, site.secrets, "race", pin, shard) for shard in plan["shards"]]
    before = rows_of(changing, site)
    site.rows(amend)
    released = runs.reconcile_run(changing, site.secrets, "race", pin, "notes", done)
    published = runs.publish_notes(changing, site.secrets, "race", pin, released)
    assert published["left"] == 1
    assert rows_of(changing, site) == before
    assert follow_changes(changing, site, "after")[0]["causes"] == {"amended": 1}
    assert rows_of(changing, site) == from_nothing(changing, site)


def test_an_interrupted_publication_is_repeated(site, changing, monkeypatch):
    note = one_note(site, changing)
    site.rows(
        f"update riverside_ehr.note set note_text = 'Vitals stable.', load_datetime = load_datetime + interval '1 hour'"
        f" where {NOTE} = '{note}'"
    )
    with monkeypatch.context() as patched:
        patched.setattr("deid_tasks.platform.runs.publication.replace_notes", _killed)
        with pytest.raises(KeyboardInterrupt):
            follow_changes(changing, site, "killed")
    assert follow_changes(changing, site, "after")[0]["causes"] == {"interrupted": 1}
    assert rows_of(changing, site) == from_nothing(changing, site)


def test_a_note_whose_exclusion_ends_after_its_removal_was_killed_comes_back(site, changing, monkeypatch):
    note, before = one_note(site, changing), rows_of(changing, site)
    asked_by = Identity("privacy officer", "unverified")
    runs.retract(changing, site.secrets, note_ids=[note], reason="opted_out", requested_by=asked_by)
    with monkeypatch.context() as patched:
        # The table's commit is done, and the ledger's is not.
        patched.setattr("deid_tasks.platform.runs.publication.record_retraction", _killed)
        with pytest.raises(KeyboardInterrupt):
            follow_changes(changing, site, "killed")
    assert len(rows_of(changing, site)) == len(before) - 1
    delete_exclusions(site, f"note_id = '{note}'")
    assert follow_changes(changing, site, "after")[0]["causes"] == {"interrupted": 1}
    assert rows_of(changing, site) == before


def test_a_run_of_one_note_type_replaces_its_notes_and_no_others(site, changing):
    note_type = site.rows("select note_type from riverside_results.note_ledger order by note_id limit 1")[0][0]
    notes = site.rows(f"select count(*) from riverside_results.note_ledger where note_type = '{note_type}'")[0][0]
    before = rows_of(changing, site)
    request = NotesRequest(note_types=(note_type,))
    plan = runs.plan_notes_run(changing, site.secrets, "part", START, START + 2 * DAY, request)
    assert plan["causes"] == {"day": notes}
    assert 0 < notes < len(before)
    _, published = process(changing, site, "part", plan)
    assert published["notes"] == notes
    assert rows_of(changing, site) == before
    assert follow_changes(changing, site, "after")[0]["causes"] == {}


def test_a_run_of_quarantined_notes_takes_these_and_a_dry_run_none(site, changing):
    note = one_note(site, changing)
    site.rows(f"update riverside_results.note_ledger set outcome = 'quarantined' where note_id = '{note}'")
    days = START, START + 2 * DAY
    dry = NotesRequest(only="quarantined", dry_run=True)
    plan = runs.plan_notes_run(changing, site.secrets, "dry", *days, dry)
    assert plan == {"kind": "notes", "shards": [], "causes": {"day": 1}}
    assert site.rows("select count(*) from riverside_results.run_note where run_id = 'dry'") == [(0,)]
    plan = runs.plan_notes_run(changing, site.secrets, "quarantined", *days, NotesRequest(only="quarantined"))
    assert plan["causes"] == {"day": 1}


def test_a_part_of_a_day_that_is_not_published_is_refused(site, changing):
    request = NotesRequest(note_types=("Progress note",))
    with pytest.raises(InputError, match="2024-01-03 is not published yet"):
        runs.plan_notes_run(changing, site.secrets, "part", START, START + 3 * DAY, request)


def test_a_run_that_only_removes_stands_among_the_others(site, changing):
    note = one_note(site, changing)
    day = site.rows(f"select note_day from riverside_results.note_ledger where note_id = '{note}'")[0][0].isoformat()
    site.rows(f"delete from riverside_ehr.note where {NOTE} = '{note}'")
    assert runs.plan_changes_run(changing, site.secrets, "removal")["shards"] == []
    removed = runs.remove_notes(changing, site.secrets, "removal")
    assert removed["days"] == [day]
    report = runs.record_removals(changing, site.secrets, "removal", "changes", removed)
    assert (report["notes"], report["removed"], report["days"]) == (0, 1, [day])
    recorded = site.rows(
        "select kind, slice_start::date::text, notes_read, removed from riverside_results.run where run_id = 'removal'"
    )
    assert recorded == [("changes", day, 0, 1)]


def _killed(*_args, **_kwargs):
    raise KeyboardInterrupt


def test_another_author_is_followed_although_no_time_says_so(site, changing):
    note = one_note(site, changing)
    site.rows(
        "update riverside_ehr.note set provider_id = (select min(p.provider_id) from riverside_ehr.provider as p"
        f" where p.provider_id <> note.provider_id) where {NOTE} = '{note}'"
    )
    assert follow_changes(changing, site, "author")[0]["causes"] == {"amended": 1}
    assert rows_of(changing, site) == from_nothing(changing, site)


def test_a_note_type_that_needs_no_record_any_more_is_read_again(site, changing):
    note = one_note(site, changing)
    site.rows(f"update riverside_ehr.note set person_id = -1, note_title = 'Ward log' where {NOTE} = '{note}'")
    before = len(rows_of(changing, site))
    follow_changes(changing, site, "nobody")
    assert len(rows_of(changing, site)) == before - 1
    notes = changing.notes.model_copy(update={"types_without_patient": ("Ward log",)})
    without = changing.model_copy(update={"notes": notes})
    assert follow_changes(without, site, "without")[0]["causes"] == {"record": 1}
    assert len(rows_of(without, site)) == before
    assert follow_changes(without, site, "idle")[0]["causes"] == {}
    assert follow_changes(changing, site, "needed again")[0]["causes"] == {"record": 1}
    assert rows_of(changing, site) == from_nothing(changing, site)


def test_a_day_whose_first_run_was_killed_waits_for_its_run(site, changing, monkeypatch):
    reset(changing, site)
    site.rows("update riverside_ehr.note set load_datetime = null")
    release(changing, site, "first", START)
    with monkeypatch.context() as patched:
        patched.setattr("deid_tasks.platform.runs.publication.replace_notes", _killed)
        with pytest.raises(KeyboardInterrupt):
            release(changing, site, "killed", START + DAY)
    begun = "from riverside_results.note_ledger where outcome = 'publishing'"
    ((gone, amended),) = site.rows(f"select min(note_id), max(note_id) {begun}")
    site.rows(f"delete from riverside_ehr.note where {NOTE} = '{gone}'")
    site.rows(f"update riverside_ehr.note set note_text = 'Vitals stable.' where {NOTE} = '{amended}'")
    # Only what must leave the table leaves it, and the day is not taken for published.
    plan, _ = follow_changes(changing, site, "after")
    assert plan == {"kind": "changes", "shards": [], "causes": {"deleted": 1}}
    assert site.rows("select count(*) from riverside_results.published_slice where published_at is not null") == [(1,)]
    assert follow_changes(changing, site, "again")[0]["causes"] == {}
    release(changing, site, "killed", START + DAY)
    assert rows_of(changing, site) == from_nothing(changing, site)


def test_no_run_publishes_while_the_ledger_is_reconciled(site, changing, monkeypatch):
    def count_alone(settings, secrets):
        with connect(site.uri) as other, other.cursor() as cursor:
            cursor.execute("select pg_try_advisory_lock(hashtextextended('publish riverside', 0))")
            assert cursor.fetchone() == (False,)
        return count_rows_by_slice(settings, secrets)

    monkeypatch.setattr("deid_tasks.platform.runs.ledger_checks.count_rows_by_slice", count_alone)
    report = runs.reconcile_ledger(changing, site.secrets)
    assert report["in_table"] == report["published"] == len(rows_of(changing, site))


def test_a_change_is_overdue_once_reconciliations_have_found_it_for_long(site, changing):
    older = (
        "update riverside_results.run_note set listed_at = listed_at - interval '2 days'"
        " where run_id = 'reconciliation'"
    )
    site.rows(f"delete from riverside_ehr.note where {NOTE} = '{one_note(site, changing)}'")
    for _ in range(2):
        assert runs.reconcile_ledger(changing, site.secrets)["pending"] == 1
    # As if all that had been days ago.
    site.rows("update riverside_results.note_ledger set updated_at = updated_at - interval '3 days'")
    site.rows(older)
    with pytest.raises(GateError, match="overdue_changes is 1"):
        runs.reconcile_ledger(changing, site.secrets)
    follow_changes(changing, site, "late")
    assert runs.reconcile_ledger(changing, site.secrets)["pending"] == 0
    # A note that was published since it was found has changed anew.
    amend = f"update riverside_ehr.note set note_text = note_text || '.', load_datetime = now() where {NOTE} = %s"
    note = one_note(site, changing)
    site.rows(amend.replace("%s", f"'{note}'"))
    runs.reconcile_ledger(changing, site.secrets)
    follow_changes(changing, site, "amended")
    site.rows(amend.replace("%s", f"'{note}'"))
    site.rows(older)
    assert runs.reconcile_ledger(changing, site.secrets)["pending"] == 1
