"""The workspace: the restricted folder in which the tasks of a run pass files to each other.

Write files in it with ``deid_tasks.core.files``, so that a reader never sees half of one.
"""

import contextlib
import hashlib
import logging
import shutil
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from deid_tasks.core.errors import GateError, InputError, WarehouseError
from deid_tasks.core.files import UNFINISHED, make_folder
from deid_tasks.evidence.annotation.formats import remove_annotated_notes
from deid_tasks.platform.warehouse import Shard
from deid_tasks.settings import InstitutionSettings

logger = logging.getLogger(__name__)

_BATCH_NOTES = 2_000
_DAY_SECONDS = 24 * 3_600
_ABANDONED_SECONDS = 3_600
"""What a writer left unfinished for so long is taken for abandoned."""


def work_dir(settings: InstitutionSettings) -> Path:
    """Return the institution's restricted folder, and create it if it is missing.

    Raises:
        StorageError: It cannot be created.
    """
    return make_folder(Path(settings.work_dir))


def run_dir(settings: InstitutionSettings, run_id: str) -> Path:
    """Return the folder of one run's shards. It is named by a hash: run ids hold characters that file names may not."""
    return make_folder(_runs_dir(settings) / _folder_name(run_id))


def prune_runs(settings: InstitutionSettings) -> int:
    """Delete the files of runs that have not changed for ``maintenance.run_days``; return the number of runs."""
    removed = 0
    for folder in _runs_dir(settings).iterdir():
        # Another run may have deleted it meanwhile.
        with contextlib.suppress(FileNotFoundError):
            if time.time() - folder.stat().st_mtime > settings.maintenance.run_days * _DAY_SECONDS:
                logger.info("deleting the files of a run that ended long ago: %s", folder.name)
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
    return removed


def remove_note_files(
    settings: InstitutionSettings, note_ids: Collection[str], *, running: Collection[str] = ()
) -> int:
    """Remove notes from the folder: what runs wrote of them, and what annotators were given and have written.

    A shard that holds one of the notes, or is damaged, is deleted as a whole, with its sealed originals: a run that
    still needs it says that its shard must be cleared. Annotators' files lose these notes alone. Running this again
    removes nothing.

    Args:
        settings: The institution.
        note_ids: The notes' ids in the warehouse.
        running: Ids of runs that have not ended; their shards stay.

    Returns:
        The number of files that were deleted or changed.

    Raises:
        InputError: An annotator's file is damaged, so that its notes cannot be told; all other files are done.
    """
    wanted = frozenset(note_ids)
    annotation = work_dir(settings) / "annotation"
    removed = _remove_abandoned(annotation)
    active = {_folder_name(run_id) for run_id in running}
    for folder in _runs_dir(settings).glob("*"):
        if folder.name not in active:
            removed += _remove_abandoned(folder) + _remove_shards(folder, wanted)
    damaged: list[InputError] = []
    for path in sorted(annotation.rglob("*")):
        if path.is_file() and not _is_unfinished(path):
            try:
                removed += remove_annotated_notes(path, wanted)
            except InputError as error:
                damaged.append(error)
    if damaged:
        raise damaged[0]
    return removed


def _remove_shards(folder: Path, note_ids: frozenset[str]) -> int:
    shards = [path for path in folder.glob("*.parquet") if _holds(path, note_ids)]
    files = [file for path in shards for file in (vault_file(path), path)]
    # Sealed originals are complete before their shard is; those of a worker that died in between belong to no shard.
    files += [path for path in folder.glob("*.vault") if not path.with_suffix(".parquet").exists()]
    found = [path for path in files if path.exists()]
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def _holds(shard: Path, note_ids: frozenset[str]) -> bool:
    try:
        batches = pq.ParquetFile(shard).iter_batches(columns=["note_id"])
        return any(not note_ids.isdisjoint(batch["note_id"].to_pylist()) for batch in batches)
    except FileNotFoundError:
        return False
    except pa.ArrowInvalid:
        # Nobody can tell whether a damaged shard holds a note; clearing its task writes it anew.
        logger.warning("deleting a damaged file of the run %s: %s", shard.parent.name, shard.name)
        return True


def _remove_abandoned(folder: Path) -> int:
    """Delete what killed writers left unfinished; return the number of files."""
    removed = 0
    for partial in list(folder.rglob(f".*{UNFINISHED}")):
        files = [path for path in partial.rglob("*") if path.is_file()]
        newest = max((path.stat().st_mtime for path in (partial, *files)), default=0.0)
        if time.time() - newest > _ABANDONED_SECONDS:
            shutil.rmtree(partial, ignore_errors=True)
            removed += len(files)
    return removed


def _is_unfinished(path: Path) -> bool:
    return any(parent.name.endswith(UNFINISHED) for parent in path.parents)


def _runs_dir(settings: InstitutionSettings) -> Path:
    return make_folder(work_dir(settings) / "runs")


def _folder_name(run_id: str) -> str:
    return hashlib.sha256(run_id.encode()).hexdigest()[:24]


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
