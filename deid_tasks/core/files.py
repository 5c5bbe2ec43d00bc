"""Files and folders that appear whole or not at all.

Everything is written into a private folder beside the target, synced to disk, and moved onto the target in one step. A
reader sees the earlier content or the new one. A writer that fails or is killed leaves the target as it was.
"""

import contextlib
import errno
import os
import shutil
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from deid_tasks.core.errors import StorageError

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
"""Permissions where PHI may be: the owner alone reads and writes."""

_ABANDONED_SECONDS = 24 * 3_600
_NAME_CHARACTERS = 40
UNFINISHED, EARLIER = ".partial", ".earlier"
"""How the names of hidden folders end: one in which a target is being written, and one that a target is replacing."""


@contextmanager
def atomic_path(
    target: Path,
    *,
    file_mode: int | None = PRIVATE_FILE,
    folder_mode: int | None = PRIVATE_FOLDER,
    replace: bool = True,
) -> Iterator[Path]:
    """Yield a path to write to, which becomes ``target`` when the block ends without an error.

    The block may make it a file or a folder of files. Two writers of one target never share a path, also on two
    machines. A target that is a device or a pipe is written to directly. A symbolic link is followed.

    Replacing a file is one step. Replacing a folder takes two renames: a process that is killed between them leaves the
    earlier folder beside the target, under a hidden name that ends in ``.earlier``.

    Args:
        target: The path that appears. Its parent folder must exist.
        file_mode: Permissions of every file; ``None`` leaves them as the process's umask makes them.
        folder_mode: Permissions of every folder, likewise.
        replace: Whether an earlier target is replaced. With ``False`` it stays, and what was written is dropped.

    Raises:
        StorageError: The disk is full, or the folder is missing or not writable. The text names the target.
    """
    target = target.resolve() if target.is_symlink() else target
    if target.exists() and not (target.is_file() or target.is_dir()):
        yield target
        return
    stem = f".{target.name[:_NAME_CHARACTERS]}."
    room = target.with_name(f"{stem}{uuid.uuid4().hex}{UNFINISHED}")
    written = room / target.name
    with _storage_errors(target, room):
        room.mkdir(mode=PRIVATE_FOLDER)
        try:
            yield written
            _finish(written, file_mode, folder_mode)
            _move(written, target, replace=replace)
            _sync(target.parent)
        finally:
            shutil.rmtree(room, ignore_errors=True)
            _remove_abandoned(target, stem)


@contextmanager
def atomic_open(
    target: Path, *, file_mode: int | None = PRIVATE_FILE, newline: str | None = "", errors: str | None = None
) -> Iterator[IO[str]]:
    """Yield a UTF-8 text stream whose content becomes ``target``, as ``atomic_path`` says."""
    with (
        atomic_path(target, file_mode=file_mode) as path,
        path.open("w", encoding="utf-8", errors=errors, newline=newline) as stream,
    ):
        yield stream


def write_atomically(target: Path, content: str | bytes, *, file_mode: int | None = PRIVATE_FILE) -> None:
    """Write ``content`` (text as UTF-8, line ends as they are) to ``target``, as ``atomic_path`` says."""
    with atomic_path(target, file_mode=file_mode) as path:
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def make_folder(folder: Path, mode: int = PRIVATE_FOLDER) -> Path:
    """Create a folder and the folders above it where they are missing, and return it.

    Raises:
        StorageError: It cannot be created. The text names it.
    """
    try:
        folder.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder}: the folder cannot be created: {error.strerror}") from None
    return folder


@contextmanager
def _storage_errors(target: Path, room: Path) -> Iterator[None]:
    """Raise ``StorageError`` in place of an ``OSError`` that concerns ``target``. Others pass."""
    try:
        yield
    except OSError as error:
        if not _concerns(error, target, room):
            raise
        reason = error.strerror or (os.strerror(error.errno) if error.errno else type(error).__name__)
        raise StorageError(f"{target}: cannot be written: {reason}") from None


def _concerns(error: OSError, target: Path, room: Path) -> bool:
    """Whether writing ``target`` failed: the error names its path, or no path but a full or failing disk."""
    if error.filename is None:
        return error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}
    path = Path(os.fsdecode(error.filename))
    return path in {target, target.parent} or path.is_relative_to(room)


def _finish(written: Path, file_mode: int | None, folder_mode: int | None) -> None:
    """Set the permissions and sync everything that was written, the content before the folders that name it."""
    for path in (*sorted(written.rglob("*"), reverse=True), written):
        if path.is_symlink():
            continue
        mode = folder_mode if path.is_dir() else file_mode
        if mode is not None:
            path.chmod(mode)
        _sync(path)


def _move(written: Path, target: Path, *, replace: bool) -> None:
    if not replace:
        if target.exists():
            return
        with contextlib.suppress(FileExistsError), _not_empty_is_existing():
            written.rename(target)
        return
    if not target.is_dir():
        written.replace(target)
        return
    # A folder that holds files cannot be replaced in one step.
    earlier = written.parent.with_suffix(EARLIER)
    target.rename(earlier)
    try:
        written.rename(target)
    except OSError:
        earlier.rename(target)
        raise
    shutil.rmtree(earlier, ignore_errors=True)


@contextmanager
def _not_empty_is_existing() -> Iterator[None]:
    """Renaming a folder onto one that holds files reports ``ENOTEMPTY``, which Python has no class for."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOTEMPTY:
            raise FileExistsError(error.errno, error.strerror, error.filename) from None
        raise


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot sync a folder.
        if error.errno not in {errno.EINVAL, errno.ENOTSUP} or not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def _remove_abandoned(target: Path, stem: str) -> None:
    """Remove what writers of this target left behind when they were killed more than a day ago."""
    with contextlib.suppress(OSError):
        for path in target.parent.iterdir():
            if path.name.startswith(stem) and path.name.endswith((UNFINISHED, EARLIER)) and _is_abandoned(path, target):
                shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(path: Path, target: Path) -> bool:
    if path.name.endswith(EARLIER) and not target.exists():
        return False
    newest = max((entry.stat().st_mtime for entry in (path, *path.rglob("*"))), default=0.0)
    return stat.S_ISDIR(path.stat().st_mode) and time.time() - newest > _ABANDONED_SECONDS
