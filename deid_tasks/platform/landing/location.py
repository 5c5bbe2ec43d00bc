"""The folder or object store in which deliveries lie, read through Arrow's file systems."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from pyarrow import fs as arrow_fs

from deid_tasks.core.errors import SettingsError, StorageError
from deid_tasks.settings import LandingSettings, Secrets

_S3 = "s3://"
_HASH_BYTES = 1 << 20


class FileState(NamedTuple):
    """What tells one state of a file from another."""

    size: int
    modified_ns: int


class LandingLocation:
    """The files below one root. Paths are relative to it and use forward slashes.

    Args:
        settings: The institution's section ``landing``.
        secrets: Its secrets; the credentials of an object store are among them.

    Raises:
        SettingsError: the location is an object store, and no secret is named for it.
    """

    def __init__(self, settings: LandingSettings, secrets: Secrets) -> None:
        self._settings = settings
        if not settings.location.startswith(_S3):
            self._files = arrow_fs.SubTreeFileSystem(settings.location, arrow_fs.LocalFileSystem())
            return
        if settings.object_store is None:
            raise SettingsError("landing.object_store is missing: name the secret that holds the S3 credentials")
        store = _s3_of(secrets.mapping(settings.object_store))
        self._files = arrow_fs.SubTreeFileSystem(settings.location.removeprefix(_S3).rstrip("/"), store)

    def names(self) -> list[str]:
        """Return the paths of all files below the root, in order.

        Raises:
            StorageError: the location cannot be listed.
        """
        with self._storage_errors("list", ""):
            found = self._files.get_file_info(arrow_fs.FileSelector("", recursive=True))
        return sorted(info.path for info in found if info.is_file)

    def manifests(self, names: list[str]) -> list[str]:
        """Return those of ``names`` that are manifests."""
        return [name for name in names if fnmatchcase(name.rpartition("/")[2], self._settings.manifests)]

    def state(self, path: str) -> FileState | None:
        """Return the state of a file; ``None`` where there is none."""
        with self._storage_errors("read", path):
            (info,) = self._files.get_file_info([path])
        return FileState(info.size or 0, info.mtime_ns or 0) if info.is_file else None

    def sha256(self, path: str) -> str:
        """Return the hash of a file's bytes as they lie there; it is streamed."""
        digest = hashlib.sha256()
        with self._storage_errors("read", path), self._files.open_input_stream(path, compression=None) as stream:
            while chunk := stream.read(_HASH_BYTES):
                digest.update(chunk)
        return digest.hexdigest()

    def content(self, path: str, max_bytes: int) -> bytes:
        """Return at most ``max_bytes`` of a file."""
        with self._storage_errors("read", path), self._files.open_input_stream(path, compression=None) as stream:
            return bytes(stream.read(max_bytes))

    @contextmanager
    def open_stream(self, path: str) -> Iterator[Any]:
        """Yield a stream of a file's content; its ending says how it is compressed."""
        with self._storage_errors("read", path), self._files.open_input_stream(path, compression="detect") as stream:
            yield stream

    @contextmanager
    def open_file(self, path: str) -> Iterator[Any]:
        """Yield a file for reading at any position."""
        with self._storage_errors("read", path), self._files.open_input_file(path) as file:
            yield file

    @contextmanager
    def _storage_errors(self, verb: str, path: str) -> Iterator[None]:
        """Raise ``StorageError`` in place of the file system's errors, whose texts may quote requests."""
        try:
            yield
        except OSError as error:
            secret = self._settings.object_store
            checked = f"the secret {secret!r} and its rights" if secret else "that the worker may read it"
            raise StorageError(
                f"cannot {verb} {self._settings.location}/{path}: {type(error).__name__}; check {checked}, and that"
                " the file is whole"
            ) from None


def _s3_of(store: dict[str, Any]) -> arrow_fs.S3FileSystem:
    """Return the object store of a secret; credentials of the environment where the secret has none."""
    scheme, _, host = str(store.get("endpoint") or "").rpartition("://")
    return arrow_fs.S3FileSystem(
        access_key=store.get("access_key") or None,
        secret_key=store.get("secret_key") or None,
        session_token=store.get("session_token") or None,
        region=store.get("region") or "us-east-1",
        endpoint_override=host or None,
        scheme=scheme or "https",
        force_virtual_addressing=False,
    )
