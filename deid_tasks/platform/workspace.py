"""The workspace: the restricted folder in which the tasks of a run pass files to each other.

Write files in it with ``deid_tasks.core.files``, so that a reader never sees half of one.
"""

import contextlib
import hashlib
import logging
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from deid_tasks.core.errors import GateError, WarehouseError
from deid_tasks.core.files import make_folder
from deid_tasks.platform.warehouse import Shard
from deid_tasks.settings import InstitutionSettings

logger = logging.getLogger(__name__)

_BATCH_NOTES = 2_000
_RETAINED_SECONDS = 7 * 24 * 3_600


def work_dir(settings: InstitutionSettings) -> Path:
    """Return the institution's restricted folder, and create it if it is missing.

    Raises:
        StorageError: It cannot be created.
    """
    return make_folder(Path(settings.work_dir))


def run_dir(settings: InstitutionSettings, run_id: str) -> Path:
    """Return the folder of one run's shards. It is named by a hash: run ids hold characters that file names may not."""
    return make_folder(work_dir(settings) / "runs" / hashlib.sha256(run_id.encode()).hexdigest()[:24])


def prune_runs(settings: InstitutionSettings) -> None:
    """Delete the files of runs that have not changed for a week."""
    for folder in (work_dir(settings) / "runs").iterdir():
        # Another run may have deleted it meanwhile.
        with contextlib.suppress(FileNotFoundError):
            if time.time() - folder.stat().st_mtime > _RETAINED_SECONDS:
                logger.info("deleting the files of a run that ended a week ago: %s", folder.name)
                shutil.rmtree(folder, ignore_errors=True)


def shard_file(settings: InstitutionSettings, run_id: str, shard: Shard) -> Path:
    """Return the path of one shard's result."""
    return run_dir(settings, run_id) / f"shard-{shard.index:04d}-of-{shard.count:04d}.parquet"


def vault_file(shard: Path) -> Path:
    """Return the path of the sealed originals of a shard, which stay there until the slice is published."""
    return shard.with_suffix(".vault")


def shard_files(settings: InstitutionSettings, run_id: str, count: int) -> list[Path]:
    """Return the files of a run that was divided into ``count`` shards. Files of another division are ignored.

    Raises:
        WarehouseError: A shard's file is missing.
    """
    files = [shard_file(settings, run_id, Shard(index, count)) for index in range(count)]
    missing = [index for index, path in enumerate(files) if not path.is_file()]
    if missing:
        raise WarehouseError(
            f"{settings.institution}: {len(missing)} of {count} shard files are missing in {run_dir(settings, run_id)}"
            f" (first: shard {missing[0]}); clear the run's shard tasks, and check that all workers share work_dir"
        )
    return files


def fingerprint_of(files: list[Path]) -> str:
    """Return the fingerprint of the engine that made all shards.

    Raises:
        GateError: The shards were made by different engines.
    """
    fingerprints = {(pq.read_schema(path).metadata or {}).get(b"fingerprint", b"").decode() for path in files}
    if len(fingerprints) != 1:
        raise GateError(
            f"the run's shards were made by {len(fingerprints)} different engines: settings, dictionaries or code"
            " changed during the run; clear all its shard tasks"
        )
    return str(fingerprints.pop())


def read_batches(files: list[Path]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the files in order, in batches of at most 2,000."""
    yield from ds.dataset(files, format="parquet").to_batches(batch_size=_BATCH_NOTES)
