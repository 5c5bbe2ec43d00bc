"""Ed25519 signatures of certificates and of the audit log, and their keys."""

import base64

from deid_tasks.core.errors import GateError
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


def check_signature(
    document: str, signature: str, verification_key: str, setting: str = "gate.verification_key"
) -> None:
    """Raise ``GateError`` unless the key made the signature, and ``SettingsError`` if the key is not an Ed25519 key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key: Ed25519PublicKey = public_key(verification_key, Ed25519PublicKey, setting)
    try:
        key.verify(base64.b64decode(signature, validate=True), document.encode())
    except (InvalidSignature, ValueError):
        raise GateError("its signature is not valid: it was changed, or signed with another key") from None


def public_key_of(signing_key: str, setting: str) -> str:
    """Return the public half of a private key, as PEM; raises ``SettingsError`` if it is not an Ed25519 key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key: Ed25519PrivateKey = private_key(signing_key, Ed25519PrivateKey, setting)
    return pem_of(key)[1]
