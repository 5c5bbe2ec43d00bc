"""Data keys in envelopes: the public key wraps them, and only the private key, or AWS KMS, unwraps them.

Wrapping is HPKE (RFC 9180: X25519, HKDF-SHA256, AES-256-GCM) with the institution's name as its context, or
``kms:Encrypt`` with that name as its encryption context. A wrapped key names the key that it was wrapped for, by that
key's id.
"""

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from deid_tasks.core.errors import SettingsError, VaultError
from deid_tasks.core.pem import pem_of, private_key, public_key
from deid_tasks.platform.kms import kms_client
from deid_tasks.settings import InstitutionSettings, Secrets, VaultSettings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

_HPKE, _KMS = "hpke-x25519-hkdf-sha256-aes-256-gcm", "aws-kms"

Wrapped = dict[str, str]
"""``algorithm``, ``key_id`` and ``wrapped`` (base64)."""


class Recipient(Protocol):
    """Wraps data keys."""

    @property
    def key_id(self) -> str:
        """The id of the key; it reveals nothing of the key."""

    def wrap(self, data_key: bytes) -> Wrapped:
        """Return ``data_key`` in an envelope."""


class Opener(Protocol):
    """Unwraps data keys."""

    @property
    def key_id(self) -> str:
        """The id of the key."""

    def unwrap(self, wrapped: Wrapped) -> bytes:
        """Return the data key; raises ``VaultError`` if the envelope is for another key or was changed."""


def new_vault_keys() -> tuple[str, str]:
    """Return a fresh pair of keys as PEM: the private key that opens (PKCS8), and the public key that seals."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return pem_of(X25519PrivateKey.generate())


def vault_recipient(settings: InstitutionSettings, secrets: Secrets) -> Recipient:
    """Return the recipient for whom the settings seal originals; needs no key that opens."""
    vault = vault_of(settings)
    if vault.wrap == "aws-kms":
        return _KmsKey(kms_client(secrets, vault.kms), vault.kms_key, settings.institution)
    return _KeyPair(None, _public_key(secrets.text(vault.public_key)), settings.institution)


def vault_opener(settings: InstitutionSettings, secrets: Secrets) -> Opener:
    """Return what opens the institution's vault; raises ``SettingsError`` where this role has no such key."""
    vault = vault_of(settings)
    if vault.wrap == "aws-kms":
        return _KmsKey(kms_client(secrets, vault.kms), vault.kms_key, settings.institution)
    return key_pair_opener(secrets.text(vault.private_key), settings.institution)


def key_pair_opener(private_pem: str, institution: str) -> Opener:
    """Return what opens with this private key (PEM)."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    key: X25519PrivateKey = private_key(private_pem, X25519PrivateKey, "vault.private_key")
    return _KeyPair(key, key.public_key(), institution)


def vault_of(settings: InstitutionSettings) -> VaultSettings:
    """Return the vault's settings; raises ``SettingsError`` where the institution has no vault."""
    if settings.vault is None:
        raise SettingsError(f"{settings.institution}: has no vault; add a section 'vault' to its settings")
    return settings.vault


def _public_key(pem: str) -> "X25519PublicKey":
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

    key: X25519PublicKey = public_key(pem, X25519PublicKey, "vault.public_key")
    return key


class _KeyPair:
    """Wraps with a public key and, where the private key is given, unwraps."""

    def __init__(self, private: "X25519PrivateKey | None", public: "X25519PublicKey", institution: str) -> None:
        from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

        self._private, self._public = private, public
        self._suite = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
        self._info = f"palimpsest/vault/{institution}".encode()
        self._key_id = hashlib.sha256(public.public_bytes_raw()).hexdigest()[:16]

    @property
    def key_id(self) -> str:
        return self._key_id

    def wrap(self, data_key: bytes) -> Wrapped:
        sealed = self._suite.encrypt(data_key, self._public, info=self._info)
        return {"algorithm": _HPKE, "key_id": self.key_id, "wrapped": base64.b64encode(sealed).decode()}

    def unwrap(self, wrapped: Wrapped) -> bytes:
        from cryptography.exceptions import InvalidTag

        _check_key(wrapped, _HPKE, self.key_id)
        assert self._private is not None
        try:
            return self._suite.decrypt(_decode(wrapped), self._private, info=self._info)
        except (InvalidTag, ValueError):
            raise VaultError("its data key was changed, or wrapped for another institution") from None


@dataclass(frozen=True)
class _KmsKey:
    """Wraps and unwraps with a key of AWS KMS."""

    client: Any
    key_id: str
    institution: str

    @property
    def _context(self) -> dict[str, str]:
        return {"purpose": "palimpsest-vault", "institution": self.institution}

    def wrap(self, data_key: bytes) -> Wrapped:
        blob = self._call("encrypt", KeyId=self.key_id, Plaintext=data_key, EncryptionContext=self._context)[
            "CiphertextBlob"
        ]
        return {"algorithm": _KMS, "key_id": self.key_id, "wrapped": base64.b64encode(blob).decode()}

    def unwrap(self, wrapped: Wrapped) -> bytes:
        _check_key(wrapped, _KMS, self.key_id)
        blob = _decode(wrapped)
        return bytes(
            self._call("decrypt", KeyId=self.key_id, CiphertextBlob=blob, EncryptionContext=self._context)["Plaintext"]
        )

    def _call(self, action: str, **arguments: Any) -> dict[str, Any]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return dict(getattr(self.client, action)(**arguments))
        except (ClientError, BotoCoreError) as error:
            code = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
            raise VaultError(f"KMS refuses to {action} under key {self.key_id!r}: {code}") from None


def encode_wrapped(wrapped: Wrapped) -> bytes:
    """Return a wrapped key as it is stored."""
    return json.dumps(wrapped, sort_keys=True, separators=(",", ":")).encode()


def decode_wrapped(content: bytes) -> Wrapped:
    """Return a wrapped key that was stored; raises ``VaultError`` where a byte of it is not as it was written."""
    try:
        wrapped = json.loads(content)
    except (ValueError, RecursionError):
        wrapped = None
    # JSON has several spellings of one value; only the written one is accepted.
    if not isinstance(wrapped, dict) or encode_wrapped(wrapped) != content:
        raise VaultError("its data key was changed or cut short")
    return wrapped


def _check_key(wrapped: Wrapped, algorithm: str, key_id: str) -> None:
    if wrapped.get("algorithm") != algorithm or wrapped.get("key_id") != key_id:
        # The envelope may have been changed, so the message does not repeat what it says.
        raise VaultError(f"it was sealed for another key than the given one (id {key_id!r}), or was changed")


def _decode(wrapped: Wrapped) -> bytes:
    try:
        sealed = base64.b64decode(wrapped["wrapped"], validate=True)
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise VaultError("its data key was changed") from None
    if base64.b64encode(sealed).decode() != wrapped["wrapped"]:
        raise VaultError("its data key was changed")
    return sealed
