"""What leaves the working files: those of runs that ended, and those that hold a removed note."""

import logging
import shutil
import time
from collections.abc import Collection
from pathlib import Path

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import UNFINISHED
from deid_tasks.evidence.annotation.formats import remove_annotated_notes
from deid_tasks.platform.workspace.run_files import RunFiles, run_dir, runs_dir
from deid_tasks.platform.workspace.shared_files import SharedFiles, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)

_DAY_SECONDS = 24 * 3_600
_ABANDONED_SECONDS = 3_600
"""What a writer left unfinished for so long is taken for abandoned."""


def prune_runs(settings: InstitutionSettings, secrets: Secrets) -> int:
    """Delete the files of runs that have not changed for ``maintenance.run_days``; return the number of runs."""
    shared = SharedFiles(settings, secrets)
    folder = runs_dir(settings)
    oldest = time.time() - settings.maintenance.run_days * _DAY_SECONDS
    old = [name for name, modified in shared.names(folder).items() if modified < oldest]
    for name in old:
        logger.info("deleting the files of a run that ended long ago: %s", name)
        shared.delete(folder / name)
    return len(old)


def remove_note_files(
    settings: InstitutionSettings, secrets: Secrets, note_ids: Collection[str], *, running: Collection[str] = ()
) -> int:
    """Remove notes from the working files: what runs wrote of them, and what annotators were given and have written.

    A shard that holds one of the notes, or is damaged, is deleted as a whole, with its sealed originals: a run that
    still needs it says that its shard must be cleared. Annotators' files lose these notes alone. Running this again
    removes nothing.

    Args:
        settings: The institution.
        secrets: Its secrets.
        note_ids: The notes' ids in the warehouse.
        running: Ids of runs that have not ended; their shards stay.

    Returns:
        The number of files that were deleted or changed.

    Raises:
        InputError: An annotator's file is damaged, so that its notes cannot be told; all other files are done.
        StorageError: The object store cannot be read or written.
    """
    wanted = frozenset(note_ids)
    shared = SharedFiles(settings, secrets)
    removed = 0
    active = {run_dir(settings, run_id).name for run_id in running}
    runs = runs_dir(settings)
    for name in shared.names(runs).keys() - active:
        removed += _remove_abandoned(runs / name)
        removed += RunFiles(settings, secrets, runs / name).remove_shards_with(wanted)
    damaged: list[InputError] = []
    with shared.checked_out(work_dir(settings) / "annotation") as annotation:
        removed += _remove_abandoned(annotation)
        for path in sorted(annotation.rglob("*")):
            if path.is_file() and not _is_unfinished(path):
                try:
                    removed += remove_annotated_notes(path, wanted)
                except InputError as error:
                    damaged.append(error)
    if damaged:
        raise damaged[0]
    return removed


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
