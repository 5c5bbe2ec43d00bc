"""Data keys in envelopes: anyone with the public half wraps one, and only the private half, or AWS KMS, gives it back.

Wrapping is HPKE (RFC 9180: X25519, HKDF-SHA256, AES-256-GCM) with the institution's name as its context, or ``kms:Encrypt`` with
that name as its encryption context. A wrapped key says which key it was wrapped for, by that key's id.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from deid_tasks.core.errors import SettingsError, VaultError
from deid_tasks.core.pem import pem_of, private_key, public_key
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
        """Which key it is; tells nothing of the key."""

    def wrap(self, data_key: bytes) -> Wrapped:
        """``data_key`` in an envelope."""


class Opener(Protocol):
    """Unwraps them."""

    @property
    def key_id(self) -> str:
        """Which key it is."""

    def unwrap(self, wrapped: Wrapped) -> bytes:
        """The data key; raises ``VaultError`` where this opener's key is another, or the envelope was changed."""


def new_vault_keys() -> tuple[str, str]:
    """A fresh pair as PEM: the private key that opens (PKCS8), and the public key that seals."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return pem_of(X25519PrivateKey.generate())


def vault_recipient(settings: InstitutionSettings, secrets: Secrets) -> Recipient:
    """What the settings seal originals for; needs no key that opens."""
    vault = vault_of(settings)
    if vault.wrap == "aws-kms":
        return _KmsKey(_kms(vault, secrets), vault.kms_key, settings.institution)
    return _KeyPair(None, _public_key(secrets.text(vault.public_key)), settings.institution)


def vault_opener(settings: InstitutionSettings, secrets: Secrets) -> Opener:
    """What opens the institution's vault; raises ``SettingsError`` where this role has no such key."""
    vault = vault_of(settings)
    if vault.wrap == "aws-kms":
        return _KmsKey(_kms(vault, secrets), vault.kms_key, settings.institution)
    return key_pair_opener(secrets.text(vault.private_key), settings.institution)


def key_pair_opener(private_pem: str, institution: str) -> Opener:
    """What opens with this private key (PEM)."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    key: X25519PrivateKey = private_key(private_pem, X25519PrivateKey, "vault.private_key")
    return _KeyPair(key, key.public_key(), institution)


def vault_of(settings: InstitutionSettings) -> VaultSettings:
    """The vault's settings; raises ``SettingsError`` where the institution keeps none."""
    if settings.vault is None:
        raise SettingsError(f"{settings.institution}: keeps no vault; give the settings a section 'vault'")
    return settings.vault


def _public_key(pem: str) -> "X25519PublicKey":
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

    key: X25519PublicKey = public_key(pem, X25519PublicKey, "vault.public_key")
    return key


class _KeyPair:
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
    client: Any
    key_id: str
    institution: str

    @property
    def _context(self) -> dict[str, str]:
        return {"purpose": "palimpsest-vault", "institution": self.institution}

    def wrap(self, data_key: bytes) -> Wrapped:
        blob = self._asked("encrypt", KeyId=self.key_id, Plaintext=data_key, EncryptionContext=self._context)[
            "CiphertextBlob"
        ]
        return {"algorithm": _KMS, "key_id": self.key_id, "wrapped": base64.b64encode(blob).decode()}

    def unwrap(self, wrapped: Wrapped) -> bytes:
        _check_key(wrapped, _KMS, self.key_id)
        blob = _decode(wrapped)
        return bytes(
            self._asked("decrypt", KeyId=self.key_id, CiphertextBlob=blob, EncryptionContext=self._context)["Plaintext"]
        )

    def _asked(self, action: str, **arguments: Any) -> dict[str, Any]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return dict(getattr(self.client, action)(**arguments))
        except (ClientError, BotoCoreError) as error:
            code = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
            raise VaultError(f"KMS refuses to {action} under key {self.key_id!r}: {code}") from None


def _kms(vault: VaultSettings, secrets: Secrets) -> Any:
    import boto3

    store = secrets.mapping(vault.kms)
    return boto3.client(
        "kms",
        endpoint_url=store.get("endpoint") or None,
        region_name=store.get("region") or "us-east-1",
        aws_access_key_id=store.get("access_key") or None,
        aws_secret_access_key=store.get("secret_key") or None,
    )


def _check_key(wrapped: Wrapped, algorithm: str, key_id: str) -> None:
    if wrapped.get("algorithm") != algorithm or wrapped.get("key_id") != key_id:
        # What stands there may have been changed: it is compared and not repeated.
        raise VaultError(f"it was sealed for another key than the one given (whose id is {key_id!r}), or changed")


def _decode(wrapped: Wrapped) -> bytes:
    try:
        return base64.b64decode(wrapped["wrapped"], validate=True)
    except (KeyError, TypeError, binascii.Error):
        raise VaultError("its data key was changed") from None
