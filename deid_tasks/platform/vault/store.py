"""The vault's bucket: a slice is the parts that lie under its key.

``<prefix>/<institution>/<slice_key>/<part>`` holds sealed entries of notes, ``<part>.key`` the wrapped data key that
opens them: a change of the institution's key rewrites these small objects alone. Nothing lists the parts but the bucket
itself. An entry counts only for the published text that it was written for, so an entry that a newer one supersedes is
ignored until it is removed.
"""

import secrets as randomness
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from deid_tasks.core.errors import VaultError
from deid_tasks.platform.bucket import Bucket
from deid_tasks.platform.vault.entries import VaultEntry, text_hash
from deid_tasks.platform.vault.frames import SealedPart, join_frames, open_entry, split_frames
from deid_tasks.platform.vault.keys import Opener, Recipient, decode_wrapped, encode_wrapped, vault_of
from deid_tasks.platform.vault.sealing import header_of
from deid_tasks.settings import InstitutionSettings, Secrets

_KEY = ".key"


class VaultStore:
    """The slices of one institution. Readers need no lock; at most one process writes to a slice at a time.

    Args:
        settings: the institution.
        secrets: its secrets; the bucket's credentials are among them.

    Raises:
        SettingsError: the institution has no vault.
    """

    def __init__(self, settings: InstitutionSettings, secrets: Secrets) -> None:
        vault = vault_of(settings)
        self._institution, self._name, self._secret = settings.institution, vault.bucket, vault.object_store
        self._prefix = f"{vault.prefix}/{settings.institution}/"
        self._bucket = Bucket(vault.bucket, secrets.mapping(vault.object_store))

    def add(self, slice_key: str, parts: Iterable[SealedPart]) -> set[str]:
        """Add parts to a slice, beside those that it has; return the keys of their notes.

        Raises:
            VaultError: a part belongs to another slice, or the bucket cannot be written to.
        """
        # The names sort by time, so that the newest of two entries for one text can be told.
        upload = f"{time.time_ns() // 1_000_000:012x}-{randomness.token_hex(4)}"
        added: set[str] = set()
        for number, part in enumerate(parts):
            notes = [self._note_of(sealed, slice_key) for sealed in part.sealed]
            name = f"{slice_key}/{upload}-{number:05d}"
            # A part without its key could not be opened, so the key comes first.
            self._put(f"{name}{_KEY}", encode_wrapped(part.wrapped))
            self._put(name, join_frames(part.sealed))
            added.update(notes)
        return added

    def replace_notes(self, slice_key: str, parts: Iterable[SealedPart], note_keys: Iterable[str] = ()) -> int:
        """Add the parts, then remove all former entries of their notes; return the number of notes that were added.

        Running this again after an interruption leaves the slice as one run does.

        Args:
            slice_key: the slice.
            parts: new entries of published notes.
            note_keys: further notes whose former entries are removed.

        Raises:
            VaultError: a part belongs to another slice, a former part is damaged, or the bucket cannot be used.
        """
        former = self._names(slice_key)
        added = self.add(slice_key, parts)
        self._remove(slice_key, former, added.union(note_keys))
        return len(added)

    def remove_notes(self, slice_key: str, note_keys: Collection[str]) -> int:
        """Remove the entries of these notes, without any key; return how many there were.

        Parts that hold other notes too are written anew without them, parts that hold no other are deleted.

        Raises:
            VaultError: a part is damaged, or the bucket cannot be used.
        """
        return self._remove(slice_key, self._names(slice_key), note_keys)

    def drop(self, slice_key: str) -> None:
        """Remove a slice; one that does not exist is no error."""
        # Parts first: a key without its part opens nothing.
        self._delete(sorted(self._names(slice_key), key=lambda name: name.endswith(_KEY)))

    def slices(self) -> list[str]:
        """Return the keys of all slices."""
        return sorted({name.partition("/")[0] for name in self._names("") if not name.endswith(_KEY)})

    def note_keys(self, slice_key: str) -> set[str]:
        """Return the keys of the notes that the slice has entries of; they are read without any key."""
        return {
            str(header["note_key"])
            for name in _parts_of(self._names(slice_key))
            for header, _ in self._entries_of(slice_key, name)
        }

    def entries(self, slice_key: str, published: Mapping[str, str], opener: Opener) -> dict[str, VaultEntry]:
        """Return the entries of these notes, by note key. Parts are read one at a time, and only entries are opened.

        Args:
            slice_key: the slice.
            published: each note's published text, by note key; an entry for another text of the note is ignored.
            opener: unwraps the data keys.

        Raises:
            VaultError: a note's entry is missing, the key is another, or something that was read was changed.
        """
        wanted = {key: text_hash(text) for key, text in published.items()}
        found: dict[str, VaultEntry] = {}
        for name in reversed(_parts_of(self._names(slice_key))):
            if len(found) == len(wanted):
                break
            fitting = {
                key: sealed
                for header, sealed in self._entries_of(slice_key, name)
                if (key := header["note_key"]) not in found and wanted.get(key) == header.get("published_sha256")
            }
            if fitting:
                found |= self._open(slice_key, name, fitting, opener)
        if missing := sorted(wanted.keys() - found.keys()):
            raise VaultError(
                f"slice {slice_key} in the vault of {self._institution} has no entry for the published text of note"
                f" {', '.join(missing)}; clear the vault's task in the run that published it, or restore the bucket"
            )
        return found

    def rewrap(self, slice_key: str, opener: Opener, recipient: Recipient) -> bool:
        """Wrap every data key of the slice for another recipient; what is sealed under the keys stays.

        Returns:
            False where all keys were wrapped for the recipient already.
        """
        changed = False
        for name in self._names(slice_key):
            if not name.endswith(_KEY) or (content := self._get(name)) is None:
                # A key that is gone was removed meanwhile, with its part.
                continue
            with self._slice_errors(slice_key):
                wrapped = decode_wrapped(content)
                if wrapped.get("key_id") == recipient.key_id:
                    continue
                anew = encode_wrapped(recipient.wrap(opener.unwrap(wrapped)))
            self._put(name, anew)
            changed = True
        return changed

    def _remove(self, slice_key: str, names: list[str], note_keys: Collection[str]) -> int:
        """Remove entries from the named parts, and keys among the names that have no part."""
        removed = 0
        parts = _parts_of(names)
        for name in parts:
            entries = list(self._entries_of(slice_key, name))
            retained = [sealed for header, sealed in entries if header["note_key"] not in note_keys]
            removed += len(entries) - len(retained)
            if not retained:
                self._delete([name, f"{name}{_KEY}"])
            elif len(retained) < len(entries):
                self._put(name, join_frames(retained))
        orphans = {name for name in names if name.endswith(_KEY)} - {f"{name}{_KEY}" for name in parts}
        self._delete(sorted(orphans))
        return removed

    def _entries_of(self, slice_key: str, name: str) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Yield header and sealed entry of each note in a part; none where the part was removed meanwhile."""
        content = self._get(name) or b""
        with self._slice_errors(slice_key):
            for sealed in split_frames(content):
                header = header_of(sealed)
                if not isinstance(header.get("note_key"), str):
                    raise VaultError("it was changed or cut short")
                yield header, sealed

    def _open(self, slice_key: str, name: str, fitting: dict[str, bytes], opener: Opener) -> dict[str, VaultEntry]:
        wrapped = self._get(f"{name}{_KEY}")
        with self._slice_errors(slice_key):
            if wrapped is None:
                raise VaultError(f"object {name}{_KEY} is missing")
            data_key = opener.unwrap(decode_wrapped(wrapped))
            expected = {"institution": self._institution, "slice": slice_key}
            return {key: open_entry(sealed, data_key, expected | {"note_key": key}) for key, sealed in fitting.items()}

    def _note_of(self, sealed: bytes, slice_key: str) -> str:
        header = header_of(sealed)
        if (header.get("institution"), header.get("slice")) != (self._institution, slice_key):
            raise VaultError("a shard's originals belong to another slice; clear the shards")
        return str(header.get("note_key"))

    def _put(self, name: str, content: bytes) -> None:
        with self._s3_errors("write to"):
            self._bucket.put(f"{self._prefix}{name}", content)

    def _get(self, name: str) -> bytes | None:
        with self._s3_errors("read"):
            return self._bucket.get(f"{self._prefix}{name}")

    def _names(self, slice_key: str) -> list[str]:
        """Return the names of a slice's objects, or of all where ``slice_key`` is empty, in order."""
        below = f"{self._prefix}{slice_key}/" if slice_key else self._prefix
        with self._s3_errors("list"):
            return [found.key.removeprefix(self._prefix) for found in self._bucket.list(below)]

    def _delete(self, names: Iterable[str]) -> None:
        with self._s3_errors("delete from"):
            self._bucket.delete(f"{self._prefix}{name}" for name in names)

    @contextmanager
    def _slice_errors(self, slice_key: str) -> Iterator[None]:
        """Add the slice and the remedy to the message of a ``VaultError``."""
        try:
            yield
        except VaultError as error:
            raise VaultError(
                f"slice {slice_key} in the vault of {self._institution} cannot be opened: {error};"
                " give the key that it was sealed for, restore its objects from a backup, or publish its day again"
            ) from None

    @contextmanager
    def _s3_errors(self, verb: str) -> Iterator[None]:
        """Raise ``VaultError`` in place of S3's own errors, whose texts may quote requests."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except (ClientError, BotoCoreError) as error:
            code = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
            raise VaultError(
                f"cannot {verb} the vault of {self._institution} in bucket {self._name!r}: {code};"
                f" check the secret {self._secret!r}, its rights, and that the bucket exists"
            ) from None


def _parts_of(names: Iterable[str]) -> list[str]:
    return [name for name in names if not name.endswith(_KEY)]
