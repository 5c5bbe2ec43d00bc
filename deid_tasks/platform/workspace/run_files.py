"""The files of one run: each attempt to process a shard writes a file of its own, and its report names it.

A worker that was taken for dead and its successor never write one file, and only the file counts that the report names
which Airflow stored. Sealed originals lie beside their shard, and so does its SHA-256: Parquet would return another
text where a byte of a page has changed.
"""

import hashlib
import logging
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

from deid_tasks.core.errors import GateError, StorageError, WarehouseError
from deid_tasks.core.files import atomic_path, make_folder
from deid_tasks.platform.warehouse import Shard
from deid_tasks.platform.workspace.shared_files import SharedFiles, file_sha256, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)

_BATCH_NOTES = 2_000
_RUNS = "runs"


def runs_dir(settings: InstitutionSettings) -> Path:
    """Return the folder that has a folder for each run."""
    return make_folder(work_dir(settings) / _RUNS)


def run_dir(settings: InstitutionSettings, run_id: str) -> Path:
    """Return the folder of one run on this host, and make it if it is missing.

    It is named by a hash: run ids hold characters that file names may not.
    """
    return make_folder(runs_dir(settings) / hashlib.sha256(run_id.encode()).hexdigest()[:24])


def vault_file(shard: Path) -> Path:
    """Return the path of the sealed originals of a shard, which stay there until the slice is published."""
    return shard.with_suffix(".vault")


def _digest_file(shard: Path) -> Path:
    """Return the path of the file with a shard's SHA-256."""
    return shard.with_suffix(".sha256")


def _files_of(shard: Path) -> tuple[Path, Path, Path]:
    """Return a shard and the files that belong to it."""
    return shard, _digest_file(shard), vault_file(shard)


def write_digest(shard: Path) -> None:
    """Write the SHA-256 of a whole shard beside it."""
    with atomic_path(_digest_file(shard)) as partial:
        partial.write_text(file_sha256(shard), encoding="ascii")


def shard_count(name: str) -> int:
    """Return how many shards the run has of which a file with this name is one, as ``new_shard`` names it."""
    return int(name.split("-")[3].partition(".")[0])


class RunFiles:
    """The shards of one run, wherever its workers wrote them.

    Args:
        settings: The institution.
        secrets: Its secrets; those of an object store, and the key of the shards, are among them.
        folder: What ``run_dir`` returns for the run.
    """

    def __init__(self, settings: InstitutionSettings, secrets: Secrets, folder: Path) -> None:
        self._institution = settings.institution
        self._shared = SharedFiles(settings, secrets)
        self._folder = folder
        name = settings.workspace.key
        self._key = secrets.key(name) if name else b""

    @contextmanager
    def new_shard(self, shard: Shard, schema: pa.Schema) -> Iterator[tuple[Path, pq.ParquetWriter]]:
        """Yield the path of a new attempt and its writer; the file appears when the block ends without an error.

        A block that fails or is killed leaves nothing that a later step reads.

        Raises:
            StorageError: the disk is full, or the object store cannot be written to.
        """
        path = self._folder / f"shard-{shard.index:04d}-of-{shard.count:04d}-{uuid.uuid4().hex[:12]}.parquet"
        encryption = pe.create_encryption_properties(self._key_of(path)) if self._key else None
        with (
            atomic_path(path) as partial,
            pq.ParquetWriter(partial, schema, compression="zstd", encryption_properties=encryption) as writer,
        ):
            yield path, writer
        self._hand_over(path)

    @contextmanager
    def opened(self, names: Sequence[str]) -> Iterator[list[Path]]:
        """Yield the files of these shards, in order, as long as the block lasts.

        Raises:
            WarehouseError: a file is missing.
            StorageError: a file is damaged.
        """
        shards = [self._folder / name for name in names]
        scratch = self._folder / f"read-{uuid.uuid4().hex}"
        with self._shared.opened([file for path in shards for file in _files_of(path)], scratch) as found:
            by_name = {path.name: path for path in found}
            missing = [index for index, name in enumerate(names) if name not in by_name]
            if missing:
                raise WarehouseError(
                    f"{self._institution}: {len(missing)} of {len(names)} shard files are missing in {self._folder}"
                    f" (first: shard {missing[0]}); clear the run's shard tasks, and check that all workers share"
                    " work_dir"
                )
            files = [by_name[name] for name in names]
            for path in files:
                self._check_digest(path)
            yield files

    def fingerprint_of(self, files: Sequence[Path]) -> str:
        """Return the fingerprint of the engine that made all shards.

        Raises:
            GateError: the shards were made by different engines.
        """
        fingerprints: set[bytes] = set()
        for path in files:
            with self._opened(path) as file:
                fingerprints.add((file.schema_arrow.metadata or {}).get(b"fingerprint", b""))
        if len(fingerprints) != 1:
            raise GateError(
                f"the run's shards were made by {len(fingerprints)} different engines: settings, dictionaries or code"
                " changed during the run; clear all its shard tasks"
            )
        return fingerprints.pop().decode()

    def check_key(self, files: Sequence[Path], key: str) -> None:
        """Check that all shards were made under one surrogate key; those of an earlier release do not say theirs.

        Args:
            files: The shards.
            key: The pseudonym of the key.

        Raises:
            GateError: A shard was made under another key.
        """
        for path in files:
            with self._opened(path) as file:
                made_under = (file.schema_arrow.metadata or {}).get(b"key", key.encode())
            if made_under != key.encode():
                raise GateError(
                    f"{self._institution}: the run's shards were made under another surrogate key than the secret holds"
                    " now: restore the key, or clear the run's shard tasks if the change was meant"
                )

    def read_batches(self, files: Sequence[Path]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the files in order, in batches of at most 2,000."""
        for path in files:
            with self._opened(path) as file:
                yield from file.iter_batches(batch_size=_BATCH_NOTES)

    def remove_shards_with(self, note_ids: frozenset[str]) -> int:
        """Delete the shards that hold one of the notes, or are damaged, and sealed originals without a shard.

        Returns:
            The number of files that were deleted.
        """
        names = self._shared.names(self._folder)
        shards = {name for name in names if name.endswith(".parquet") and self._holds(name, note_ids)}
        # Sealed originals are complete before their shard is; those of a worker that died in between belong to none.
        originals = [name for name in names if name.endswith(".vault")]
        whole = {vault_file(Path(name)).name for name in names.keys() - shards if name.endswith(".parquet")}
        removed = sorted({name for name in originals if name not in whole}) + sorted(shards)
        for name in (*removed, *(_digest_file(Path(name)).name for name in shards)):
            self._shared.delete(self._folder / name)
        return len(removed)

    def delete(self) -> None:
        """Delete all files of the run."""
        self._shared.delete(self._folder)

    def _holds(self, name: str, note_ids: frozenset[str]) -> bool:
        shard = self._folder / name
        scratch = self._folder / f"read-{uuid.uuid4().hex}"
        with self._shared.opened([shard, _digest_file(shard)], scratch) as found:
            try:
                for path in (path for path in found if path.name == name):
                    self._check_digest(path)
                    with self._opened(path) as file:
                        for batch in file.iter_batches(columns=["note_id"]):
                            if not note_ids.isdisjoint(batch["note_id"].to_pylist()):
                                return True
            except WarehouseError:
                return False
            except StorageError:
                # Nobody can tell whether a damaged shard holds a note; clearing its task writes it anew.
                logger.warning("deleting a damaged file of the run %s: %s", self._folder.name, name)
                return True
        return False

    def _hand_over(self, path: Path) -> None:
        write_digest(path)
        # The shard last: one that is there is complete.
        for file in reversed(_files_of(path)):
            if file.is_file():
                self._shared.hand_over(file)

    def _check_digest(self, shard: Path) -> None:
        digest = _digest_file(shard)
        if not digest.is_file() or digest.read_bytes() != file_sha256(shard).encode():
            raise StorageError(
                f"{self._institution}: {shard.name} is not the file that its task wrote: it is damaged, or it is of an"
                " earlier release; clear the run's shard tasks"
            )

    @contextmanager
    def _opened(self, path: Path) -> Iterator[pq.ParquetFile]:
        decryption = pe.create_decryption_properties(self._key_of(path)) if self._key else None
        try:
            with pq.ParquetFile(path, decryption_properties=decryption) as file:
                yield file
        except FileNotFoundError:
            raise WarehouseError(
                f"{self._institution}: {path.name} is gone: another task has ended this run, or work_dir was cleared;"
                " clear the run's shard tasks if it has not been published"
            ) from None
        except (OSError, pa.ArrowInvalid) as error:
            # Arrow's text may quote the file's content.
            raise StorageError(
                f"{self._institution}: {path.name} cannot be read ({type(error).__name__}): it is damaged, or the"
                " secret that workspace.key names has changed; clear the run's shard tasks"
            ) from None

    def _key_of(self, path: Path) -> bytes:
        """Return the key of one file: each has its own, because each attempt has a name of its own."""
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        return HKDF(SHA256(), 32, None, b"palimpsest shard " + path.name.encode()).derive(self._key)
