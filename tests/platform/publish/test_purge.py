"""Former rows of the published table, on a real catalog and an S3 emulator whose every byte is read."""

import contextlib
import datetime
import io
import itertools
import json
import threading
import zlib
from collections.abc import Iterator

import boto3
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_tasks.core.errors import PublishError
from deid_tasks.platform.publish import (
    INSTITUTION,
    PUBLISHED_SCHEMA,
    RemovedRows,
    full_table_name,
    open_table,
    purge_snapshots,
    replace_notes,
    replace_rows,
)

PLANTED = {"text": "quetzalcoatlus was here", "note_key": "aaplantednotekey", "patient_key": "zzplantedpatient"}
_NUMBERS = itertools.count(1)
NO_GRACE = datetime.timedelta(0)


class Published:
    """One institution's view of a table in a bucket of this test's own."""

    def __init__(self, settings, secrets, client) -> None:
        self.settings, self.secrets, self.client = settings, secrets, client

    def of(self, institution: str) -> "Published":
        return Published(self.settings.model_copy(update={"institution": institution}), self.secrets, self.client)

    def publish(self, slice_key: str, *rows: dict[str, str]) -> None:
        shared = {"institution": self.settings.institution, "slice_key": slice_key, "note_type": "progress"}
        table = pa.Table.from_pylist(
            [{"text": "plain", "note_datetime": datetime.datetime(2024, 1, 1)} | shared | row for row in rows],
            schema=PUBLISHED_SCHEMA,
        )
        replace_notes(
            self.settings, self.secrets, table.to_batches(), RemovedRows(whole_slices=frozenset({slice_key})), {}
        )

    def rows(self) -> list[dict]:
        return sorted(self.table().scan().to_arrow().to_pylist(), key=lambda row: (row["institution"], row["note_key"]))

    def table(self):
        return open_table(self.settings, self.secrets)

    def purge(self, committed_before=None, grace=NO_GRACE, **arguments):
        moment = committed_before or datetime.datetime.now(datetime.UTC)
        return purge_snapshots(self.settings, self.secrets, moment, grace=grace, **arguments)

    def objects(self) -> dict[str, bytes]:
        """Return every version of every object; Parquet pages and Avro blocks are read as text too."""
        bucket = self.settings.publish.bucket
        pages = self.client.get_paginator("list_object_versions").paginate(Bucket=bucket)
        return {
            f"{one['Key']} {one['VersionId']}": self.client.get_object(
                Bucket=bucket, Key=one["Key"], VersionId=one["VersionId"]
            )["Body"].read()
            for page in pages
            for one in page.get("Versions", ())
        }

    def holders(self, word: str) -> list[str]:
        return [name for name, content in self.objects().items() if word.encode() in _readable(name, content)]


def _readable(name: str, content: bytes) -> bytes:
    """Return the bytes of an object, and behind them its values where the format compresses them."""
    if ".parquet" in name:
        return content + repr(pq.read_table(io.BytesIO(content)).to_pylist()).encode()
    if ".avro" in name:
        return content + b"".join(_avro_blocks(content))
    return content


def _avro_blocks(content: bytes) -> Iterator[bytes]:
    """Yield the blocks of an Avro file, inflated: each follows a marker, two numbers of variable length before it."""
    for block in content.split(content[-16:])[1:-1]:
        start = 0
        for _ in range(2):
            while block[start] & 0x80:
                start += 1
            start += 1
        yield zlib.decompress(block[start:], wbits=-15)


@pytest.fixture
def published(institution, platform_secrets, object_store):
    client = boto3.client(
        "s3", endpoint_url=object_store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    )  # fmt: skip
    bucket = f"purge-{next(_NUMBERS)}"
    client.create_bucket(Bucket=bucket)
    publish = institution.publish.model_copy(update={"bucket": bucket})
    return Published(institution.model_copy(update={"publish": publish}), platform_secrets, client)


def test_a_planted_row_is_gone_from_every_byte_of_the_bucket_and_all_others_stay(published):
    other = published.of("lakeshore")
    other.publish("o", {"note_key": "o1"}, {"note_key": "o2"})
    published.publish("a", PLANTED, {"note_key": "mid"})
    published.publish("b", {"note_key": "b1"})
    published.publish("a", {"note_key": "mid"})
    before = published.rows()
    assert [row["note_key"] for row in before] == ["o1", "o2", "b1", "mid"]
    for word in PLANTED.values():
        assert published.holders(word)
    report = published.purge()
    assert (report.waiting, report.protected) == (0, 0)
    assert report.snapshots >= 4
    assert report.files > 0
    for word in PLANTED.values():
        assert published.holders(word) == []
    assert published.rows() == before
    assert len(published.table().metadata.snapshots) == 1
    newest = published.table().metadata.current_snapshot_id
    assert published.purge().snapshots == 0
    assert published.table().metadata.current_snapshot_id == newest
    assert published.rows() == before


def test_a_snapshot_that_only_removed_rows_leaves_no_bounds_of_them(published):
    published.publish("a", PLANTED, {"note_key": "mid"})
    published.table().delete(f"note_key == '{PLANTED['note_key']}'")
    before = published.rows()
    # The newest snapshot's manifests list the removed file with the least and greatest keys in it.
    assert any(name for name in published.holders(PLANTED["note_key"]) if ".avro" in name)
    published.purge()
    for word in PLANTED.values():
        assert published.holders(word) == []
    assert published.rows() == before
    assert len(published.table().metadata.snapshots) == 1


def test_versions_that_the_bucket_retains_are_deleted_too(published):
    published.client.put_bucket_versioning(
        Bucket=published.settings.publish.bucket, VersioningConfiguration={"Status": "Enabled"}
    )
    published.publish("a", PLANTED)
    published.publish("a", {"note_key": "mid"})
    assert published.holders(PLANTED["text"])
    published.purge()
    assert published.holders(PLANTED["text"]) == []


def test_snapshots_from_the_moment_on_and_the_newest_ones_stay(published):
    for key in ("a1", "a2", "a3"):
        published.publish("a", {"note_key": key})
    ids = [snapshot.snapshot_id for snapshot in published.table().metadata.snapshots]
    assert published.purge(datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)).snapshots == 0
    assert [snapshot.snapshot_id for snapshot in published.table().metadata.snapshots] == ids
    published.purge(keep_newest=2)
    table = published.table()
    assert len(table.metadata.snapshots) == 2
    for snapshot in table.metadata.snapshots:
        assert table.scan(snapshot_id=snapshot.snapshot_id).to_arrow().num_rows <= 1


def test_files_of_a_writer_that_has_not_committed_stay_until_they_are_old(published):
    published.publish("a", {"note_key": "a1"})
    table, key = published.table(), "data/institution_id=riverside/unfinished"
    path = f"{table.location().partition('://')[2].partition('/')[2]}/{key}"
    published.client.put_object(Bucket=published.settings.publish.bucket, Key=path, Body=b"unfinished")
    report = published.purge(grace=datetime.timedelta(hours=1))
    assert (report.files, report.waiting > 0) == (0, True)
    assert published.holders("unfinished")
    assert published.purge().waiting == 0
    assert published.holders("unfinished") == []


def test_objects_beside_the_table_stay(published):
    published.publish("a", {"note_key": "a1"})
    beside = published.table().location().partition("://")[2].partition("/")[2] + "_copy/data/x.parquet"
    published.client.put_object(Bucket=published.settings.publish.bucket, Key=beside, Body=b"x")
    published.purge()
    published.client.head_object(Bucket=published.settings.publish.bucket, Key=beside)


def test_a_reader_from_before_fails_cleanly_and_a_new_one_reads(published):
    published.publish("a", PLANTED)
    earlier = published.table()
    published.publish("a", {"note_key": "a1"})
    same_rows = published.table()
    published.purge()
    with pytest.raises(FileNotFoundError):
        earlier.scan().to_arrow()
    with contextlib.suppress(FileNotFoundError):
        # The rows are the same; the manifests that listed the removed file beside them may be gone for this reader.
        assert same_rows.scan().to_arrow()["note_key"].to_pylist() == ["a1"]
    assert [row["note_key"] for row in published.rows()] == ["a1"]
    earlier.refresh()
    assert earlier.scan().to_arrow().num_rows == 1


def test_what_a_tag_names_stays_and_is_reported(published):
    published.publish("a", PLANTED)
    table = published.table()
    table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, "frozen").commit()
    published.publish("a", {"note_key": "a1"})
    report = published.purge()
    assert report.protected == 1
    assert published.holders(PLANTED["text"])
    tagged = published.table().scan(snapshot_id=table.current_snapshot().snapshot_id)
    assert tagged.to_arrow()["text"].to_pylist() == [PLANTED["text"]]


# The publication's own filter is of the whole process: a thread that ends takes away what the other has set.
@pytest.mark.filterwarnings("ignore:Delete operation did not match any records")
def test_writers_and_purges_at_the_same_time_lose_no_row(published):
    failed: list[BaseException] = []

    def publishing(name: str) -> None:
        try:
            for number in range(4):
                published.publish(name, {"note_key": f"{name}{number}"})
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=publishing, args=(name,)) for name in "ab"]
    published.publish("c", {"note_key": "c0"})
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        published.purge(grace=datetime.timedelta(minutes=10))
    assert failed == []
    published.purge()
    assert [row["note_key"] for row in published.rows()] == ["a3", "b3", "c0"]
    assert len(published.table().metadata.snapshots) == 1


def test_a_structured_table_is_purged_by_its_name(published):
    schema = pa.schema([INSTITUTION, pa.field("value", pa.string())])
    for value in ("quetzalcoatlus", "plain"):
        rows = pa.Table.from_pylist([{"institution": "riverside", "value": value}], schema=schema)
        replace_rows(published.settings, published.secrets, "visits", schema, lambda rows=rows: [rows], value, {})
    assert published.holders("quetzalcoatlus")
    report = published.purge(table_name=full_table_name(published.settings, "visits"))
    assert report.files > 0
    assert published.holders("quetzalcoatlus") == []


def test_a_table_that_cannot_be_opened_is_named(published):
    with pytest.raises(PublishError, match=r"cannot purge table deid\.none"):
        published.purge(table_name="deid.none")
    held = {"object_store": json.dumps({"endpoint": "http://127.0.0.1:1"}), "catalog": "sqlite:///:memory:"}
    with pytest.raises(PublishError, match="cannot purge table"):
        purge_snapshots(
            published.settings, type(published.secrets)(held.get), datetime.datetime.now(datetime.UTC), grace=NO_GRACE
        )
