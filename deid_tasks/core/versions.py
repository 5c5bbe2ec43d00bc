"""Folders of versions: each version is a file or folder that never changes, and a pointer names the newest."""

import logging
import shutil
import time
from collections.abc import Collection
from pathlib import Path

from deid_tasks.core.files import write_atomically

logger = logging.getLogger(__name__)

_CURRENT = "CURRENT"
_YOUNG_SECONDS = 24 * 3_600


def newest_version(folder: Path) -> str:
    """Return the name of the newest version in ``folder``; empty where it has none."""
    try:
        return (folder / _CURRENT).read_text(encoding="ascii").strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""


def make_newest(folder: Path, version: str) -> None:
    """Make ``version``, which must lie in ``folder``, the newest.

    Raises:
        StorageError: the pointer cannot be written.
    """
    write_atomically(folder / _CURRENT, version)


def prune_versions(folder: Path, retained: Collection[str]) -> list[str]:
    """Delete the versions in ``folder`` that are neither the newest nor in ``retained``; return their names.

    A version that was written within a day stays: the pointer may not name it yet.
    """
    kept = {*retained, newest_version(folder)}
    deleted = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name.startswith(".") or path.name == _CURRENT or path.name in kept or _is_young(path):
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        logger.info("deleted a version that no engine in use needs: %s/%s", folder.name, path.name)
        deleted.append(path.name)
    return deleted


def _is_young(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime < _YOUNG_SECONDS
    except FileNotFoundError:  # another process deleted it
        return True
