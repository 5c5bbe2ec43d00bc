"""The vault's bucket: a slice is a manifest and the parts that it names.

``<prefix>/<institution>/<slice_key>/manifest`` is sealed as a part is, and holds the wrapped keys of all parts: a
change of the institution's key rewrites manifests alone. Parts of a new upload lie beside those of the former one until
the manifest names them. The manifest is one object, written in one request, so a reader sees the slice as before or as
after.
"""

import hashlib
import json
import secrets as randomness
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from deid_tasks.core.errors import VaultError
from deid_tasks.platform.vault.keys import Opener, Recipient, Wrapped, vault_of
from deid_tasks.platform.vault.sealed_parts import SealedPart, open_part
from deid_tasks.platform.vault.sealing import new_data_key, seal, unseal
from deid_tasks.settings import InstitutionSettings, Secrets

_LENGTH = struct.Struct(">Q")


class VaultStore:
    """The slices of one institution.

    Args:
        settings: the institution.
        secrets: its secrets; the bucket's credentials are among them.

    Raises:
        SettingsError: the institution has no vault.
    """

    def __init__(self, settings: InstitutionSettings, secrets: Secrets) -> None:
        import boto3

        vault = vault_of(settings)
        store = secrets.mapping(vault.object_store)
        self._institution, self._bucket, self._secret = settings.institution, vault.bucket, vault.object_store
        self._prefix = f"{vault.prefix}/{settings.institution}"
        self._client = boto3.client(
            "s3",
            endpoint_url=store.get("endpoint") or None,
            region_name=store.get("region") or "us-east-1",
            aws_access_key_id=store.get("access_key") or None,
            aws_secret_access_key=store.get("secret_key") or None,
        )

    def replace(self, slice_key: str, parts: Iterable[SealedPart], recipient: Recipient) -> None:
        """Replace a slice by ``parts``.

        Args:
            slice_key: the slice.
            parts: its new parts.
            recipient: for whom the manifest is sealed.

        Raises:
            VaultError: a part belongs to another slice, or the bucket cannot be written to.
        """
        upload = randomness.token_hex(8)
        listed: list[dict[str, Any]] = []
        for number, part in enumerate(parts):
            header = part.header
            self._check_header(header, slice_key)
            name = f"{upload}/part-{number:05d}"
            self._put(f"{slice_key}/{name}", part.sealed)
            listed.append({"name": name, "notes": header["notes"], "digest": header["digest"], "wrapped": part.wrapped})
        self._put_manifest(slice_key, {"upload": upload, "parts": listed}, recipient)
        current = (f"{upload}/", "manifest")
        self._delete(f"{slice_key}/{name}" for name in self._names(slice_key) if not name.startswith(current))

    def drop(self, slice_key: str) -> None:
        """Remove a slice, its manifest first; a slice that does not exist is no error."""
        names = sorted(self._names(slice_key), key=lambda name: name != "manifest")
        self._delete(f"{slice_key}/{name}" for name in names)

    def slices(self) -> list[str]:
        """Return the keys of all slices."""
        return sorted({name.partition("/")[0] for name in self._names("") if name.endswith("/manifest")})

    def entries(self, slice_key: str, note_keys: Iterable[str], opener: Opener) -> dict[str, dict[str, Any]]:
        """Return the entries of these notes, by note key. Parts are opened one at a time.

        Raises:
            VaultError: the slice or a note's entry is missing, the key is another, or something that was read was
                changed.
        """
        wanted = set(note_keys)
        manifest = self._manifest(slice_key, opener)
        found: dict[str, dict[str, Any]] = {}
        for listed in manifest["parts"]:
            if len(found) == len(wanted):
                break
            for row in self._rows(slice_key, listed, opener, wanted):
                found[row["note_key"]] = row
        if missing := sorted(wanted - found.keys()):
            raise VaultError(f"the vault has no row for note {', '.join(missing)}")
        return found

    def rewrap(self, slice_key: str, opener: Opener, recipient: Recipient) -> bool:
        """Wrap every data key of the slice for another recipient; what is sealed under the keys stays.

        Returns:
            False where the slice was wrapped for the recipient already.
        """
        if _read_wrapped(_split_manifest(self._get(f"{slice_key}/manifest"))[0]).get("key_id") == recipient.key_id:
            return False
        manifest = self._manifest(slice_key, opener)
        for listed in manifest["parts"]:
            with self._with_slice_error(slice_key):
                listed["wrapped"] = recipient.wrap(opener.unwrap(listed["wrapped"]))
        self._put_manifest(slice_key, manifest, recipient)
        return True

    def _rows(
        self, slice_key: str, listed: dict[str, Any], opener: Opener, wanted: set[str]
    ) -> Iterator[dict[str, Any]]:
        import pyarrow.compute as pc

        expected = self._expected_header(slice_key) | {"notes": listed["notes"], "digest": listed["digest"]}
        sealed = self._get(f"{slice_key}/{listed['name']}")
        with self._with_slice_error(slice_key):
            entries = open_part(sealed, opener.unwrap(listed["wrapped"]), expected)
        yield from entries.filter(pc.is_in(entries["note_key"], pa.array(sorted(wanted)))).to_pylist()

    def _put_manifest(self, slice_key: str, manifest: dict[str, Any], recipient: Recipient) -> None:
        data_key = new_data_key()
        wrapped = json.dumps(recipient.wrap(data_key)).encode()
        sealed = seal(data_key, json.dumps(manifest).encode(), self._manifest_header(slice_key, wrapped))
        self._put(f"{slice_key}/manifest", _LENGTH.pack(len(wrapped)) + wrapped + sealed)

    def _manifest(self, slice_key: str, opener: Opener) -> dict[str, Any]:
        content = self._get(f"{slice_key}/manifest")
        with self._with_slice_error(slice_key):
            wrapped, sealed = _split_manifest(content)
            data_key = opener.unwrap(_read_wrapped(wrapped))
            return dict(json.loads(unseal(data_key, sealed, self._manifest_header(slice_key, wrapped))))

    def _manifest_header(self, slice_key: str, wrapped: bytes) -> dict[str, Any]:
        # Base64 and JSON have several spellings of one value; the hash covers the bytes as they are.
        return self._expected_header(slice_key) | {"kind": "manifest", "wrapped": hashlib.sha256(wrapped).hexdigest()}

    def _expected_header(self, slice_key: str) -> dict[str, Any]:
        return {"institution": self._institution, "slice": slice_key}

    def _check_header(self, header: dict[str, Any], slice_key: str) -> None:
        if any(header.get(name) != value for name, value in self._expected_header(slice_key).items()):
            raise VaultError("a shard's originals belong to another slice; clear the shards")

    def _put(self, name: str, content: bytes) -> None:
        with self._translate_s3_errors("write to"):
            self._client.put_object(Bucket=self._bucket, Key=f"{self._prefix}/{name}", Body=content)

    def _get(self, name: str) -> bytes:
        with self._translate_s3_errors("read"):
            try:
                return bytes(self._client.get_object(Bucket=self._bucket, Key=f"{self._prefix}/{name}")["Body"].read())
            except self._client.exceptions.NoSuchKey:
                raise VaultError(f"the vault of {self._institution} has no {name}") from None

    def _names(self, slice_key: str) -> list[str]:
        """Return the names below a slice, or below the institution where ``slice_key`` is empty."""
        below = f"{self._prefix}/{slice_key}/" if slice_key else f"{self._prefix}/"
        with self._translate_s3_errors("list"):
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=below)
            return [entry["Key"].removeprefix(below) for page in pages for entry in page.get("Contents", ())]

    def _delete(self, names: Iterable[str]) -> None:
        with self._translate_s3_errors("delete from"):
            for name in names:
                self._client.delete_object(Bucket=self._bucket, Key=f"{self._prefix}/{name}")

    @contextmanager
    def _with_slice_error(self, slice_key: str) -> Iterator[None]:
        """Add the slice to the message of a ``VaultError``."""
        try:
            yield
        except VaultError as error:
            raise VaultError(
                f"slice {slice_key} in the vault of {self._institution} cannot be opened: {error}"
            ) from None

    @contextmanager
    def _translate_s3_errors(self, verb: str) -> Iterator[None]:
        """Raise ``VaultError`` in place of S3's own errors, whose texts may quote requests."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except (ClientError, BotoCoreError) as error:
            code = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
            raise VaultError(
                f"cannot {verb} the vault of {self._institution} in bucket {self._bucket!r}: {code};"
                f" check the secret {self._secret!r}, and that the bucket exists"
            ) from None


def _split_manifest(manifest: bytes) -> tuple[bytes, bytes]:
    """Return a manifest's wrapped key, and what is sealed under it."""
    length = int.from_bytes(manifest[: _LENGTH.size])
    return manifest[_LENGTH.size : _LENGTH.size + length], manifest[_LENGTH.size + length :]


def _read_wrapped(content: bytes) -> Wrapped:
    try:
        wrapped = json.loads(content)
    except ValueError:
        wrapped = None
    if not isinstance(wrapped, dict):
        raise VaultError("it was changed or cut short")
    return wrapped
