"""Signatures of certificates and of the audit log, and their keys.

A local Ed25519 key signs a document itself. A key that never leaves a KMS signs a statement with the document's SHA-256
in its place, since a KMS takes short messages only (AWS: 4,096 bytes).
"""

import base64
import hashlib
from typing import Any, Protocol

from deid_tasks.core.errors import GateError, SettingsError
from deid_tasks.core.pem import pem_of, private_key, public_key


def new_key_pair() -> tuple[str, str]:
    """Return a new private key (PKCS8), which signs, and its public key, which verifies, both as PEM."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return pem_of(Ed25519PrivateKey.generate())


def sign(document: str, signing_key: str, setting: str = "gate.signing_key") -> str:
    """Return the signature of the document in base64; raises ``SettingsError`` if the key is not an Ed25519 key.

    ``setting`` names the key in that error.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key: Ed25519PrivateKey = private_key(signing_key, Ed25519PrivateKey, setting)
    return base64.b64encode(key.sign(document.encode())).decode()


class Signer(Protocol):
    """Signs documents with a key that it does not show."""

    def sign(self, document: str) -> str:
        """Return the signature of the document, or of ``digest_statement`` of it, in base64."""


def digest_statement(document: str) -> str:
    """Return the short statement that stands for a document where a key signs short messages only."""
    return f"palimpsest certificate sha256:{hashlib.sha256(document.encode()).hexdigest()}"


def check_signature(
    document: str, signature: str, verification_key: str, setting: str = "gate.verification_key"
) -> None:
    """Check that a key made the signature of a document, or of its ``digest_statement``.

    Args:
        document: What was signed.
        signature: Base64; in DER for ECDSA.
        verification_key: Public key in PEM: Ed25519, or P-256 with ECDSA and SHA-256.
        setting: Names the key in an error.

    Raises:
        GateError: another key made it, or the document was changed.
        SettingsError: the key is none of these.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key: Any = public_key(verification_key, (Ed25519PublicKey, EllipticCurvePublicKey), setting)
    # ECDSA keys are those of a KMS, which signs statements alone.
    messages = [document] if isinstance(key, Ed25519PublicKey) else []
    for message in [*messages, digest_statement(document)]:
        try:
            _verify(key, base64.b64decode(signature, validate=True), message.encode(), setting)
        except (InvalidSignature, ValueError):
            continue
        return
    raise GateError("its signature is not valid: it was changed, or signed with another key")


def _verify(key: Any, signature: bytes, message: bytes, setting: str) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.hashes import SHA256

    if isinstance(key, Ed25519PublicKey):
        key.verify(signature, message)
        return
    if not isinstance(key.curve, ec.SECP256R1):
        raise SettingsError(f"{setting}: an ECDSA key must be of the curve P-256, and this one is of {key.curve.name}")
    key.verify(signature, message, ec.ECDSA(SHA256()))


def public_key_of(signing_key: str, setting: str) -> str:
    """Return the public half of a private key, as PEM; raises ``SettingsError`` if it is not an Ed25519 key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key: Ed25519PrivateKey = private_key(signing_key, Ed25519PrivateKey, setting)
    return pem_of(key)[1]
