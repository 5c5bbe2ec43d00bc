"""A day of notes from the warehouse to the published table, over PostgreSQL and an S3 emulator."""

import base64
import multiprocessing
import os
import signal
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_tasks.core import files
from deid_tasks.core.errors import GateError, LexiconError, WarehouseError
from deid_tasks.hospital.records import World
from deid_tasks.platform import runs
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.workspace import run_dir, write_digest
from deid_tasks.settings import Secrets
from deid_tasks.settings.gate import VolumeSettings
from tests.support.published_days import DAY, START, plan_day, published, release, shard_paths, texts, with_settings


@pytest.fixture(scope="module")
def certified(site):
    """The figures of a passed evaluation."""
    return runs.evaluate_and_certify(site.settings, site.secrets)


@pytest.fixture(scope="module")
def pin(site, certified):
    return runs.pin_engine(site.settings, site.secrets)


@pytest.fixture(scope="module")
def first_run(site, certified):
    return release(site.settings, site, "first")


def test_the_world_is_not_the_demos(site):
    assert site.hospital.spec.world is not World.TEST


def test_evaluation_shows_what_the_dictionaries_add(certified):
    assert set(certified["designs"]) == {"stratified", "random"}
    for figures in certified["designs"].values():
        assert figures["recall_full"] > figures["recall_without_dictionaries"] + 0.05
        assert figures["recall_lower_bound"] < figures["recall_full"]


def test_every_note_of_the_day_is_published_or_quarantined(site, first_run):
    shards, released, publication = first_run
    day = [note for note in site.notes if note.note_datetime.date() == START.date()]
    assert len(shards) > 1
    assert released["notes_read"] == len(day) == released["published"] + released["quarantined"]
    assert publication["notes"] == released["published"]
    outcomes = site.rows(
        "select count(*), count(distinct note_id) from riverside_results.note_outcome where run_id = 'first'"
    )
    assert outcomes == [(len(day), len(day))]


def test_recovered_spans_and_sentences_are_counted_over_all_shards(site, pin):
    start = START + 200 * DAY
    (shard,) = plan_day(site.settings, site, "counted", start)
    done = runs.process_shard(site.settings, site.secrets, "counted", pin, shard)
    assert (done["recovered"], done["sentences"]) == ({}, {})
    reports = [{**done, "recovered": {"PATIENT": 2, "DATE": 1}, "sentences": {"read": 5}}]
    for _ in range(2):
        runs.reconcile_run(site.settings, site.secrets, "counted", pin, "notes", reports)
        counted = site.rows(
            "select measure, entity, value from riverside_results.run_count where run_id = 'counted' order by 1, 2"
        )
        assert counted == [("recovered_spans", "DATE", 1), ("recovered_spans", "PATIENT", 2), ("sentences_read", "", 5)]


def test_no_identifier_of_the_patient_is_published(site, first_run):
    everything = "\n".join(texts(published(site.settings, site)).values()).casefold()
    for patient in site.hospital.patients:
        for value in (
            patient.mrn,
            patient.ssn,
            patient.phone,
            patient.email,
            f"{patient.person.first} {patient.person.last}",
        ):
            assert value.casefold() not in everything


def test_no_real_key_or_date_is_published(site, first_run):
    table = published(site.settings, site)
    real = (
        {note.note_id for note in site.notes}
        | {note.patient_id for note in site.notes}
        | {note.author_id for note in site.notes}
    )
    for column in ("note_key", "patient_key", "author_key", "slice_key"):
        assert not real & set(table[column].to_pylist())
    moments = {note.note_datetime for note in site.notes}
    assert not moments & set(table["note_datetime"].to_pylist())
    snapshot = open_table(site.settings, site.secrets).current_snapshot()
    assert snapshot.summary["palimpsest.certificate"] == first_run[1]["certificate"]
    assert "2024" not in snapshot.summary["palimpsest.run"]


def test_shard_size_and_order_change_nothing(site, first_run, pin):
    before = texts(published(site.settings, site))
    for shard_notes in (7, 1_000):
        settings = with_settings(site, notes={"shard_notes": shard_notes})
        shards = plan_day(settings, site, "again", START)
        done = [runs.process_shard(settings, site.secrets, "again", pin, shard) for shard in reversed(shards)]
        released = runs.reconcile_run(settings, site.secrets, "again", pin, "notes", done)
        runs.publish_notes(settings, site.secrets, "again", pin, released)
        assert texts(published(settings, site)) == before


def test_each_day_is_a_slice_of_its_own(site, first_run):
    before = published(site.settings, site).num_rows
    _, _, publication = release(site.settings, site, "second", START + DAY)
    assert published(site.settings, site).num_rows == before + publication["notes"]


def test_a_day_without_notes_waits_for_a_person(site, certified):
    start = START + 300 * DAY
    with pytest.raises(GateError, match="held for review: 2024-10-27 has no notes, and too few weeks"):
        release(site.settings, site, "nothing", start)
    unjudged = with_settings(site, gate={"volume": VolumeSettings(enabled=False)})
    shards, released, publication = release(unjudged, site, "nothing", start)
    assert (len(shards), released["notes_read"], publication["notes"]) == (1, 0, 0)


def test_a_day_far_from_what_its_weekday_usually_has_waits_for_a_person(site, certified):
    strict = with_settings(site, gate={"volume": VolumeSettings(weeks=1, min_weeks=1, min_ratio=0.99, max_ratio=1.0)})
    day = (START - 7 * DAY).date()
    site.rows(
        "insert into riverside_results.published_slice (slice_key, slice_start, slice_end, note_day, key_id, run_id,"
        f" published_at) values ('usual', '{day}', '{day + DAY}', '{day}', 'k', 'usual', now())"
    )
    try:
        with pytest.raises(
            GateError, match=r"held for review: 2024-01-01 has \d+ notes; the same weekday usually has 0"
        ):
            release(strict, site, "unusual")
    finally:
        site.rows("delete from riverside_results.published_slice where slice_key = 'usual'")


def _process(settings, secrets_held, pin, shard):
    """Process a shard, and wait before its file gets its name: whoever kills this process cannot come too late."""
    move = files._move

    def wait(written, target, *, replace):
        if target.parent == run_dir(settings, "killed"):
            time.sleep(600)
        move(written, target, replace=replace)

    files._move = wait
    runs.process_shard(settings, Secrets(secrets_held.get), "killed", pin, shard)


def test_a_killed_worker_and_a_retry_give_the_same_table(site, first_run, pin):
    before = texts(published(site.settings, site))
    settings = with_settings(site, notes={"shard_notes": 10_000})
    (shard,) = plan_day(settings, site, "killed", START)
    names = ("riverside_ehr", "catalog", "object_store", "riverside_key")
    worker = multiprocessing.get_context("spawn").Process(
        target=_process, args=(settings, {name: site.secrets.text(name) for name in names}, pin, shard)
    )
    worker.start()
    folder = run_dir(settings, "killed")
    # Kill the worker while the unfinished file exists and the finished one does not.
    while not list(folder.glob(".shard-*.partial")):
        assert worker.is_alive(), "the worker ended before it could be killed"
        time.sleep(0.002)
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    assert not list(folder.glob("*.parquet"))
    with pytest.raises(WarehouseError, match="1 of 1 shard files are missing"):
        runs.reconcile_run(settings, site.secrets, "killed", pin, "notes", [{"file": "shard-0000-of-0001.parquet"}])
    release(settings, site, "killed")
    assert texts(published(settings, site)) == before


def test_a_run_planned_again_with_fewer_shards_passes_over_reports_of_removed_tasks(site, first_run, pin):
    before = texts(published(site.settings, site))
    many, one = (with_settings(site, notes={"shard_notes": size}) for size in (10, 10_000))
    former = [runs.process_shard(many, site.secrets, "fewer", pin, shard) for shard in plan_day(many, site, "fewer")]
    assert len(former) > 1
    (shard,) = plan_day(one, site, "fewer")
    done = runs.process_shard(one, site.secrets, "fewer", pin, shard)
    # Airflow removes the tasks of the former plan, and hands their reports over all the same.
    released = runs.reconcile_run(one, site.secrets, "fewer", pin, "notes", [done, *former[1:]])
    assert released["files"] == [done["file"]]
    runs.publish_notes(one, site.secrets, "fewer", pin, released)
    assert texts(published(one, site)) == before


def test_a_broken_detector_gets_no_certificate_and_publishes_nothing(site, first_run, monkeypatch):
    from deid_tasks.engine.detect.lexicon_detector import LexiconDetector
    from deid_tasks.engine.detect.patient_detector import PatientDetector

    before = texts(published(site.settings, site))
    # Settings without dictionaries give another fingerprint, which is not promoted.
    settings = with_settings(site, gate={"recall_min": 0.9}, detect={"detectors": ("patterns",)})
    with pytest.raises(
        GateError, match=r"recall_lower_bound \(random\) is 0.*must be at least 0.9.*worst on the random"
    ):
        runs.evaluate_and_certify(settings, site.secrets)
    with pytest.raises(GateError, match=r"no promoted engine has those of now; run evaluate__riverside"):
        release(settings, site, "broken")
    # The evaluation notices detectors that find nothing.
    monkeypatch.setattr(LexiconDetector, "detect", lambda self, documents: [[] for _ in documents])
    monkeypatch.setattr(PatientDetector, "detect", lambda self, documents: [[] for _ in documents])
    strict = with_settings(site, gate={"recall_min": 0.9})
    with pytest.raises(GateError, match="recall_lower_bound"):
        runs.evaluate_and_certify(strict, site.secrets)
    assert texts(published(site.settings, site)) == before


def test_a_note_that_vanishes_on_the_way_stops_the_run(site, pin):
    settings = with_settings(site, notes={"shard_notes": 10_000})
    (shard,) = plan_day(settings, site, "lossy", START)
    done = runs.process_shard(settings, site.secrets, "lossy", pin, shard)
    [path] = shard_paths(settings, "lossy", [done])
    table = pq.read_table(path)
    pq.write_table(table.slice(1), path)
    write_digest(path)
    with pytest.raises(GateError, match="unaccounted_notes is 1"):
        runs.reconcile_run(settings, site.secrets, "lossy", pin, "notes", [done])


def test_an_identifier_left_in_a_shard_stops_the_run(site, pin):
    settings = with_settings(site, notes={"shard_notes": 10_000})
    (shard,) = plan_day(settings, site, "leaky", START)
    done = runs.process_shard(settings, site.secrets, "leaky", pin, shard)
    [path] = shard_paths(settings, "leaky", [done])
    rows = pq.read_table(path)
    mrns = {patient.patient_id: patient.mrn for patient in site.hospital.patients}
    leaked = [
        f"MRN {mrns[row['patient_id']]}" if i == 0 else row["deid_text"] for i, row in enumerate(rows.to_pylist())
    ]
    index = rows.schema.get_field_index("deid_text")
    pq.write_table(rows.set_column(index, rows.schema.field(index), pa.array(leaked)), path)
    write_digest(path)
    with pytest.raises(GateError, match="audit_findings is 1") as caught:
        runs.reconcile_run(settings, site.secrets, "leaky", pin, "notes", [done])
    assert not any(mrn in str(caught.value) for mrn in mrns.values())


def test_with_another_key_the_error_names_the_secret_and_what_to_run(site):
    other = base64.b64encode(bytes(range(1, 33))).decode()
    secrets = Secrets(lambda name: other if name == "riverside_key" else site.secrets.text(name))
    with pytest.raises(LexiconError, match=r"another key.*secret 'riverside_key' has changed.*dictionaries__riverside"):
        runs.load_engine(site.settings, secrets)


def test_without_a_lexicon_the_error_says_what_to_run(site, pin, tmp_path):
    settings = site.settings.model_copy(update={"work_dir": str(tmp_path)})
    with pytest.raises(LexiconError, match="run dictionaries__riverside first"):
        runs.load_engine(settings, site.secrets)
    with pytest.raises(LexiconError, match=r"is missing.*run dictionaries__riverside and then evaluate__riverside"):
        runs.process_shard(settings, site.secrets, "early", pin, {"index": 0, "count": 1})
