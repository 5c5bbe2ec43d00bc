"""Folders of versions: each version is a file or folder that never changes, and a pointer names the newest."""

import logging
import re
import shutil
import time
from collections.abc import Collection
from pathlib import Path

from deid_tasks.core.errors import StorageError
from deid_tasks.core.files import write_atomically

logger = logging.getLogger(__name__)

CURRENT = "CURRENT"
"""File that names the newest version."""
_NAME = re.compile(r"\w[\w.+-]{0,199}", re.ASCII)
_YOUNG_SECONDS = 24 * 3_600


def newest_version(folder: Path) -> str:
    """Return the name of the newest version in ``folder``; empty where it has none.

    Raises:
        StorageError: the pointer does not hold the name of a version.
    """
    try:
        name = (folder / CURRENT).read_bytes().decode("ascii", "replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if not _NAME.fullmatch(name):
        raise StorageError(
            f"{folder / CURRENT}: is damaged: it must hold the name of a version that lies beside it; write the newest"
            " one's there, or delete the file and build the version again"
        )
    return name


def make_newest(folder: Path, version: str) -> None:
    """Make ``version``, which must lie in ``folder``, the newest.

    Raises:
        StorageError: the pointer cannot be written.
    """
    write_atomically(folder / CURRENT, version)


def prune_versions(folder: Path, retained: Collection[str]) -> list[str]:
    """Delete the versions in ``folder`` that are neither the newest nor in ``retained``; return their names.

    A version that was written within a day stays: the pointer may not name it yet.
    """
    kept = {*retained, newest_version(folder)}
    deleted = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name.startswith(".") or path.name == CURRENT or path.name in kept or _is_young(path):
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        logger.info("deleted a version that no engine in use needs: %s/%s", folder.name, path.name)
        deleted.append(path.name)
    return deleted


def is_young(modified: float) -> bool:
    """Return whether a version was written within a day; ``modified`` is in seconds since 1970."""
    return time.time() - modified < _YOUNG_SECONDS


def _is_young(path: Path) -> bool:
    try:
        return is_young(path.stat().st_mtime)
    except FileNotFoundError:  # another process deleted it
        return True
