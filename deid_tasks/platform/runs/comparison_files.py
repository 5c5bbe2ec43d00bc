"""The folder of compared systems on a worker: their environments, and their answers about gold notes."""

import os
import shutil
import time
from pathlib import Path

from deid_tasks.comparison.answers import ANSWERS
from deid_tasks.comparison.process import delete_abandoned_folders
from deid_tasks.core.errors import StorageError
from deid_tasks.core.files import make_folder
from deid_tasks.engine.registry import cache_file
from deid_tasks.platform.workspace import work_dir
from deid_tasks.settings import InstitutionSettings

_DAY_SECONDS = 24 * 3_600


def comparison_folder(settings: InstitutionSettings) -> Path:
    """Return the institution's folder of compared systems on this worker, and create it if it is missing.

    Answers hold offsets and labels of identifiers, so this worker's user alone may read the folder.

    Raises:
        StorageError: It cannot be created, or others may read it.
    """
    folder = make_folder(_path(settings))
    status = folder.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise StorageError(
            f"{folder}: others than this worker's user may read it, and it will hold what systems say of gold notes;"
            " make it that user's own, with mode 700"
        )
    return folder


def prune_answers(settings: InstitutionSettings) -> int:
    """Delete answers to which none was added for ``maintenance.cache_days``; return the number of files.

    Where the settings name no system any more, everything goes. So does the temporary folder of a system whose worker
    was killed a day ago: it may hold the text of a note.
    """
    delete_abandoned_folders(time.time() - _DAY_SECONDS)
    folder = _path(settings)
    files = list((folder / ANSWERS).glob("*.jsonl"))
    if not settings.compare.systems:
        shutil.rmtree(folder, ignore_errors=True)
        return len(files)
    oldest = time.time() - settings.maintenance.cache_days * _DAY_SECONDS
    old = [path for path in files if path.stat().st_mtime < oldest]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def _path(settings: InstitutionSettings) -> Path:
    cache = cache_file(settings.detect.cache, work_dir(settings) / "cache", settings.institution).parent
    return cache / settings.compare.folder / settings.institution
