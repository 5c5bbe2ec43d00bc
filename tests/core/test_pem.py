"""Keys as PEM: what is no key, or a key of an algorithm that the library does not know, is refused by name."""

import base64
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from deid_tasks.core.errors import SettingsError
from deid_tasks.core.pem import key_fingerprint, pem_of, private_key, public_key

ED25519, UNKNOWN, X448 = (bytes.fromhex(code) for code in ("06032b6570", "06032b6501", "06032b656f"))
"""An algorithm as DER names it."""


def of_unknown_algorithm(pem: str) -> str:
    return of_algorithm(pem, UNKNOWN)


def of_another_length(pem: str) -> str:
    """A key that says it is of an algorithm whose keys are longer."""
    return of_algorithm(pem, X448)


def of_algorithm(pem: str, algorithm: bytes) -> str:
    head, *lines, foot = pem.split("\n")[:-1]
    der = base64.b64decode("".join(lines))
    assert der.count(ED25519) == 1
    return "\n".join([head, base64.b64encode(der.replace(ED25519, algorithm)).decode(), foot, ""])


def test_a_key_pair_is_read_again() -> None:
    private, public = pem_of(Ed25519PrivateKey.generate())
    read = private_key(private, Ed25519PrivateKey, "signing key").public_key()
    assert read == public_key(public, Ed25519PublicKey, "public key")
    assert len(key_fingerprint(public)) == 16


@pytest.mark.parametrize(
    "change",
    [of_unknown_algorithm, of_another_length, lambda pem: pem.replace("-----", "----"), lambda _pem: ""],
)
def test_what_is_no_such_key_is_refused(change: Callable[[str], str]) -> None:
    private, public = map(change, pem_of(Ed25519PrivateKey.generate()))
    with pytest.raises(SettingsError, match=r"^signing key: the secret is not a Ed25519 private key in PEM"):
        private_key(private, Ed25519PrivateKey, "signing key")
    with pytest.raises(SettingsError, match=r"^public key: the secret is not a Ed25519 public key in PEM"):
        public_key(public, Ed25519PublicKey, "public key")
    with pytest.raises(ValueError, match=r"PEM|algorithm|Invalid key"):
        key_fingerprint(public)
