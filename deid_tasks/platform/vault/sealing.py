"""Bytes under AES-256-GCM, with a readable header that is authenticated with them.

Layout: ``PALVLT01``, length of the header (4 bytes, big-endian), header (JSON), nonce (12 bytes), ciphertext with its
tag (16 bytes). The tag covers the header too, so that no byte of the whole can be changed or cut off unnoticed.
"""

import json
import os
import struct
from typing import Any

from deid_tasks.core.errors import VaultError

KEY_BYTES = 32
_MAGIC = b"PALVLT01"
_NONCE_BYTES = 12
_CHANGED = "it was changed or cut short"


def new_data_key() -> bytes:
    """Return a fresh key of 256 bits."""
    return os.urandom(KEY_BYTES)


def seal(data_key: bytes, content: bytes, header: dict[str, Any]) -> bytes:
    """Return ``content`` encrypted, with its header.

    The nonce is random. One data key may seal up to 2**32 times; it seals the notes of one shard.

    Args:
        data_key: 256 bits.
        content: what is encrypted.
        header: stays readable; it must identify nobody.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    header_bytes = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    authenticated = _MAGIC + struct.pack(">I", len(header_bytes)) + header_bytes
    nonce = os.urandom(_NONCE_BYTES)
    return authenticated + nonce + AESGCM(data_key).encrypt(nonce, content, authenticated)


def header_of(sealed: bytes) -> dict[str, Any]:
    """Return the header, which is not yet verified; raises ``VaultError`` where there is none."""
    try:
        (length,) = struct.unpack_from(">I", sealed, len(_MAGIC))
        header = json.loads(sealed[len(_MAGIC) + 4 : len(_MAGIC) + 4 + length])
    except (struct.error, ValueError, RecursionError):
        header = None
    if not sealed.startswith(_MAGIC) or not isinstance(header, dict):
        raise VaultError(_CHANGED)
    return header


def unseal(data_key: bytes, sealed: bytes, expected: dict[str, Any]) -> bytes:
    """Return what was sealed.

    Args:
        data_key: 256 bits.
        sealed: what ``seal`` returned.
        expected: values that the header must have.

    Raises:
        VaultError: a byte was changed, or the header has another value.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    header = header_of(sealed)
    (length,) = struct.unpack_from(">I", sealed, len(_MAGIC))
    start = len(_MAGIC) + 4 + length
    nonce, body = sealed[start : start + _NONCE_BYTES], sealed[start + _NONCE_BYTES :]
    try:
        content = AESGCM(data_key).decrypt(nonce, body, sealed[:start])
    except (InvalidTag, ValueError):
        raise VaultError(_CHANGED) from None
    if any(header.get(name) != value for name, value in expected.items()):
        raise VaultError("it belongs to another slice or institution")
    return content
