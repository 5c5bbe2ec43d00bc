"""The inventory of docs/explanation/security.md: no file and no table holds text or names that it does not list."""

import os

import boto3
import psycopg2
import pytest

from deid_tasks.platform import runs
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.annotations import drawn_samples
from deid_tasks.platform.workspace import work_dir
from tests.support.freeze_truth import freeze_truth
from tests.support.phi_places import WITH_TEXT, WITHOUT_TEXT, content_of, files_with, schemas_of, tables_with
from tests.support.published_days import DAY, START, process, with_settings
from tests.support.role_logins import CANARY


@pytest.fixture(scope="module")
def stored(role_site, worked):
    """A day that was published, with its working files, samples with task lists, and a harvest; settings of it."""
    settings = with_settings(role_site, maintenance={"text_days": 0.0})
    plan = runs.plan_notes_run(settings, role_site.secrets, "kept", START + DAY, START + 2 * DAY)
    process(settings, role_site, "kept", plan)
    runs.draw_samples(settings, role_site.secrets)
    runs.export_tasks(settings, role_site.secrets)
    runs.harvest_candidates(settings, role_site.secrets)
    # What a training leaves that was killed.
    leftover = work_dir(settings) / "training" / "0123456789abcdef"
    leftover.mkdir(parents=True)
    (leftover / "sentences.txt").write_text(CANARY)
    # What tasks leave that were killed while they wrote: long ago, and one just now.
    for place, is_old in (
        ("harvest/.0123.4567.partial", True),
        ("harvest/.counting-89ab", True),
        ("annotation/.cdef.0123.earlier", True),
        ("models/.4567.89ab.partial", False),
    ):
        unfinished = work_dir(settings) / place
        unfinished.mkdir(parents=True)
        (unfinished / "sentences.txt").write_text(CANARY if is_old else "")
        if is_old:
            for path in (unfinished / "sentences.txt", unfinished):
                os.utime(path, (0, 0))
    return settings


def test_the_inventory_has_places_of_both_kinds():
    assert {"_ehr", "_gold", "work_dir/annotation", "work_dir/models", "work_dir/training"} <= WITH_TEXT
    assert {"_dictionaries", "_history", "work_dir/people"} <= WITHOUT_TEXT


def test_every_place_with_the_text_of_a_note_is_listed(role_site, stored):
    files, tables = files_with(work_dir(stored), CANARY), tables_with(role_site.superuser, "rolesite", CANARY)
    # It is found where it must be, so that it is looked for in the right way.
    assert {"work_dir/annotation", "work_dir/harvest", "work_dir/runs", "work_dir/training"} <= files
    assert {"_ehr", "_gold"} <= tables
    assert files | tables <= WITH_TEXT


def test_every_place_with_the_names_of_a_patient_is_listed(role_site, stored):
    name = max((patient.person.last for patient in role_site.hospital.patients), key=len)
    tables = tables_with(role_site.superuser, "rolesite", name, name.lower(), name.upper())
    assert {"_ehr", "_dictionaries", "_history"} <= tables
    assert tables <= WITH_TEXT | WITHOUT_TEXT
    assert files_with(work_dir(stored), name) <= WITH_TEXT


def test_neither_dbt_nor_the_server_wrote_a_sentence_or_a_name_to_a_file(role_site, stored, postgres):
    name = max((patient.person.last for patient in role_site.hospital.patients), key=len)
    beside = work_dir(stored).parent
    files = [path for part in ("target", "logs") for path in (beside / part).rglob("*") if path.is_file()]
    assert any(path.suffix == ".sql" for path in files)
    assert "dbt.log" not in {path.name for path in files}
    for path in (*files, postgres.home / "server.log"):
        content = content_of(path)
        assert not any(word in content for word in (CANARY, name)), path.name


def test_every_folder_and_schema_is_listed(role_site, stored):
    folders = {f"work_dir/{path.name}" for path in work_dir(stored).iterdir()}
    assert folders <= WITH_TEXT | WITHOUT_TEXT
    schemas = schemas_of(role_site.superuser, "rolesite")
    assert schemas <= WITH_TEXT | WITHOUT_TEXT


def test_the_vault_shows_no_text(role_site, stored, object_store):
    client = boto3.client(
        "s3", endpoint_url=object_store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    )  # fmt: skip
    objects = client.list_objects_v2(Bucket="rolesite-originals")["Contents"]
    names = {one.person.last.encode() for one in role_site.hospital.patients if len(one.person.last) > 5}
    for one in objects:
        content = client.get_object(Bucket="rolesite-originals", Key=one["Key"])["Body"].read()
        assert CANARY.encode() not in content
        assert not any(name in content for name in names)


def test_retention_deletes_what_the_inventory_says(role_site, stored):
    settings, secrets = stored, role_site.secrets
    # Samples without a gold set stay: people work on them.
    report = runs.delete_old_texts(settings, secrets)
    assert (report["annotations"], report["trainings"], report["unfinished"]) == (0, 1, 3)
    assert report["harvests"] >= 1
    with connect(role_site.uris["evidence"]) as connection:
        samples = drawn_samples(connection, settings, ())
    own = psycopg2.connect(role_site.uris["evidence"])
    for sample in samples:
        freeze_truth(own, settings, role_site.notes[100:110], sample.design, sample.version)
    own.close()
    nothing = {"annotations": 0, "harvests": 0, "trainings": 0, "unfinished": 0}
    assert runs.delete_old_texts(settings, secrets) == {**nothing, "annotations": len(samples)}
    runs.delete_run_files(settings, secrets, "kept")
    assert files_with(work_dir(settings), CANARY) == set()
    assert tables_with(role_site.superuser, "rolesite", CANARY) == {"_ehr", "_gold"}
    assert runs.delete_old_texts(settings, secrets) == nothing
