"""What becomes of the published table where one of its stores is restored from a backup and the others are not."""

import dataclasses

import psycopg2
import pytest

from deid_tasks.core.errors import GateError
from deid_tasks.platform import runs
from deid_tasks.platform.publish.catalog import open_catalog
from deid_tasks.platform.publish.purge import table_bucket
from deid_tasks.settings import Secrets
from tests.support.published_days import DAY, START, follow_changes, open_table, published, release, with_settings

NOTE = "coalesce(note_source_value, note_id::text)"


@pytest.fixture(scope="module")
def backed_up(site, postgres):
    """A published day, and a copy of the warehouse from before one of its notes came."""
    settings = with_settings(site, publish={"table": "restored.notes"})
    runs.evaluate_and_certify(settings, site.secrets)
    [(late, moment)] = site.rows(
        f"select {NOTE}, note_datetime from riverside_ehr.note where note_datetime < '{START + DAY}' order by 1 limit 1"
    )
    move = f"update riverside_ehr.note set note_datetime = '%s' where {NOTE} = '{late}'"
    site.rows(move % (START - 30 * DAY))
    release(settings, site, "first")
    administrator = psycopg2.connect(postgres.uri("postgres"))
    administrator.autocommit = True
    with administrator.cursor() as cursor:
        cursor.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'runs_tests'")
        cursor.execute("create database runs_restored template runs_tests")
    administrator.close()
    site.rows(move % moment)
    follow_changes(settings, site, "late")
    uri = postgres.uri("runs_restored")
    names = (
        "catalog", "object_store", "riverside_key", "certificate_signing_key", "certificate_verification_key",
        "audit_signing_key", "audit_verification_key",
    )  # fmt: skip
    held = {name: site.secrets.text(name) for name in names} | {"riverside_ehr": uri}
    copy = dataclasses.replace(site, uri=uri, secrets=Secrets(held.get))
    copy.rows(move % moment)
    return settings, site, copy


def test_rows_that_the_ledger_forgot_stand_twice_until_their_day_is_backfilled(backed_up):
    settings, site, restored = backed_up
    right = sorted(published(settings, site)["note_key"].to_pylist())
    assert runs.reconcile_ledger(settings, site.secrets)["in_table"] == len(right)
    with pytest.raises(GateError, match="rows_beside_the_ledger"):
        runs.reconcile_ledger(settings, restored.secrets)
    follow_changes(settings, restored, "again")
    assert published(settings, restored).num_rows == len(right) + 1
    release(settings, restored, "backfill")
    assert sorted(published(settings, restored)["note_key"].to_pylist()) == right
    assert runs.reconcile_ledger(settings, restored.secrets)["in_table"] == len(right)


def test_a_lost_catalog_is_made_again_from_the_newest_metadata_file(backed_up):
    settings, _, restored = backed_up
    before = published(settings, restored)
    table = open_table(settings, restored.secrets)
    location = table.location()
    catalog = open_catalog(settings, restored.secrets)
    catalog.drop_table(settings.publish.table)
    folder = f"{location.split('/', 3)[3]}/metadata/"
    bucket = table_bucket(table, settings, restored.secrets)
    newest = max(one.key for one in bucket.list(folder) if one.key.endswith(".metadata.json"))
    catalog.register_table(settings.publish.table, f"s3://{settings.publish.bucket}/{newest}")
    assert published(settings, restored).equals(before)
    release(settings, restored, "after the catalog")
    assert published(settings, restored).num_rows == before.num_rows
