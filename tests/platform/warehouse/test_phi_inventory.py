"""The inventory of docs/explanation/security.md: no file and no table holds text or names that it does not list."""

import gzip
import re
from pathlib import Path

import boto3
import psycopg2
import pyarrow.parquet as pq
import pytest
from psycopg2 import sql

from deid_tasks.platform import runs
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.annotations import drawn_samples
from deid_tasks.platform.workspace import work_dir
from tests.support.freeze_truth import freeze_truth
from tests.support.published_days import DAY, START, process, with_settings
from tests.support.role_logins import CANARY

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "security.md"


def listed(heading):
    """The places in the first column of the table below a heading: schemas of layers, and folders of work_dir."""
    section = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    [table] = [one for one in section if one.startswith(heading)]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    return {place for cell in cells for place in re.findall(r"`(_[a-z]+|work_dir/[a-z]+)`", cell)}


WITH_TEXT = listed("Where a note's text can be stored")
WITHOUT_TEXT = listed("Other places with names, keys or ids, without text")


def content_of(path):
    """What a file holds, as somebody would find it who looked."""
    raw = path.read_bytes()
    if raw.startswith(b"PAR1"):
        return repr(pq.read_table(path).to_pylist())
    if raw.startswith(b"\x1f\x8b"):
        raw = gzip.decompress(raw)
    return raw.decode("utf-8", errors="replace")


def files_with(settings, *words):
    """The folders of work_dir with a file that holds one of the words."""
    folder = work_dir(settings)
    return {
        f"work_dir/{path.relative_to(folder).parts[0]}"
        for path in folder.rglob("*")
        if path.is_file() and any(word in content_of(path) for word in words)
    }


def tables_with(role_site, *words):
    """The layers with a table that holds one of the words, and the tables outside of the institution's layers."""
    connection = psycopg2.connect(role_site.superuser)
    found = set()
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "select nspname, relname from pg_class as c inner join pg_namespace as n on c.relnamespace = n.oid"
            " where relkind in ('r', 'p', 'm') and nspname not in ('pg_catalog', 'information_schema')"
        )
        for schema, table in cursor.fetchall():
            cursor.execute(
                sql.SQL("select exists (select 1 from {} as t where t::text like any(%s))").format(
                    sql.Identifier(schema, table)
                ),
                ([f"%{word}%" for word in words],),
            )
            if cursor.fetchone() == (True,):
                found.add(schema.removeprefix("rolesite") if schema.startswith("rolesite_") else f"{schema}.{table}")
    connection.close()
    return found


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
    return settings


def test_the_inventory_has_places_of_both_kinds():
    assert {"_ehr", "_gold", "work_dir/annotation", "work_dir/models", "work_dir/training"} <= WITH_TEXT
    assert {"_dictionaries", "_history", "work_dir/people"} <= WITHOUT_TEXT


def test_every_place_with_the_text_of_a_note_is_listed(role_site, stored):
    files, tables = files_with(stored, CANARY), tables_with(role_site, CANARY)
    # It is found where it must be, so that it is looked for in the right way.
    assert {"work_dir/annotation", "work_dir/harvest", "work_dir/runs", "work_dir/training"} <= files
    assert {"_ehr", "_gold"} <= tables
    assert files | tables <= WITH_TEXT


def test_every_place_with_the_names_of_a_patient_is_listed(role_site, stored):
    name = max((patient.person.last for patient in role_site.hospital.patients), key=len)
    tables = tables_with(role_site, name, name.lower(), name.upper())
    assert {"_ehr", "_dictionaries", "_history"} <= tables
    assert tables <= WITH_TEXT | WITHOUT_TEXT
    assert files_with(stored, name) <= WITH_TEXT


def test_every_folder_and_schema_is_listed(role_site, stored):
    folders = {f"work_dir/{path.name}" for path in work_dir(stored).iterdir()}
    assert folders <= WITH_TEXT | WITHOUT_TEXT
    connection = psycopg2.connect(role_site.superuser)
    with connection, connection.cursor() as cursor:
        cursor.execute("select nspname from pg_namespace where nspname like 'rolesite%'")
        schemas = {name.removeprefix("rolesite") for (name,) in cursor.fetchall()}
    connection.close()
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
    assert (report["annotations"], report["trainings"]) == (0, 1)
    assert report["harvests"] >= 1
    with connect(role_site.uris["evidence"]) as connection:
        samples = drawn_samples(connection, settings, ())
    own = psycopg2.connect(role_site.uris["evidence"])
    for sample in samples:
        freeze_truth(own, settings, role_site.notes[100:110], sample.design, sample.version)
    own.close()
    assert runs.delete_old_texts(settings, secrets) == {"annotations": len(samples), "harvests": 0, "trainings": 0}
    runs.delete_run_files(settings, secrets, "kept")
    assert files_with(settings, CANARY) == set()
    assert tables_with(role_site, CANARY) == {"_ehr", "_gold"}
    assert runs.delete_old_texts(settings, secrets) == {"annotations": 0, "harvests": 0, "trainings": 0}
