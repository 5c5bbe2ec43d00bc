"""Rows that do not fit into memory come out in order."""

import random
from collections.abc import Iterator

import pyarrow as pa
import pytest

from deid_tasks.platform.publish import sorted_rows as module
from deid_tasks.platform.publish.sorted_rows import sorted_rows

COLUMNS = ("month", "key")


def made(count: int) -> list[dict]:
    chance = random.Random(count)
    return [
        {"key": chance.choice(["ä", "z", "Z", ""]) + str(i), "month": chance.choice([None, 1, 2, -5]), "text": "x" * i}
        for i in range(count)
    ]


def ordered(rows: list[dict]) -> list[dict]:
    return sorted(rows, key=lambda row: (row["month"] is None, row["month"] or 0, row["key"].encode()))


@pytest.mark.parametrize("run_bytes", [1, 2_000, 100_000_000], ids=["a row a run", "a few rows a run", "in memory"])
@pytest.mark.parametrize("count", [0, 1, 5, 60])
def test_rows_come_in_order(tmp_path, monkeypatch, run_bytes, count):
    monkeypatch.setattr(module, "_RUN_BYTES", run_bytes)
    monkeypatch.setattr(module, "_BATCH_BYTES", 500)
    monkeypatch.setattr(module, "_RUNS_MERGED", 4)
    rows = made(count)
    batches = pa.Table.from_pylist(
        rows, schema=pa.schema([("key", pa.string()), ("month", pa.int32()), ("text", pa.string())])
    ).to_batches(max_chunksize=7 if run_bytes > 1 else 1)
    tables = list(sorted_rows(batches, COLUMNS, tmp_path))
    assert [row for table in tables for row in table.to_pylist()] == ordered(rows)
    assert list(tmp_path.iterdir()) == []


def test_equal_rows_all_come_out(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_RUN_BYTES", 100)
    batch = pa.RecordBatch.from_pylist([{"key": "same"}] * 10)
    assert sum(table.num_rows for table in sorted_rows([batch] * 9, ("key",), tmp_path)) == 90


def test_what_lies_on_the_disk_shows_no_row(tmp_path, monkeypatch):
    """The files have no names, so the test writes what they hold to one that has."""
    written = []

    def named(*, dir):  # noqa: A002  As it is called.
        path = dir / f"run-{len(written)}"
        written.append(path)
        return path.open("w+b")

    monkeypatch.setattr(module.tempfile, "TemporaryFile", named)
    monkeypatch.setattr(module, "_RUN_BYTES", 100)
    batches = [pa.RecordBatch.from_pylist([{"key": f"{i} Marigold"}]) for i in range(9)]
    assert sum(table.num_rows for table in sorted_rows(batches, ("key",), tmp_path)) == 9
    assert len(written) > 1
    for path in written:
        content = path.read_bytes()
        assert content
        assert b"Marigold" not in content
        assert b"key" not in content


def test_the_memory_does_not_grow_with_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_RUN_BYTES", 200_000)
    monkeypatch.setattr(module, "_BATCH_BYTES", 10_000)
    monkeypatch.setattr(module, "_RUNS_MERGED", 4)

    def batches(count: int) -> Iterator[pa.RecordBatch]:
        chance = random.Random(3)
        for _ in range(count):
            yield pa.RecordBatch.from_pylist([{"key": chance.randbytes(100).hex()} for _ in range(100)])

    def peak(count: int) -> int:
        before, most = pa.total_allocated_bytes(), 0
        for table in sorted_rows(batches(count), ("key",), tmp_path):
            assert table.num_rows
            most = max(most, pa.total_allocated_bytes() - before)
        return most

    few, many = peak(100), peak(600)
    # 2 and 12 MB of rows, of which 200 kB are sorted in memory.
    assert many < 1.5 * few < 2_000_000
