"""Rows that do not fit into memory come out in order."""

import random

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


@pytest.mark.parametrize("run_bytes", [1, 2_000, 100_000_000])
@pytest.mark.parametrize("count", [0, 1, 5, 300])
def test_rows_come_in_order(tmp_path, monkeypatch, run_bytes, count):
    """Each row is a run of its own, a few rows are, or all rows are in memory."""
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
