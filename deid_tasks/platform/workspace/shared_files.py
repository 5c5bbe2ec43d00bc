"""The files of ``work_dir`` that all workers of an institution use.

``work_dir`` is a folder that every worker can reach, or an object store. With an object store each worker has copies in
``workspace.local_dir``: a step fetches what it needs, and shares what it has written. With a folder both do nothing.
"""

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from deid_tasks.core.errors import StorageError
from deid_tasks.core.files import atomic_path, make_folder
from deid_tasks.core.versions import CURRENT, is_young, newest_version, prune_versions
from deid_tasks.platform.bucket import Bucket
from deid_tasks.settings import InstitutionSettings, Secrets

_UNUSED_SECONDS = 14 * 24 * 3_600


def work_dir(settings: InstitutionSettings) -> Path:
    """Return the institution's restricted folder on this host, and create it if it is missing.

    Raises:
        StorageError: It cannot be created.
    """
    return make_folder(Path(settings.local_work_dir))


class SharedFiles:
    """The institution's working files, wherever a worker wrote them.

    Paths are those of the folder that ``work_dir`` returns. A file or folder that is shared appears as a whole to
    whoever fetches it by name, because its name is told only after it was shared.

    Args:
        settings: The institution.
        secrets: Its secrets; the credentials of the object store are among them.
    """

    def __init__(self, settings: InstitutionSettings, secrets: Secrets) -> None:
        self.folder = work_dir(settings)
        self._url = settings.work_dir
        self._bucket: Bucket | None = None
        location = settings.work_store
        if location is not None:
            self._prefix = PurePosixPath(location.prefix)
            self._bucket = Bucket(location.bucket, secrets.mapping(location.object_store), location.kms_key)

    def share(self, path: Path) -> None:
        """Make a file or folder that this host has written the one that all workers fetch.

        Raises:
            StorageError: the object store cannot be written to.
        """
        if self._bucket is None:
            return
        with self._errors("write", path):
            # The pointer to the newest version comes after the version.
            found = sorted(path.rglob("*"), key=lambda one: (one.name == CURRENT, one)) if path.is_dir() else [path]
            for file in found:
                if file.is_file():
                    self._bucket.upload(self._key(file), file, file_sha256(file))

    def hand_over(self, path: Path) -> None:
        """Share a file or folder that this host does not need any more: with an object store, no copy stays here.

        Raises:
            StorageError: the object store cannot be written to.
        """
        if self._bucket is not None:
            self.share(path)
            _remove(path)

    def fetch(self, path: Path) -> Path:
        """Return a file or folder that may have changed, as it was last shared; a path of nothing where it was not.

        Raises:
            StorageError: the object store cannot be read, or an object is damaged.
        """
        return self._fetch(path, replace=True)

    def fetch_version(self, path: Path) -> Path:
        """Return a file or folder that never changes; a path of nothing where it was never shared.

        It is fetched once a host. Several processes may do so at once. Copies beside it that nobody asked for within
        two weeks are deleted.

        Raises:
            StorageError: as ``fetch`` says.
        """
        if self._bucket is None:
            return path
        if path.exists():
            os.utime(path)
            return path
        self._fetch(path, replace=False)
        unused = time.time() - _UNUSED_SECONDS
        for other in path.parent.iterdir() if path.parent.is_dir() else ():
            with contextlib.suppress(FileNotFoundError):
                if other.name != CURRENT and other.stat().st_mtime < unused:
                    _remove(other)
        return path

    @contextmanager
    def checked_out(self, folder: Path) -> Iterator[Path]:
        """Yield a folder as it was last shared; when the block ends, also with an error, share what it has changed.

        Files that people deliver into the object store meanwhile stay as they are. No copy stays on this host.

        Raises:
            StorageError: the object store cannot be read or written.
        """
        if self._bucket is None:
            yield folder
            return
        self.fetch(folder)
        before = _hashes(folder)
        try:
            yield folder
        finally:
            after = _hashes(folder)
            for path in before.keys() - after.keys():
                self.delete(path)
            for path, content in sorted(after.items()):
                if before.get(path) != content:
                    self.share(path)
            shutil.rmtree(folder, ignore_errors=True)

    def newest(self, folder: Path) -> str:
        """Return the name of the newest version in a folder of versions; empty where it has none."""
        self.fetch(folder / CURRENT)
        return newest_version(folder)

    def share_version(self, folder: Path, version: str) -> None:
        """Share a version of a folder, and that it is the newest."""
        self.share(folder / version)
        self.share(folder / CURRENT)

    def prune_versions(self, folder: Path, retained: Collection[str]) -> int:
        """Delete the versions that are neither the newest nor in ``retained``, here and in the object store.

        A version that was written within a day stays: the pointer may not name it yet.

        Returns:
            The number of versions that were deleted.
        """
        kept = {*retained, self.newest(folder)}
        deleted = set(prune_versions(folder, kept))
        for name, modified in self._names(folder).items():
            if name not in kept and name != CURRENT and not is_young(modified):
                self.delete(folder / name)
                deleted.add(name)
        return len(deleted)

    def names(self, folder: Path) -> dict[str, float]:
        """Return the files and folders in ``folder``, and when each was last written, in seconds since 1970."""
        if self._bucket is not None:
            return self._names(folder)
        paths = folder.iterdir() if folder.is_dir() else ()
        return {path.name: path.stat().st_mtime for path in paths if not path.name.startswith(".")}

    def delete(self, path: Path) -> None:
        """Delete a file or folder here and in the object store; nothing where there is none."""
        if self._bucket is not None:
            with self._errors("delete", path):
                self._bucket.delete([key for key, _ in self._objects(path)])
        _remove(path)

    @contextmanager
    def opened(self, paths: list[Path], scratch: Path) -> Iterator[list[Path]]:
        """Yield paths of files whose copies leave this host when the block ends; of those that exist.

        Args:
            paths: The files.
            scratch: A folder for the copies, which is deleted.

        Raises:
            StorageError: as ``fetch`` says.
        """
        if self._bucket is None:
            yield [path for path in paths if path.is_file()]
            return
        make_folder(scratch)
        try:
            copies = [(path, scratch / path.name) for path in paths]
            for path, copy in copies:
                self._download(self._bucket, path, copy)
            yield [copy for _, copy in copies if copy.is_file()]
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _fetch(self, path: Path, *, replace: bool) -> Path:
        if self._bucket is not None:
            self._download(self._bucket, path, path, replace=replace)
        return path

    def _download(self, bucket: Bucket, path: Path, target: Path, *, replace: bool = True) -> None:
        with self._errors("read", path):
            found = [key for key, _ in self._objects(path)]
            if found:
                make_folder(target.parent)
                with atomic_path(target, replace=replace) as partial:
                    for key in found:
                        self._download_object(bucket, key, partial / PurePosixPath(key).relative_to(self._key(path)))
        if not found:
            _remove(target)

    def _download_object(self, bucket: Bucket, key: str, target: Path) -> None:
        make_folder(target.parent)
        expected = bucket.download(key, target)
        if expected is not None and expected != file_sha256(target):
            raise StorageError(f"{self._url}: {PurePosixPath(key).name} is damaged: write it again")

    def _names(self, folder: Path) -> dict[str, float]:
        names: dict[str, float] = {}
        if self._bucket is None:
            return names
        own = self._key(folder)
        for key, modified in self._objects(folder):
            name = PurePosixPath(key).relative_to(own).parts[0] if key != own else folder.name
            names[name] = max(names.get(name, 0.0), modified)
        return names

    def _objects(self, path: Path) -> list[tuple[str, float]]:
        """Return the keys of a file, or of the files below a folder, and when each was written."""
        if self._bucket is None:
            return []
        key = self._key(path)
        return [
            (found.key, found.modified.timestamp())
            for found in self._bucket.list(key)
            if found.key == key or found.key.startswith(f"{key}/")
        ]

    def _key(self, path: Path) -> str:
        return str(self._prefix / path.relative_to(self.folder).as_posix())

    @contextmanager
    def _errors(self, verb: str, path: Path) -> Iterator[None]:
        from boto3.exceptions import Boto3Error
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except (BotoCoreError, Boto3Error, ClientError) as error:
            raise StorageError(
                f"cannot {verb} {self._url}/{path.relative_to(self.folder).as_posix()}: {type(error).__name__}; check"
                " the secret that workspace.object_store names, and its rights"
            ) from None


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _hashes(folder: Path) -> dict[Path, str]:
    return {path: file_sha256(path) for path in folder.rglob("*") if path.is_file()}


def file_sha256(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
