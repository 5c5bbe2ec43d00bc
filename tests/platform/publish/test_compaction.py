"""Files of the published table are merged on a real catalog and an S3 emulator."""

import datetime
import hashlib
import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_tasks.core.errors import PublishError
from deid_tasks.platform.publish import (
    PUBLISHED_SCHEMA,
    CompactionBounds,
    RemovedRows,
    compact_notes,
    compaction,
    merge_manifests,
    open_table,
    purge_snapshots,
    renew_layout,
    replace_notes,
)
from deid_tasks.platform.publish.catalog import open_catalog

SMALL = CompactionBounds(file_bytes=10_000_000, commit_bytes=100_000_000, min_files=2)
_NUMBERS = itertools.count(1)


class Table:
    """One institution's view of a table of this test's own."""

    def __init__(self, settings, secrets) -> None:
        self.settings, self.secrets = settings, secrets

    def of(self, institution: str) -> "Table":
        return Table(self.settings.model_copy(update={"institution": institution}), self.secrets)

    def publish(self, slice_key: str, notes: int = 4, months: int = 1, removed: RemovedRows | None = None) -> None:
        rows = [
            {
                "institution": self.settings.institution,
                "slice_key": slice_key,
                "note_key": f"{slice_key}-{number}",
                "patient_key": hashlib.sha256(f"{number % 7}".encode()).hexdigest()[:26],
                "note_type": ("progress", "discharge")[number % 2],
                "note_datetime": datetime.datetime(2024, 1 + number % months, 3),
                "text": f"note {number} of {slice_key}",
            }
            for number in range(notes)
        ]
        table = pa.Table.from_pylist(rows, schema=PUBLISHED_SCHEMA)
        replace_notes(
            self.settings, self.secrets, table.to_batches(), removed or RemovedRows(frozenset({slice_key})), {}
        )

    def compact(self, bounds: CompactionBounds = SMALL):
        return compact_notes(self.settings, self.secrets, bounds)

    def table(self):
        return open_table(self.settings, self.secrets)

    def rows(self) -> list[dict]:
        return sorted(self.table().scan().to_arrow().to_pylist(), key=str)

    def files(self) -> list:
        return [task.file for task in self.table().scan().plan_files()]

    def paths(self) -> set[str]:
        return {file.file_path for file in self.files()}


@pytest.fixture
def table(institution, platform_secrets):
    publish = institution.publish.model_copy(update={"table": f"compaction.notes{next(_NUMBERS)}"})
    return Table(institution.model_copy(update={"publish": publish}), platform_secrets)


def test_the_rows_are_the_same_in_one_file_a_partition(table):
    other = table.of("lakeshore")
    for name in "abc":
        table.publish(name, months=2)
        other.publish(name)
    before, of_other = table.rows(), {path for path in table.paths() if "lakeshore" in path}
    assert len(table.paths()) == 9
    report = table.compact()
    assert (report.partitions, report.files_before, report.files_after, report.is_lost) == (2, 6, 2, False)
    assert table.rows() == before
    assert of_other < table.paths()
    assert len(table.paths()) == 5
    assert "rows are the same" in table.table().current_snapshot().summary["palimpsest.maintenance"]
    assert table.compact().files_before == 0


def test_rows_stand_by_patient_and_type_and_manifests_hold_no_text(table):
    for name in "ab":
        table.publish(name, notes=20)
    table.compact()
    rows = table.table().scan().to_arrow().to_pylist()
    assert rows == sorted(
        rows, key=lambda row: (row["patient_key"], row["note_type"], row["slice_key"], row["note_key"])
    )
    [file] = table.table().inspect.files().to_pylist()
    assert "note" not in str(file["lower_bounds"][8:])
    text = table.table().schema().find_field("text").field_id
    assert text not in dict(file["lower_bounds"])


def test_a_file_has_a_range_of_slices_and_a_scan_for_one_skips_the_others(table):
    names = [f"{number:02d}" for number in range(9)]
    for name in names:
        table.publish(name, notes=60)
    total = sum(file.file_size_in_bytes for file in table.files())
    before = table.rows()
    report = table.compact(CompactionBounds(total // 5, total * 2, 2))
    assert report.files_after in {5, 6}
    assert table.rows() == before
    for name in names:
        found = list(table.table().scan(row_filter=f"slice_key == '{name}'").plan_files())
        assert len(found) <= 2


def test_groups_of_rows_are_small_so_that_a_reader_skips_most_of_a_file(table):
    with table.table().transaction() as transaction:
        transaction.set_properties({"write.parquet.row-group-limit": "10"})
    for name in "abc":
        table.publish(name, notes=30)
    table.compact()
    [file] = table.files()
    with table.table().io.new_input(file.file_path).open() as stream:
        metadata = pq.ParquetFile(stream).metadata
    assert metadata.num_row_groups == 9
    bounds = [metadata.row_group(number).column(3).statistics for number in range(9)]
    for patient in {row["patient_key"] for row in table.rows()}:
        assert sum(one.min <= patient <= one.max for one in bounds) <= 3


def interrupted(monkeypatch, action) -> None:
    """Do something else between the writing of the files and their commit."""
    replace = compaction._replace

    def later(*arguments):
        monkeypatch.setattr(compaction, "_replace", replace)
        action()
        return replace(*arguments)

    monkeypatch.setattr(compaction, "_replace", later)


def test_a_row_that_was_removed_meanwhile_does_not_come_back(table, monkeypatch, object_store):
    for name in "abc":
        table.publish(name)
    gone = RemovedRows(rows=frozenset({("a", "a-0")}))
    interrupted(monkeypatch, lambda: table.publish("d", removed=gone))
    report = table.compact()
    assert report.is_lost
    kept = [row["note_key"] for row in table.rows()]
    assert "a-0" not in kept
    assert len(kept) == 15
    # What was written in vain is deleted at once: it holds the removed row.
    assert not any(b"note 0 of a" in content for content in live_and_orphan(table, object_store))
    assert not table.compact().is_lost
    assert [row["note_key"] for row in table.rows()] == kept
    assert len(table.paths()) == 1


def test_what_others_add_meanwhile_stays_and_the_commit_is_made(table, monkeypatch):
    for name in "abc":
        table.publish(name)
    interrupted(monkeypatch, lambda: (table.publish("d"), table.of("lakeshore").publish("e")))
    report = table.compact()
    assert (report.is_lost, report.files_before) == (False, 3)
    assert len(table.rows()) == 20
    assert len(table.paths()) == 3


def test_a_writer_that_loses_against_a_compaction_writes_again(table, monkeypatch):
    for name in "abc":
        table.publish(name)
    table_before = table.table()
    table.compact()
    table.publish("a", notes=2)
    assert sorted(row["note_key"] for row in table.rows() if row["slice_key"] == "a") == ["a-0", "a-1"]
    assert table_before.metadata.current_snapshot_id != table.table().metadata.current_snapshot_id


def test_a_compaction_that_fails_leaves_the_table_and_no_file(table, monkeypatch, object_store):
    for name in "abc":
        table.publish(name, months=2)
    before, known = table.rows(), objects(table, object_store)

    def fail(*_):
        raise OSError("disk")

    writing = compaction._Writing._write_file
    calls = itertools.count()
    monkeypatch.setattr(
        compaction._Writing, "_write_file", lambda *given: writing(*given) if next(calls) == 0 else fail()
    )
    with pytest.raises(PublishError, match="cannot compact table"):
        table.compact()
    assert table.rows() == before
    assert objects(table, object_store) == known


def test_files_with_fewer_rows_than_their_manifest_says_are_not_replaced(table, monkeypatch):
    for name in "ab":
        table.publish(name)
    reading = compaction._Writing._read
    monkeypatch.setattr(compaction._Writing, "_read", lambda *given: reading(*given).slice(1))
    before = table.rows()
    with pytest.raises(PublishError, match="2 files of one partition hold 8 rows by their manifest, and 7 were read"):
        table.compact()
    assert table.rows() == before


def test_no_byte_of_a_removed_row_is_left_after_compaction_and_purge(table, object_store):
    for name in "abc":
        table.publish(name)
    table.compact()
    assert any(b"note 0 of a" in content for content in live_and_orphan(table, object_store))
    table.publish("z", removed=RemovedRows(rows=frozenset({("a", "a-0")})))
    table.compact()
    purge_snapshots(table.settings, table.secrets, datetime.datetime.now(datetime.UTC), grace=datetime.timedelta(0))
    contents = live_and_orphan(table, object_store)
    assert contents
    assert not any(b"note 0 of a" in content or b"a-0" in content for content in contents)
    assert len(table.rows()) == 15


def test_many_manifests_are_merged(table):
    table.publish("00")
    with table.table().transaction() as transaction:
        transaction.set_properties({"commit.manifest-merge.enabled": "false"})
    for number in range(1, 22):
        table.publish(f"{number:02d}")
    before = table.rows()
    assert len(table.table().current_snapshot().manifests(table.table().io)) > 20
    # A table of an earlier release.
    assert renew_layout(table.settings, table.secrets)
    assert not renew_layout(table.settings, table.secrets)
    assert merge_manifests(table.settings, table.secrets) > 10
    assert merge_manifests(table.settings, table.secrets) == 0
    assert table.rows() == before


def test_a_new_table_says_how_its_rows_are_divided_among_files(table):
    order = table.table().sort_order()
    assert [table.table().schema().find_column_name(field.source_id) for field in order.fields] == [
        "slice_key",
        "note_key",
    ]
    catalog = open_catalog(table.settings, table.secrets)
    assert catalog.load_table(table.settings.publish.table).properties["write.parquet.row-group-limit"] == "8192"


def objects(table, store) -> dict[str, bytes]:
    import boto3

    client = boto3.client(
        "s3", endpoint_url=store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    )  # fmt: skip
    bucket, _, prefix = table.table().location().partition("://")[2].partition("/")
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{prefix}/data/")
    keys = [entry["Key"] for page in pages for entry in page.get("Contents", ())]
    return {key: client.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}


def live_and_orphan(table, store) -> list[bytes]:
    """Return the rows, as bytes, of every file of the newest snapshot and of every file that no snapshot names."""
    import io

    live = {path.partition("://")[2].partition("/")[2] for path in table.paths()}
    found = objects(table, store)
    former = {
        entry.data_file.file_path.partition("://")[2].partition("/")[2]
        for snapshot in table.table().metadata.snapshots
        for manifest in snapshot.manifests(table.table().io)
        for entry in manifest.fetch_manifest_entry(table.table().io, discard_deleted=False)
    }
    return [
        repr(pq.read_table(io.BytesIO(content)).to_pylist()).encode()
        for key, content in found.items()
        if key in live or key not in former
    ]
