"""The restricted folder through which a run's tasks hand each other files, each written whole or not at all."""

import hashlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from deid_tasks.core.errors import GateError, WarehouseError
from deid_tasks.platform.warehouse import Shard
from deid_tasks.settings import InstitutionSettings

_BATCH_NOTES = 2_000
_KEPT_SECONDS = 7 * 24 * 3_600


def work_dir(settings: InstitutionSettings) -> Path:
    """The institution's restricted folder, made where it is new."""
    folder = Path(settings.work_dir)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise WarehouseError(f"{settings.institution}: work_dir {folder} cannot be made: {error.strerror}") from None
    return folder


def run_dir(settings: InstitutionSettings, run_id: str) -> Path:
    """The folder of one run's shards; run ids hold characters that no file system likes."""
    folder = work_dir(settings) / "runs" / hashlib.sha256(run_id.encode()).hexdigest()[:24]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def prune_runs(settings: InstitutionSettings) -> None:
    """Drop the working files of runs that nobody has touched for a week."""
    for folder in (work_dir(settings) / "runs").iterdir():
        if time.time() - folder.stat().st_mtime > _KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def shard_file(settings: InstitutionSettings, run_id: str, shard: Shard) -> Path:
    """Where one shard's result lies."""
    return run_dir(settings, run_id) / f"shard-{shard.index:04d}-of-{shard.count:04d}.parquet"


def vault_file(shard: Path) -> Path:
    """Where the originals of a shard's file lie, sealed, until its slice is published."""
    return shard.with_suffix(".vault")


def shard_files(settings: InstitutionSettings, run_id: str, count: int) -> list[Path]:
    """All ``count`` files of one run's plan; files left by a plan of another size are no part of it.

    Raises:
        WarehouseError: a shard's file is missing.
    """
    files = [shard_file(settings, run_id, Shard(index, count)) for index in range(count)]
    missing = sum(1 for path in files if not path.is_file())
    if missing:
        raise WarehouseError(
            f"{settings.institution}: {missing} of {count} shard files are missing; clear the shard tasks"
        )
    return files


def fingerprint_of(files: list[Path]) -> str:
    """The one fingerprint that all shards were made with; raises ``GateError`` where they differ."""
    marks = {(pq.read_schema(path).metadata or {}).get(b"fingerprint", b"").decode() for path in files}
    if len(marks) != 1:
        raise GateError("the run's shards were made by different engines; clear all its shard tasks")
    return str(marks.pop())


def read_batches(files: list[Path]) -> Iterator[pa.RecordBatch]:
    """The rows of the files, in order, a bounded number at a time."""
    yield from ds.dataset(files, format="parquet").to_batches(batch_size=_BATCH_NOTES)
