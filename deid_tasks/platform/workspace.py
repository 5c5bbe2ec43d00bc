"""The restricted folder through which a run's tasks hand each other files, each written whole or not at all."""

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A path to write to, which becomes ``target`` when the block ends well and is gone otherwise.

    The name of the unfinished file is this process's own, so a retry beside a worker thought dead never mixes with it.

    Raises:
        WarehouseError: the disk is full or the folder cannot be written; the text names it.
    """
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield partial
        partial.chmod(0o600)
        partial.replace(target)
    except OSError as error:
        raise WarehouseError(f"{target}: cannot be written: {error.strerror or type(error).__name__}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def whole_target(target: Path) -> Iterator[Path]:
    """As ``whole_file``, for a target that the block may make a file or a folder of files; an earlier target is replaced."""
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    earlier = target.with_name(f".{target.name}.{os.getpid()}.earlier")
    try:
        yield partial
        for path in (partial, *partial.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)
        # A folder cannot be put in the place of one that holds files.
        if target.is_dir():
            target.replace(earlier)
        partial.replace(target)
    except OSError as error:
        raise WarehouseError(f"{target}: cannot be written: {error.strerror or type(error).__name__}") from None
    finally:
        for leftover in (partial, earlier):
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)


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
