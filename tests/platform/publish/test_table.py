"""The published table on a real catalog and an S3 emulator."""

import datetime
import random

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_tasks.core.errors import PublishError
from deid_tasks.platform.publish import PUBLISHED_SCHEMA, RemovedRows, notes_table, open_table, replace_notes
from deid_tasks.settings import InstitutionSettings, Secrets


def publish_slice(settings, secrets, notes, slice_key, summary, former=()):
    """Replace every row of a slice, and of former ones."""
    return replace_notes(
        settings, secrets, notes.to_batches(), RemovedRows(whole_slices=frozenset((slice_key, *former))), summary
    )


def rows(count: int, slice_key: str, word: str = "text") -> pa.Table:
    start = datetime.datetime(2024, 1, 1)
    return pa.Table.from_pylist(
        [
            {
                "institution": "riverside",
                "slice_key": slice_key,
                "note_key": f"{slice_key}-{i}",
                "note_type": "progress",
                "note_datetime": start + datetime.timedelta(days=20 * i),
                "text": f"{word} {i}",
            }
            for i in range(count)
        ],
        schema=PUBLISHED_SCHEMA,
    )


def keys(settings: InstitutionSettings, secrets: Secrets) -> list[str]:
    return sorted(open_table(settings, secrets).scan().to_arrow()["note_key"].to_pylist())


def texts(settings: InstitutionSettings, secrets: Secrets) -> list[str]:
    return sorted(open_table(settings, secrets).scan().to_arrow()["text"].to_pylist())


def test_a_run_replaces_exactly_its_own_slice(institution, platform_secrets):
    publish_slice(institution, platform_secrets, rows(3, "a"), "a", {"run": "1"})
    publish_slice(institution, platform_secrets, rows(2, "b"), "b", {"run": "2"})
    publish_slice(institution, platform_secrets, rows(2, "a", "again"), "a", {"run": "3"})
    assert texts(institution, platform_secrets) == ["again 0", "again 1", "text 0", "text 1"]


def test_the_snapshot_carries_its_summary(institution, platform_secrets):
    publish_slice(institution, platform_secrets, rows(1, "a"), "a", {"fingerprint": "f00", "certificate": "c00"})
    snapshot = open_table(institution, platform_secrets).current_snapshot()
    assert snapshot.summary["fingerprint"] == "f00"
    assert snapshot.summary["certificate"] == "c00"


def test_an_empty_slice_removes_what_was_there(institution, platform_secrets):
    publish_slice(institution, platform_secrets, rows(3, "a"), "a", {})
    publish_slice(institution, platform_secrets, rows(0, "a"), "a", {"notes": "0"})
    assert texts(institution, platform_secrets) == []


def test_polars_reads_the_table(institution, platform_secrets):
    publish_slice(institution, platform_secrets, rows(4, "a"), "a", {})
    store = platform_secrets.mapping(institution.publish.object_store)
    frame = pl.scan_iceberg(
        open_table(institution, platform_secrets),
        storage_options={
            "s3.endpoint": store["endpoint"],
            "s3.access-key-id": store["access_key"],
            "s3.secret-access-key": store["secret_key"],
            "s3.region": "us-east-1",
        },
    ).collect()
    assert frame.height == 4


def test_a_missing_bucket_is_named(institution, platform_secrets):
    publish = institution.publish.model_copy(update={"bucket": "no-such-bucket"})
    with pytest.raises(PublishError, match="no-such-bucket"):
        publish_slice(institution.model_copy(update={"publish": publish}), platform_secrets, rows(1, "a"), "a", {})


def test_manifests_hold_no_text(institution, platform_secrets):
    publish_slice(institution, platform_secrets, rows(3, "a", "Marigold"), "a", {})
    table = open_table(institution, platform_secrets)
    bounds = [file for row in table.inspect.files().to_pylist() for file in (row["lower_bounds"], row["upper_bounds"])]
    assert bounds
    assert "Marigold" not in str(bounds)


def test_rows_stand_in_the_order_of_their_pseudonyms(institution, platform_secrets):
    notes = rows(4, "a").to_pylist()
    for note, key in zip(notes, "dbca", strict=True):
        note["note_key"] = key
        note["note_datetime"] = datetime.datetime(2024, 1, 1)
    publish_slice(institution, platform_secrets, pa.Table.from_pylist(notes, schema=PUBLISHED_SCHEMA), "a", {})
    assert open_table(institution, platform_secrets).scan().to_arrow()["note_key"].to_pylist() == list("abcd")


def test_former_names_of_a_slice_go_in_the_same_commit(institution, platform_secrets):
    for name in "abc":
        publish_slice(institution, platform_secrets, rows(1, name, name), name, {})
    before = len(open_table(institution, platform_secrets).metadata.metadata_log)
    publish_slice(institution, platform_secrets, rows(1, "d", "d"), "d", {}, ("a", "c"))
    assert texts(institution, platform_secrets) == ["b 0", "d 0"]
    assert len(open_table(institution, platform_secrets).metadata.metadata_log) == before + 1


def test_single_rows_are_removed_and_others_of_their_slices_stay(institution, platform_secrets):
    publish_slice(institution, platform_secrets, rows(3, "a"), "a", {})
    publish_slice(institution, platform_secrets, rows(3, "b"), "b", {})
    replace_notes(
        institution,
        platform_secrets,
        rows(1, "c").to_batches(),
        RemovedRows(rows=frozenset({("a", "a-0")})),
        {},
    )
    assert keys(institution, platform_secrets) == ["a-1", "a-2", "b-0", "b-1", "b-2", "c-0"]


def test_kept_rows_stay_in_a_slice_that_is_replaced(institution, platform_secrets):
    publish_slice(institution, platform_secrets, rows(3, "a"), "a", {})
    replace_notes(
        institution,
        platform_secrets,
        rows(0, "a").to_batches(),
        RemovedRows(whole_slices=frozenset({"a"}), kept=frozenset({"a-1"})),
        {},
    )
    assert keys(institution, platform_secrets) == ["a-1"]


def test_a_row_is_found_in_whatever_slice_it_is(institution, platform_secrets):
    publish_slice(institution, platform_secrets, rows(2, "a"), "a", {})
    replace_notes(
        institution, platform_secrets, rows(0, "a").to_batches(), RemovedRows(anywhere=frozenset({"a-0"})), {}
    )
    assert keys(institution, platform_secrets) == ["a-1"]


def small_sizes(monkeypatch):
    """Let a few rows be too many for memory, for one file and for one merge."""
    for name, value in (("_RUN_BYTES", 400), ("_BATCH_BYTES", 200), ("_RUNS_MERGED", 3)):
        monkeypatch.setattr(f"deid_tasks.platform.publish.sorted_rows.{name}", value)
    monkeypatch.setattr("deid_tasks.platform.publish.data_files._FILE_BYTES", 300)
    properties = notes_table._PROPERTIES | {notes_table.ROW_GROUP_PROPERTY: "2"}
    monkeypatch.setattr(notes_table, "_PROPERTIES", properties)


def test_many_rows_are_one_commit(institution, platform_secrets, monkeypatch):
    publish_slice(institution, platform_secrets, rows(3, "a", "former"), "a", {})
    before = open_table(institution, platform_secrets)
    small_sizes(monkeypatch)
    notes = pa.concat_tables(rows(4, name) for name in "abcde")
    batches = notes.to_batches(max_chunksize=3)
    published = replace_notes(
        institution, platform_secrets, batches, RemovedRows(whole_slices=frozenset({"a"})), {"run": "many"}
    )
    after = open_table(institution, platform_secrets)
    assert published.notes == 20
    assert sorted(keys(institution, platform_secrets)) == sorted(notes["note_key"].to_pylist())
    assert "former 0" not in texts(institution, platform_secrets)
    assert len(after.metadata.metadata_log) == len(before.metadata.metadata_log) + 1


def files_of(settings: InstitutionSettings, secrets: Secrets) -> list[tuple[str, bytes]]:
    """Return the partition and the bytes of each file."""
    table = open_table(settings, secrets)
    found = []
    for task in table.scan().plan_files():
        with table.io.new_input(task.file.file_path).open() as file:
            found.append((str(task.file.partition), file.read()))
    return sorted(found)


def test_the_files_depend_on_the_rows_alone(institution, platform_secrets, monkeypatch):
    notes = pa.concat_tables(rows(40, name) for name in "abcde").to_pylist()
    notes[7]["note_datetime"] = None
    small_sizes(monkeypatch)
    found = []
    for seed, size in ((1, 3), (2, 11)):
        random.Random(seed).shuffle(notes)
        publish = institution.publish.model_copy(
            update={"table": f"shuffled.notes_{seed}", "prefix": f"shuffled_{seed}"}
        )
        settings = institution.model_copy(update={"publish": publish})
        batches = pa.Table.from_pylist(notes, schema=PUBLISHED_SCHEMA).to_batches(max_chunksize=size)
        assert replace_notes(settings, platform_secrets, batches, RemovedRows(), {}).notes == 200
        found.append(files_of(settings, platform_secrets))
    assert found[0] == found[1]
    # More files than months: those of a month that were full. Each holds its rows in order.
    partitions = [partition for partition, _ in found[0]]
    assert len(partitions) > len(set(partitions)) > 20
    for _, content in found[0]:
        held = pq.read_table(pa.BufferReader(content), columns=["slice_key", "note_key"]).to_pylist()
        order = [(row["slice_key"], row["note_key"]) for row in held]
        assert order == sorted(order)


def test_rows_that_cannot_be_read_change_nothing(institution, platform_secrets):
    def failing():
        yield from rows(3, "a").to_batches()
        raise PublishError("the shard is gone")

    publish_slice(institution, platform_secrets, rows(2, "b"), "b", {})
    with pytest.raises(PublishError, match="the shard is gone"):
        replace_notes(institution, platform_secrets, failing(), RemovedRows(), {})
    assert keys(institution, platform_secrets) == ["b-0", "b-1"]
