"""Maintenance of a table that runs published: the rows, the ledger and the proof of a retraction stay."""

import datetime
import os
import time

import pytest

from deid_tasks.core.identity import Identity
from deid_tasks.engine.detect import sentence_cache
from deid_tasks.engine.detect.reader import Answer
from deid_tasks.engine.detect.sentence_cache import SentenceCache
from deid_tasks.platform import runs
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.runs.institution_engine import sentence_cache_file
from deid_tasks.platform.workspace import run_dir, work_dir
from tests.support.published_days import DAY, START, delete_exclusions, published, release, rows_of, with_settings

OFFICER = Identity("officer", "operating_system")

TEXT = "Marigold-coloured zither overture noted"
NOTE = "coalesce(note_source_value, note_id::text)"


@pytest.fixture(scope="module")
def kept(site):
    """Two published days."""
    settings = with_settings(site, publish={"table": "maintenance.notes"}, maintenance={"min_files": 2})
    runs.evaluate_and_certify(settings, site.secrets)
    [(note, text)] = site.rows(
        f"select {NOTE}, note_text from riverside_ehr.note where note_datetime < '{START + DAY}' order by 1 limit 1"
    )
    site.rows(f"update riverside_ehr.note set note_text = '{TEXT}.' where {NOTE} = '{note}'")
    release(settings, site, "first")
    release(settings, site, "second", START + DAY)
    yield settings, site, note
    escaped = text.replace("'", "''")
    site.rows(f"update riverside_ehr.note set note_text = '{escaped}' where {NOTE} = '{note}'")
    site.rows("delete from riverside_results.retraction")
    delete_exclusions(site)


def files(settings, site) -> list:
    return [task.file for task in open_table(settings, site.secrets).scan().plan_files()]


def every_row_in_the_bucket(settings, site, store) -> str:
    import io

    import boto3
    import pyarrow.parquet as pq

    client = boto3.client(
        "s3", endpoint_url=store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    )  # fmt: skip
    bucket, _, prefix = open_table(settings, site.secrets).location().partition("://")[2].partition("/")
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{prefix}/data/")
    keys = [entry["Key"] for page in pages for entry in page.get("Contents", ())]
    contents = [client.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys]
    return repr([pq.read_table(io.BytesIO(content)).to_pylist() for content in contents])


def test_files_become_fewer_and_rows_and_ledger_agree(kept):
    settings, site, _ = kept
    before, many = rows_of(settings, site), len(files(settings, site))
    report = runs.compact_table(settings, site.secrets)
    assert report["commits"] >= 1
    assert (report["files_before"] - report["files_after"], report["lost"]) == (many - len(files(settings, site)), 0)
    assert len(files(settings, site)) < many
    assert rows_of(settings, site) == before
    assert runs.compact_table(settings, site.secrets)["commits"] == 0
    assert runs.reconcile_ledger(settings, site.secrets)["in_table"] == len(before)


def test_snapshots_expire_by_age_and_never_before_readers_promised_time(kept):
    settings, site, _ = kept
    hasty = settings.model_copy(
        update={"maintenance": settings.maintenance.model_copy(update={"snapshot_days": 0, "min_snapshots": 1})}
    )
    many = len(open_table(settings, site.secrets).snapshots())
    assert runs.expire_snapshots(hasty, site.secrets)["snapshots"] == 0
    assert len(open_table(settings, site.secrets).snapshots()) == many > 1
    soon = hasty.model_copy(update={"publish": hasty.publish.model_copy(update={"retract_hours": 0.0})})
    report = runs.expire_snapshots(soon, site.secrets)
    assert report["snapshots"] >= many - 1
    # What a writer may not have committed yet stays for maintenance.orphan_hours.
    assert (report["files"], report["waiting"] > 0) == (0, True)
    assert len(open_table(settings, site.secrets).snapshots()) == 1


def test_no_byte_of_a_retracted_note_is_left_in_compacted_files(kept, object_store, monkeypatch):
    settings, site, note = kept
    runs.compact_table(settings, site.secrets)
    assert TEXT in every_row_in_the_bucket(settings, site, object_store)
    monkeypatch.setattr("deid_tasks.platform.runs.retractions._MAX_WRITING", datetime.timedelta(0))
    runs.retract(settings, site.secrets, note_ids=[note], reason="consent_withdrawn", requested_by=OFFICER)
    rows = published(settings, site).num_rows
    assert runs.retract_at_once(settings, site.secrets)["removed"] == 1
    runs.compact_table(settings, site.secrets)
    assert TEXT not in every_row_in_the_bucket(settings, site, object_store)
    assert published(settings, site).num_rows == rows - 1


def test_an_institution_without_a_table_has_nothing_to_maintain(kept):
    settings, site, _ = kept
    empty = settings.model_copy(
        update={"publish": settings.publish.model_copy(update={"table": "maintenance.never_published"})}
    )
    assert runs.compact_table(empty, site.secrets)["commits"] == 0
    assert runs.expire_snapshots(empty, site.secrets)["files"] == 0


def test_a_worker_prunes_the_sentence_cache_that_it_opens(kept, monkeypatch):
    settings, site, _ = kept
    file = sentence_cache_file(settings)
    held = SentenceCache(file, b"k" * 32, "version", 1_000_000)
    today = sentence_cache._today()
    monkeypatch.setattr(sentence_cache, "_today", lambda: 100)
    held.put(["No fever."], [Answer(())])
    held.close()
    # An engine of another test may have pruned it today.
    monkeypatch.setattr(sentence_cache, "_today", lambda: today + 1)
    pin = runs.pin_engine(settings, site.secrets)
    runs.load_engine(settings, site.secrets, pin)
    assert held.get(["No fever."]) == [None]
    held.close()


def test_what_old_runs_recorded_of_notes_goes_and_reconciliations_and_changes_work_without_it(kept):
    settings, site, _ = kept
    report = runs.reconcile_ledger(settings, site.secrets)
    # A note that a reconciliation found long ago has waited since.
    site.rows(
        "insert into riverside_results.run_note (run_id, note_id, note_day, cause, is_removal, listed_at)"
        " values ('reconciliation', 'waiting', '2024-01-01', 'late', false, '2020-01-01')"
    )
    counted = "select count(*) from riverside_results.{} where run_id = '{}'".format
    totals = site.rows("select * from riverside_results.run order by run_id")
    assert all(site.rows(counted(table, "first")) != [(0,)] for table in ("run_note", "run_day", "note_outcome"))
    young = site.rows(counted("note_outcome", "second"))
    assert runs.prune_outcomes(settings, site.secrets)["old_rows"] == 0
    site.rows("update riverside_results.run_note set listed_at = now() - interval '366 days' where run_id = 'first'")
    site.rows("update riverside_results.run set finished_at = now() - interval '366 days' where run_id = 'first'")
    assert runs.prune_outcomes(settings, site.secrets)["old_rows"] > 2
    assert all(site.rows(counted(table, "first")) == [(0,)] for table in ("run_note", "run_day", "note_outcome"))
    assert site.rows(counted("note_outcome", "second")) == young
    assert site.rows(counted("run_note", "reconciliation")) == [(1,)]
    assert len(site.rows("select 1 from riverside_results.run")) == len(totals)
    assert runs.reconcile_ledger(settings, site.secrets) == report
    assert runs.plan_changes_run(settings, site.secrets, "later")["causes"] == {}


def test_old_working_files_go_and_young_ones_stay(kept):
    settings, site, _ = kept
    work, old = work_dir(settings), time.time() - 800 * 24 * 3_600
    abandoned = run_dir(settings, "long ago")
    (abandoned / "shard.parquet").write_bytes(b"x")
    os.utime(abandoned, (old, old))
    evaluation = work / "evaluation"
    evaluation.mkdir(exist_ok=True)
    young = len(list(evaluation.glob("*.json")))
    for number in range(12):
        path = evaluation / f"old-{number}.json"
        path.write_text("{}")
        os.utime(path, (old + number, old + number))
    cache = SentenceCache(work / "cache" / "riverside.sqlite", b"k" * 32, "version", 1_000_000)
    cache.close()
    report = runs.prune_files(settings, site.secrets)
    assert report["runs"] == 1
    assert not abandoned.exists()
    assert run_dir(settings, "first").is_dir()
    # The newest ten stay, whatever their age.
    assert report["evaluation_reports"] == young + 2
    assert (evaluation / "old-11.json").exists()
    assert runs.prune_files(settings, site.secrets)["evaluation_reports"] == 0


@pytest.mark.parametrize("table", ["run_note", "note_outcome", "audit_finding"])
def test_what_runs_recorded_of_a_note_is_found_without_reading_the_table(kept, table):
    """A retraction deletes it while no run can publish, from tables that grow with every run."""
    _, site, _ = kept
    indexes = site.rows(
        "select indexdef from pg_indexes where schemaname = 'riverside_results' and tablename = '" + table + "'"
    )
    assert any(definition.endswith("(note_id)") for (definition,) in indexes)
