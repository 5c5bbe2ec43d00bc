"""Key pairs as PEM: the private half in PKCS8 without a password, the public half as SubjectPublicKeyInfo."""

import hashlib
from typing import TYPE_CHECKING, Any

from deid_tasks.core.errors import SettingsError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey


def pem_of(private: "Ed25519PrivateKey | X25519PrivateKey") -> tuple[str, str]:
    """Return ``private`` and its public half."""
    from cryptography.hazmat.primitives import serialization

    return (
        private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
        private.public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode(),
    )


def private_key(pem: str, kind: type[object], name: str) -> Any:
    """Return the private key in a secret.

    Raises:
        SettingsError: the secret is not a private key of this ``kind``; the text starts with ``name``.
    """
    from cryptography.exceptions import InternalError, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem.encode(), password=None)
    # A key of 32 bytes that says it is X448 makes OpenSSL fail without a reason.
    except (ValueError, TypeError, UnsupportedAlgorithm, InternalError):
        key = None
    if not isinstance(key, kind):
        family = kind.__name__.removesuffix("PrivateKey")
        raise SettingsError(f"{name}: the secret is not a {family} private key in PEM (PKCS8, no password)")
    return key


def public_key(pem: str, kind: type[object] | tuple[type[object], ...], name: str) -> Any:
    """Return the public key in a secret.

    Raises:
        SettingsError: the secret is not a public key of this ``kind``, or of one of these; the text starts with
            ``name``.
    """
    from cryptography.exceptions import InternalError, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(pem.encode())
    except (ValueError, UnsupportedAlgorithm, InternalError):
        key = None
    if not isinstance(key, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        family = " or ".join(one.__name__.removesuffix("PublicKey") for one in kinds)
        raise SettingsError(f"{name}: the secret is not a {family} public key in PEM")
    return key


def key_fingerprint(pem: str) -> str:
    """Return the fingerprint of a public key, which names the key and may be shown: 16 hexadecimal digits.

    It does not depend on how the PEM is written. Raises ``ValueError`` where it is no public key.
    """
    from cryptography.exceptions import InternalError, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    try:
        key = serialization.load_pem_public_key(pem.encode())
    except (UnsupportedAlgorithm, InternalError) as error:
        raise ValueError("a key of an unknown algorithm") from error
    der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()[:16]
