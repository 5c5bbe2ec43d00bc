"""Rows a core-second of landing by format, and how memory grows with the number of rows.

    python -m benchmarks.landing                    # 3 minutes
    python -m benchmarks.landing --rows 1000000

Notes of 2,000 characters and patients of four short columns, through checks, staging table and raw table of a private
PostgreSQL. Each measurement is a process of its own, whose peak memory is read when it ends.
"""

import argparse
import gzip
import hashlib
import io
import json
import multiprocessing
import resource
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.changes.living_site import site_secrets, site_settings
from benchmarks.support.results import parser_of, results
from benchmarks.support.server_work import ServerWork, Work
from deid_tasks.hospital.postgres import EmbeddedPostgres
from deid_tasks.platform import runs
from deid_tasks.settings import LandingSettings

_BATCH = 10_000
_SERVER = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}
_TEXT = 'Seen in clinic today, feels well and sleeps "soundly".\nNo change of medication, see me in 3 months. '
_COLUMNS: dict[str, dict[str, str]] = {
    "patient": {"pat_id": "bigint", "pat_name": "text", "birth_date": "date", "city": "text"},
    "note": {"note_id": "bigint", "pat_id": "text", "written": "timestamp", "note_text": "text"},
}
_FILES = {"csv": "csv", "csv.gz": "csv", "ndjson": "ndjson", "parquet": "parquet"}
"""Format by file ending."""


def main() -> None:
    """Measure each format with a tenth of the rows and with all of them."""
    parser = parser_of(__doc__)
    parser.add_argument("--rows", type=int, default=200_000, help="patients; notes are a fifth")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-landing-"))
    folder.chmod(0o755)
    try:
        with EmbeddedPostgres(folder / "pg", settings=_SERVER) as server:
            _measure_all(arguments, server, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measure_all(arguments: argparse.Namespace, server: EmbeddedPostgres, folder: Path) -> None:
    with results("landing", "Landing extracts", arguments) as made:
        columns = {"table": "", "format": "", "rows": ",.0f", "MB": ",.1f", "delivery": "", "seconds": ".1f"}
        cores = {"core-seconds, landing": ".1f", "core-seconds, server": ".1f", "rows a core-second": ",.0f"}
        made.table("Landing by COPY; 'same' rows are compared and not written", columns | cores | {"peak MB": ",.0f"})
        for table in _COLUMNS:
            for ending in _FILES:
                for share in (10, 1):
                    rows = arguments.rows // share // (5 if table == "note" else 1)
                    name = f"{table}_{ending.replace('.', '_')}_{share}"
                    server.create_database(name)
                    context = multiprocessing.get_context("spawn")
                    with context.Pool(1) as pool:
                        task = (server.uri(name), folder / name, table, ending)
                        for delivery in ("first", "same"):
                            size = _deliver(folder / name, delivery, table, ending, rows)
                            work, peak = pool.apply(_land, task)
                            used = work.process + work.server
                            made.add(
                                *(table, ending, rows, size / 1e6, delivery, work.wall, work.process, work.server),
                                *(rows / used, peak),
                            )


def _land(uri: str, folder: Path, table: str, ending: str) -> tuple[Work, float]:
    """Land what is new; return its work and the peak memory of this process in MB."""
    contract = {
        "location": str(folder),
        "tables": [
            {
                "table": table,
                "files": f"{table}.*",
                "format": _FILES[ending],
                "columns": _COLUMNS[table],
                "key": [next(iter(_COLUMNS[table]))],
            }
        ],
    }
    settings = site_settings("omop", folder).model_copy(update={"landing": LandingSettings.model_validate(contract)})
    secrets = site_secrets({"ehr": uri, "catalog": uri})
    runs.upgrade_tables(settings, secrets)
    work = ServerWork(uri).measure(lambda: runs.land_deliveries(settings, secrets))
    return work, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _deliver(folder: Path, delivery: str, table: str, ending: str, rows: int) -> int:
    """Write a delivery of one file; return its size."""
    path = folder / delivery / f"{table}.{ending}"
    path.parent.mkdir(parents=True)
    writer = {"csv": _write_csv, "csv.gz": _write_csv, "ndjson": _write_ndjson, "parquet": _write_parquet}[ending]
    writer(path, table, rows)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    entry = {"file": path.name, "rows": rows, "sha256": digest}
    (path.parent / "manifest.json").write_text(json.dumps({"delivery": delivery, "files": [entry]}))
    return path.stat().st_size


def _batches(table: str, rows: int) -> Iterator[pa.RecordBatch]:
    for first in range(0, rows, _BATCH):
        ids = range(first, min(rows, first + _BATCH))
        columns: list[list[Any]]
        if table == "patient":
            columns = [
                [*ids],
                [f"Last{i % 9000},First{i % 700}" for i in ids],
                [f"19{i % 90 + 10}-0{i % 9 + 1}-1{i % 9}" for i in ids],
                [f"City {i % 800}" for i in ids],
            ]
        else:
            columns = [
                [*ids],
                [f"P{i % 5000}" for i in ids],
                [f"2024-01-1{i % 9} 10:{i % 50 + 10}:00" for i in ids],
                [f"{i} {_TEXT * 20}" for i in ids],
            ]
        yield pa.RecordBatch.from_pydict(dict(zip(_COLUMNS[table], columns, strict=True)))


def _write_csv(path: Path, table: str, rows: int) -> None:
    from pyarrow import csv

    content = io.BytesIO()
    for number, batch in enumerate(_batches(table, rows)):
        csv.write_csv(batch, content, csv.WriteOptions(include_header=number == 0))
    is_packed = path.suffix == ".gz"
    path.write_bytes(gzip.compress(content.getvalue(), compresslevel=1) if is_packed else content.getvalue())


def _write_ndjson(path: Path, table: str, rows: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for batch in _batches(table, rows):
            file.writelines(json.dumps(row) + "\n" for row in batch.to_pylist())


def _write_parquet(path: Path, table: str, rows: int) -> None:
    batches = _batches(table, rows)
    first = next(batches)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


if __name__ == "__main__":
    main()
