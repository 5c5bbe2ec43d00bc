"""A run whose workers have no folder in common: its table is the one that workers with a folder give."""

import dataclasses
import json
import shutil
from pathlib import Path

import boto3
import pytest

from deid_tasks.platform import runs
from deid_tasks.platform.vault import new_vault_keys
from deid_tasks.platform.workspace import SharedFiles, work_dir
from deid_tasks.settings import Secrets, VaultSettings, WorkspaceSettings
from tests.support.published_days import START, plan_day, release, rows_of

SHARED = ("lexicon", "people", "harvest")


@pytest.fixture(scope="module")
def hosts(site, object_store, tmp_path_factory):
    """Settings of two workers, and a site with their secrets; the first worker has compiled the dictionaries."""
    client = boto3.client(
        "s3", endpoint_url=object_store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    )  # fmt: skip
    for bucket in ("work", "work-vault"):
        client.create_bucket(Bucket=bucket)
    held = {"working": json.dumps(object_store), "vault_public_key": new_vault_keys()[1]}
    secrets = Secrets(lambda name: held.get(name) or site.secrets.find(name))
    publish = site.settings.publish.model_copy(update={"table": "remote.notes"})
    vault = VaultSettings(bucket="work-vault", object_store="object_store")

    def settings_of(host: str):
        folder = str(tmp_path_factory.mktemp(host))
        workspace = WorkspaceSettings(object_store="working", local_dir=folder, key="riverside_key")
        update = {"work_dir": "s3://work/riverside", "workspace": workspace, "publish": publish, "vault": vault}
        return site.settings.model_copy(update=update)

    runs.evaluate_and_certify(site.settings, site.secrets)
    compiler = settings_of("compiler")
    for name in SHARED:
        source = Path(site.settings.work_dir, name)
        if source.is_dir():
            shutil.copytree(source, work_dir(compiler) / name)
            SharedFiles(compiler, secrets).share(work_dir(compiler) / name)
    return settings_of("one"), settings_of("two"), dataclasses.replace(site, secrets=secrets)


def files_with_notes(settings) -> list[str]:
    folders = (work_dir(settings) / name for name in ("runs", "annotation"))
    return [str(path) for folder in folders for path in folder.rglob("*") if path.is_file()]


def test_workers_without_a_common_folder_publish_the_same_rows(site, hosts):
    one, two, publisher = hosts
    release(site.settings, site, "with a folder")
    expected = rows_of(site.settings, site)
    run = (publisher.secrets, "without a folder")
    shards = plan_day(one, publisher, run[1], START)
    assert len(shards) > 1
    pin = runs.pin_engine(one, publisher.secrets)
    # A worker that was taken for dead ends after its successor has.
    runs.process_shard(two, *run, pin, shards[0])
    done = [runs.process_shard((one, two)[number % 2], *run, pin, shard) for number, shard in enumerate(shards)]
    released = runs.reconcile_run(two, *run, pin, "notes", done)
    published = runs.publish_notes(one, *run, pin, released)
    assert published["notes"] == released["published"] == len(expected)
    assert runs.store_vault(two, *run, released)["notes"] == published["notes"]
    assert rows_of(one, publisher) == expected
    assert files_with_notes(one) == files_with_notes(two) == []
    runs.delete_run_files(two, *run)
    assert SharedFiles(one, publisher.secrets).names(work_dir(one) / "runs") == {}
