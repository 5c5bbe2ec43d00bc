"""Working files in an object store: what one worker shares, another fetches whole, and nothing else stays on a host."""

import base64
import os
import time
from pathlib import Path

import boto3
import pyarrow as pa
import pytest
from pydantic import ValidationError

from deid_tasks.core.errors import StorageError, WarehouseError
from deid_tasks.core.versions import make_newest
from deid_tasks.platform.warehouse import Shard
from deid_tasks.platform.workspace import RunFiles, SharedFiles, prune_runs, remove_note_files, run_dir, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets, WorkspaceSettings

PLANTED = "quetzalcoatlus"
SCHEMA = pa.schema([pa.field("note_id", pa.string()), pa.field("deid_text", pa.string())])


@pytest.fixture(scope="module")
def bucket(object_store):
    client = boto3.client(
        "s3", endpoint_url=object_store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    )  # fmt: skip
    client.create_bucket(Bucket="working")
    return client


@pytest.fixture
def secrets(object_store):
    import json

    return Secrets({"working": json.dumps(object_store), "shard_key": base64.b64encode(bytes(range(32))).decode()}.get)


@pytest.fixture
def worker(institution, tmp_path, bucket):
    """Return the settings as workers on different hosts have them."""

    def settings_of(host: str, key: str | None = None) -> InstitutionSettings:
        workspace = WorkspaceSettings(object_store="working", local_dir=str(tmp_path / host), key=key)
        address = f"s3://working/{tmp_path.name}"
        return institution.model_copy(update={"work_dir": address, "workspace": workspace})

    return settings_of


def put(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def in_bucket(bucket, tmp_path) -> dict[str, bytes]:
    listed = bucket.list_objects_v2(Bucket="working", Prefix=f"{tmp_path.name}/").get("Contents", ())
    return {
        one["Key"].removeprefix(f"{tmp_path.name}/"): bucket.get_object(Bucket="working", Key=one["Key"])["Body"].read()
        for one in listed
    }


def files_of(settings) -> list[str]:
    folder = work_dir(settings)
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def write_shard(settings, secrets, run_id: str, *note_ids: str) -> str:
    rows = pa.RecordBatch.from_pylist([{"note_id": one, "deid_text": PLANTED} for one in note_ids], SCHEMA)
    files = RunFiles(settings, secrets, run_dir(settings, run_id))
    with files.new_shard(Shard(0, 1), SCHEMA.with_metadata({"fingerprint": "f"})) as (path, writer):
        writer.write_batch(rows)
    return path.name


class TestVersions:
    def test_a_version_comes_whole_and_once(self, worker, secrets, bucket):
        one, two = worker("one"), worker("two")
        writer, reader = SharedFiles(one, secrets), SharedFiles(two, secrets)
        folder = work_dir(one) / "lexicon"
        put(folder / "v1" / "terms", "alpha")
        put(folder / "v1" / "deep" / "more", "beta")
        make_newest(folder, "v1")
        writer.share_version(folder, "v1")
        fetched = work_dir(two) / "lexicon"
        assert reader.newest(fetched) == "v1"
        assert (reader.fetch_version(fetched / "v1") / "deep" / "more").read_text() == "beta"
        # What a host has is not fetched again.
        (fetched / "v1" / "terms").write_text("here")
        assert (reader.fetch_version(fetched / "v1") / "terms").read_text() == "here"

    def test_copies_that_nobody_asked_for_within_two_weeks_leave_the_host(self, worker, secrets, bucket, tmp_path):
        one, two = worker("one"), worker("two")
        for version in ("v1", "v2", "v3"):
            SharedFiles(one, secrets).share(put(work_dir(one) / "lexicon" / version / "terms", version))
        reader, folder = SharedFiles(two, secrets), work_dir(two) / "lexicon"
        for version in ("v1", "v2"):
            os.utime(reader.fetch_version(folder / version), (time.time() - 15 * 86_400,) * 2)
        reader.fetch_version(folder / "v2")
        reader.fetch_version(folder / "v3")
        assert sorted(path.name for path in folder.iterdir()) == ["v2", "v3"]
        assert len(in_bucket(bucket, tmp_path)) == 3

    def test_the_newest_version_is_the_one_that_was_shared_last(self, worker, secrets):
        one, two = worker("one"), worker("two")
        for settings, version in ((one, "v1"), (two, "v2")):
            folder = work_dir(settings) / "people"
            put(folder / version, version)
            make_newest(folder, version)
            SharedFiles(settings, secrets).share_version(folder, version)
        assert SharedFiles(one, secrets).newest(work_dir(one) / "people") == "v2"
        assert SharedFiles(one, secrets).fetch_version(work_dir(one) / "people" / "v2").read_text() == "v2"

    def test_what_was_never_shared_is_a_path_of_nothing(self, worker, secrets):
        settings = worker("one")
        shared = SharedFiles(settings, secrets)
        assert shared.newest(work_dir(settings) / "lexicon") == ""
        assert not shared.fetch_version(work_dir(settings) / "lexicon" / "v9").exists()

    def test_a_damaged_object_is_never_used(self, worker, secrets, bucket, tmp_path):
        one, two = worker("one"), worker("two")
        SharedFiles(one, secrets).share(put(work_dir(one) / "models" / "m" / "weights", "whole"))
        key = f"{tmp_path.name}/models/m/weights"
        metadata = bucket.head_object(Bucket="working", Key=key)["Metadata"]
        bucket.put_object(Bucket="working", Key=key, Body=b"who", Metadata=metadata)
        with pytest.raises(StorageError, match="weights is damaged: write it again"):
            SharedFiles(two, secrets).fetch_version(work_dir(two) / "models" / "m")
        assert files_of(two) == []

    def test_old_versions_leave_the_store_and_the_host(self, worker, secrets, bucket, tmp_path, monkeypatch):
        settings = worker("one")
        shared, folder = SharedFiles(settings, secrets), work_dir(settings) / "lexicon"
        for version in ("v1", "v2", "v3"):
            put(folder / version / "terms", version)
            make_newest(folder, version)
            shared.share_version(folder, version)
        assert shared.prune_versions(folder, ["v2"]) == 0
        monkeypatch.setattr("deid_tasks.core.versions._YOUNG_SECONDS", -1)
        assert shared.prune_versions(folder, ["v2"]) == 1
        assert sorted(in_bucket(bucket, tmp_path)) == ["lexicon/CURRENT", "lexicon/v2/terms", "lexicon/v3/terms"]
        assert not (folder / "v1").exists()


class TestShards:
    def test_one_worker_writes_and_another_reads_and_neither_has_a_copy(self, worker, secrets, bucket, tmp_path):
        name = write_shard(worker("one"), secrets, "r", "N/1", "N/2")
        reader = RunFiles(worker("two"), secrets, run_dir(worker("two"), "r"))
        with reader.opened([name]) as files:
            assert reader.fingerprint_of(files) == "f"
            assert [row["note_id"] for batch in reader.read_batches(files) for row in batch.to_pylist()] == [
                "N/1",
                "N/2",
            ]
        assert files_of(worker("one")) == files_of(worker("two")) == []
        assert sorted(key.rpartition(".")[2] for key in in_bucket(bucket, tmp_path)) == ["parquet", "sha256"]

    def test_a_shard_with_a_changed_byte_is_never_read(self, institution, secrets):
        name = write_shard(institution, secrets, "r", "N/1", "N/2")
        path = run_dir(institution, "r") / name
        reader, whole = RunFiles(institution, secrets, run_dir(institution, "r")), path.read_bytes()
        for position in range(len(whole)):
            path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
            with pytest.raises(StorageError, match="clear the run's shard tasks"), reader.opened([name]):
                pass
        path.write_bytes(whole)
        with reader.opened([name]) as files:
            assert sum(batch.num_rows for batch in reader.read_batches(files)) == 2
        path.with_suffix(".sha256").unlink()
        with pytest.raises(StorageError, match="is not the file that its task wrote"), reader.opened([name]):
            pass

    def test_attempts_never_mix(self, worker, secrets):
        settings = worker("one")
        first, second = (write_shard(settings, secrets, "r", note) for note in ("N/1", "N/2"))
        assert first != second
        reader = RunFiles(settings, secrets, run_dir(settings, "r"))
        with reader.opened([second]) as files:
            assert [row["note_id"] for batch in reader.read_batches(files) for row in batch.to_pylist()] == ["N/2"]

    def test_a_missing_shard_is_named(self, worker, secrets):
        settings = worker("one")
        name = write_shard(settings, secrets, "r", "N/1")
        reader = RunFiles(settings, secrets, run_dir(settings, "r"))
        with (
            pytest.raises(WarehouseError, match=r"1 of 2 shard files are missing .*first: shard 1"),
            reader.opened([name, "shard-0001-of-0002-0123456789ab.parquet"]),
        ):
            pass

    def test_a_writer_that_fails_leaves_nothing(self, worker, secrets, bucket, tmp_path):
        settings = worker("one")
        with (
            pytest.raises(RuntimeError),
            RunFiles(settings, secrets, run_dir(settings, "r")).new_shard(Shard(0, 1), SCHEMA),
        ):
            raise RuntimeError
        assert in_bucket(bucket, tmp_path) == {}
        assert files_of(settings) == []

    @pytest.mark.parametrize("is_remote", [True, False])
    def test_with_a_key_neither_text_nor_id_is_readable(
        self, institution, worker, secrets, bucket, tmp_path, is_remote
    ):
        settings = worker("one", key="shard_key")
        if not is_remote:
            settings = institution.model_copy(update={"workspace": WorkspaceSettings(key="shard_key")})
        name = write_shard(settings, secrets, "r", "N/77777777")
        if is_remote:
            [stored] = [content for key, content in in_bucket(bucket, tmp_path).items() if key.endswith(".parquet")]
        else:
            stored = (run_dir(settings, "r") / name).read_bytes()
        assert stored.startswith(b"PARE")
        assert not any(word in stored for word in (PLANTED.encode(), b"N/77777777", b"note_id", b"fingerprint"))
        reader = RunFiles(settings, secrets, run_dir(settings, "r"))
        with reader.opened([name]) as files:
            assert reader.fingerprint_of(files) == "f"
            [batch] = reader.read_batches(files)
        assert batch["note_id"].to_pylist() == ["N/77777777"]
        other = Secrets(
            lambda asked: base64.b64encode(os.urandom(32)).decode() if asked == "shard_key" else secrets.find(asked)
        )
        stranger = RunFiles(settings, other, run_dir(settings, "r"))
        with stranger.opened([name]) as files, pytest.raises(StorageError, match=r"workspace\.key names has changed"):
            stranger.fingerprint_of(files)

    def test_a_removed_note_leaves_the_store(self, worker, secrets, bucket, tmp_path):
        settings = worker("one")
        write_shard(settings, secrets, "r", "N/1", "N/2")
        other = write_shard(settings, secrets, "s", "N/3")
        assert remove_note_files(worker("two"), secrets, ["N/1"]) == 1
        left = [key.rpartition("/")[2] for key in in_bucket(bucket, tmp_path)]
        assert sorted(left) == [other, other.replace(".parquet", ".sha256")]
        assert files_of(settings) == files_of(worker("two")) == []

    def test_files_of_a_run_that_ended_leave_the_store(self, worker, secrets, bucket, tmp_path):
        settings = worker("one")
        write_shard(settings, secrets, "r", "N/1")
        assert prune_runs(settings, secrets) == 0
        RunFiles(worker("two"), secrets, run_dir(worker("two"), "r")).delete()
        assert in_bucket(bucket, tmp_path) == {}


class TestCheckedOut:
    def test_changes_are_shared_and_what_others_deliver_meanwhile_stays(self, worker, secrets, bucket, tmp_path):
        one, two = worker("one"), worker("two")
        put(work_dir(one) / "annotation" / "s" / "old", "1")
        put(work_dir(one) / "annotation" / "s" / "kept", "2")
        SharedFiles(one, secrets).share(work_dir(one) / "annotation")
        with SharedFiles(two, secrets).checked_out(work_dir(two) / "annotation" / "s") as folder:
            assert (folder / "kept").read_text() == "2"
            (folder / "old").unlink()
            put(folder / "new", "3")
            bucket.put_object(Bucket="working", Key=f"{tmp_path.name}/annotation/s/done/mine", Body=b"4")
        held = in_bucket(bucket, tmp_path)
        assert held == {"annotation/s/done/mine": b"4", "annotation/s/kept": b"2", "annotation/s/new": b"3"}
        assert files_of(two) == []

    def test_an_error_loses_nothing_that_was_written(self, worker, secrets, bucket, tmp_path):
        settings = worker("one")

        def fail() -> None:
            with SharedFiles(settings, secrets).checked_out(work_dir(settings) / "annotation") as folder:
                put(folder / "list", "1")
                raise RuntimeError

        with pytest.raises(RuntimeError):
            fail()
        assert in_bucket(bucket, tmp_path) == {"annotation/list": b"1"}


def test_a_store_that_cannot_be_reached_is_named_without_its_credentials(worker, object_store):
    import json

    broken = {**object_store, "endpoint": "http://127.0.0.1:9", "secret_key": "opensesame"}
    settings = worker("one")
    with pytest.raises(StorageError, match=r"cannot write s3://working/.*/a: .*workspace\.object_store") as caught:
        SharedFiles(settings, Secrets({"working": json.dumps(broken)}.get)).share(put(work_dir(settings) / "a", "1"))
    assert "opensesame" not in str(caught.value)


def test_with_a_folder_nothing_is_copied(institution):
    shared = SharedFiles(institution, Secrets({}.get))
    path = put(work_dir(institution) / "lexicon" / "v1", "1")
    shared.share(path)
    shared.hand_over(path)
    assert shared.fetch(path) == shared.fetch_version(path) == path
    with shared.checked_out(path.parent) as folder:
        assert folder == path.parent
    assert path.read_text() == "1"
    assert shared.prune_versions(path.parent, []) == 0
    assert list(shared.names(path.parent)) == ["v1"]
    shared.delete(path)
    assert shared.names(path.parent) == {}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"work_dir": "s3://working/x"}, "workspace.object_store and workspace.local_dir must be given"),
        ({"work_dir": "gs://working/x"}, "must be a folder or s3://bucket/prefix"),
        (
            {"work_dir": "s3://published/x", "workspace": {"object_store": "working", "local_dir": "/tmp/x"}},
            "must not lie in publish.bucket",
        ),
    ],
)
def test_a_store_must_be_whole_and_apart(institution, changed, message):
    with pytest.raises(ValidationError, match=message):
        InstitutionSettings.model_validate(institution.model_dump() | changed)
