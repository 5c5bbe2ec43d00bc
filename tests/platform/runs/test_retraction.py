"""A retracted note leaves no byte in bucket, vault, working files or ledger."""

import dataclasses
import datetime
from pathlib import Path

import boto3
import pytest

from deid_tasks.core.errors import GateError, InputError
from deid_tasks.core.identity import Identity
from deid_tasks.platform import runs
from deid_tasks.platform.vault import new_vault_keys
from deid_tasks.settings import Secrets, VaultSettings
from tests.support.phi_places import STAYS_RETRACTED, each_table_with
from tests.support.published_days import (
    DAY,
    START,
    delete_exclusions,
    follow_changes,
    plan_day,
    published,
    release,
    with_settings,
)

OFFICER = Identity("officer", "operating_system")

PLANTED = "Marigold-coloured zither overture noted"
NOTE = "coalesce(note_source_value, note_id::text)"
BUCKETS = ("published", "retracted-originals")


@pytest.fixture(scope="module")
def kept(site, object_store):
    """A site with a vault, and one day with a planted note."""
    _client(object_store).create_bucket(Bucket=BUCKETS[1])
    held = {
        name: site.secrets.text(name)
        for name in (
            "riverside_ehr", "catalog", "object_store", "riverside_key", "certificate_signing_key",
            "certificate_verification_key",
        )
    } | {"vault_public_key": new_vault_keys()[1]}  # fmt: skip
    settings = with_settings(site, publish={"table": "retraction.notes"}).model_copy(
        update={"vault": VaultSettings(bucket=BUCKETS[1], object_store="object_store")}
    )
    keeper = dataclasses.replace(site, settings=settings, secrets=Secrets(held.get))
    runs.evaluate_and_certify(settings, keeper.secrets)
    [(note, text)] = site.rows(
        f"select {NOTE}, note_text from riverside_ehr.note where note_datetime < '{START + DAY}' order by 1 limit 1"
    )
    site.rows(f"update riverside_ehr.note set note_text = '{PLANTED}.' where {NOTE} = '{note}'")
    _, released, _ = release(settings, keeper, "planted")
    runs.store_vault(settings, keeper.secrets, "planted", released)
    yield keeper, note
    site.rows("delete from riverside_results.retraction")
    delete_exclusions(site)
    escaped = text.replace("'", "''")
    site.rows(f"update riverside_ehr.note set note_text = '{escaped}' where {NOTE} = '{note}'")


def _client(store):
    return boto3.client(
        "s3", endpoint_url=store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    )  # fmt: skip


def _objects(store) -> dict[str, bytes]:
    client, found = _client(store), {}
    # Other tests publish the same notes to tables of their own.
    for bucket, prefix in zip(BUCKETS, ("palimpsest/retraction/", ""), strict=True):
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            for entry in page.get("Contents", ()):
                found[f"{bucket}/{entry['Key']}"] = client.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
    return found


def _holders(store, work: Path, *wanted: str) -> list[str]:
    """Return every object and working file whose bytes hold one of the texts; Parquet files are read as columns."""
    import io

    import pyarrow.parquet as pq

    contents = _objects(store) | {str(path): path.read_bytes() for path in work.rglob("*") if path.is_file()}
    found = []
    for name, content in contents.items():
        if name.endswith(".parquet"):
            content = str(pq.read_table(io.BytesIO(content)).to_pylist()).encode()
        if any(text.encode() in content for text in wanted):
            found.append(name)
    return sorted(found)


def test_nothing_to_retract_or_no_reason_is_refused(kept):
    keeper, note = kept
    for arguments in ({"note_ids": []}, {"note_ids": [note], "reason": " "}):
        with pytest.raises(InputError, match="at least one patient"):
            runs.retract(
                keeper.settings, keeper.secrets, **{"reason": "opted_out", "requested_by": OFFICER} | arguments
            )


def test_no_byte_is_left(kept, object_store, monkeypatch):
    keeper, note = kept
    settings, secrets, work = keeper.settings, keeper.secrets, Path(keeper.settings.work_dir)
    [(note_key,)] = keeper.rows(f"select note_key from riverside_results.note_ledger where note_id = '{note}'")
    vault = f"{BUCKETS[1]}/"
    before = _holders(object_store, work, PLANTED, note_key)
    # Published data, the shard, and the readable header of the vault's entry.
    assert any(name.startswith("published/") for name in before)
    assert any(name.startswith(vault) for name in before)
    assert any(name.endswith(".parquet") and name.startswith(str(work)) for name in before)
    rows = published(settings, keeper).num_rows
    monkeypatch.setattr("deid_tasks.platform.runs.retractions._MAX_WRITING", datetime.timedelta(0))
    runs.retract(settings, secrets, note_ids=[note], reason="consent_withdrawn", requested_by=OFFICER)
    done = runs.retract_at_once(settings, secrets)
    assert done["removed"] == 1
    assert done["files"] > 0
    assert _holders(object_store, work, PLANTED, note_key) == []
    assert published(settings, keeper).num_rows == rows - 1
    [ledger] = keeper.rows(
        "select outcome, exclusion, content_hash, output_hash, note_key from riverside_results.note_ledger"
        f" where note_id = '{note}'"
    )
    assert ledger == ("excluded", "consent_withdrawn", None, None, None)
    [(document, purged)] = keeper.rows("select document, purged_at from riverside_results.retraction")
    assert purged is not None
    assert '"reasons": {"excluded": 1}' in document
    assert note not in document
    # The source still holds the note, and no run takes it up again.
    release(settings, keeper, "next")
    assert published(settings, keeper).num_rows == rows - 1


def test_readers_may_use_former_snapshots_for_a_while(kept):
    keeper, _ = kept
    settings, secrets = keeper.settings, keeper.secrets
    [(note,)] = keeper.rows(
        "select note_id from riverside_results.note_ledger where outcome = 'published' order by 1 limit 1"
    )
    runs.retract(settings, secrets, note_ids=[note], reason="legal_hold", requested_by=OFFICER)
    runs.plan_changes_run(settings, secrets, "waiting")
    assert runs.remove_notes(settings, secrets, "waiting")["removed"] == 1
    assert runs.purge_removed(settings, secrets)["retractions"] == 0
    keeper.rows(
        "update riverside_results.retraction set removed_at = removed_at - interval '13 hours' where purged_at is null"
    )
    # Files that no snapshot names are too young to be told from those of a writer.
    assert runs.purge_removed(settings, secrets)["retractions"] == 0
    keeper.rows(
        "update riverside_results.retraction set removed_at = removed_at - interval '12 hours' where purged_at is null"
    )
    with pytest.raises(GateError, match=r"more than publish.retract_hours ago.*files are younger than 0:30:00"):
        runs.purge_removed(settings, secrets)


def test_a_patient_excluded_during_a_run_is_not_published(kept):
    keeper, _ = kept
    settings, secrets = keeper.settings, keeper.secrets
    shards = plan_day(settings, keeper, "during")
    pin = runs.pin_engine(settings, secrets)
    runs.remove_notes(settings, secrets, "during")
    done = [runs.process_shard(settings, secrets, "during", pin, shard) for shard in shards]
    [(patient,)] = keeper.rows(
        "select patient_id from riverside_results.note_ledger where outcome = 'published' and note_day = '2024-01-01'"
        " order by 1 limit 1"
    )
    runs.retract(settings, secrets, patient_ids=[patient], reason="opted_out", requested_by=OFFICER)
    released = runs.reconcile_run(settings, secrets, "during", pin, "notes", done)
    runs.publish_notes(settings, secrets, "during", pin, released)
    states = keeper.rows(
        f"select distinct outcome from riverside_results.note_ledger where patient_id = '{patient}'"
        " and note_day = '2024-01-01'"
    )
    assert states == [("excluded",)]


def test_a_retracted_patient_stays_in_the_tables_that_the_page_names_alone(kept, monkeypatch):
    keeper, _ = kept
    settings, secrets = keeper.settings, keeper.secrets
    published_notes = {
        patient: (notes.split(), keys.split())
        for patient, notes, keys in keeper.rows(
            "select patient_id, string_agg(note_id, ' '), string_agg(note_key, ' ') from riverside_results.note_ledger"
            " where outcome = 'published' group by 1"
        )
    }
    names = {one.patient_id: one.person.last for one in keeper.hospital.patients if one.patient_id in published_notes}
    # A long name is in no pseudonym by chance.
    patient = max(names, key=lambda one: (len(names[one]), one))
    notes, pseudonyms = published_notes[patient]
    words = [names[patient], names[patient].lower(), *notes, *pseudonyms]

    def holders() -> set[str]:
        # Another patient's note has the patient's number.
        numbered = each_table_with(keeper.uri, "riverside", patient, except_in="note_id")
        return each_table_with(keeper.uri, "riverside", *words) | numbered

    before = holders()
    assert {"_ehr.note", "_results.run_note", "_results.note_outcome", "_history.patient_name_history"} <= before
    monkeypatch.setattr("deid_tasks.platform.runs.retractions._MAX_WRITING", datetime.timedelta(0))
    runs.retract(settings, secrets, patient_ids=[patient], reason="consent_withdrawn", requested_by=OFFICER)
    # A run that has not published yet needs its list: what it says of the patient waits for maintenance.
    waiting = "insert into riverside_results.run_note (run_id, note_id, note_day, cause, is_removal)"
    keeper.rows(f"{waiting} values ('still reading', '{notes[0]}', '2024-01-01', 'late', false)")
    assert runs.retract_at_once(settings, secrets)["removed"] == len(notes)
    left = keeper.rows(f"select run_id from riverside_results.run_note where note_id = '{notes[0]}'")
    assert left == [("still reading",)]
    keeper.rows("update riverside_results.run_note set result = 'left' where run_id = 'still reading'")
    follow_changes(settings, keeper, "changes")
    assert runs.prune_outcomes(settings, secrets)["rows_of_excluded_notes"] == 1
    found = holders()
    assert {"_ehr.note", "_results.exclusion", "_results.note_ledger"} <= found
    assert {one for one in found if not {one, one.partition(".")[0]} & STAYS_RETRACTED} == set()
    assert not each_table_with(keeper.uri, "riverside", *pseudonyms)
