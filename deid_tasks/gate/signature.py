"""Ed25519 signatures of certificates, and the keys that make and check them."""

import base64

from deid_tasks.errors import GateError, SettingsError


def new_key_pair() -> tuple[str, str]:
    """A fresh pair: the private key that signs (PKCS8) and the public key that verifies, both as PEM."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    return (
        private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
        private.public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode(),
    )


def sign(document: str, signing_key: str) -> str:
    """The signature of the document's UTF-8 bytes, in base64; raises ``SettingsError`` where the key is no Ed25519 key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(signing_key.encode(), password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingsError(
            "gate.signing_key: the secret holds no Ed25519 private key in PEM (PKCS8, without password)"
        )
    return base64.b64encode(key.sign(document.encode())).decode()


def check_signature(document: str, signature: str, verification_key: str) -> None:
    """Raise ``GateError`` unless the signature is the key's own, and ``SettingsError`` where the key is no Ed25519 key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(verification_key.encode())
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise SettingsError("gate.verification_key: the secret holds no Ed25519 public key in PEM")
    try:
        key.verify(base64.b64decode(signature, validate=True), document.encode())
    except (InvalidSignature, ValueError):
        raise GateError("its signature does not fit: it was changed, or signed with another key") from None
