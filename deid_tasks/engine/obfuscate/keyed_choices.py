"""Pseudo-random choices by the institution's key: the same question gets the same answer on any worker."""

import hashlib
import hmac
from collections.abc import Sequence
from itertools import count
from typing import TypeVar

T = TypeVar("T")

_DIGEST_BYTES = 32
_DIGITS = "".join(str(byte % 10) for byte in range(256))


class KeyedChoices:
    """Keyed choices of one institution. Without the key, a choice reveals nothing of the value that it was made for.

    Args:
        key: the institution's surrogate key.
        institution: its name.
    """

    def __init__(self, key: bytes, institution: str) -> None:
        own = hmac.digest(key, f"palimpsest/surrogates/{institution}".encode(), "sha256")
        self._hash = hashlib.blake2b(key=own, digest_size=_DIGEST_BYTES)

    def number(self, bound: int, *parts: str) -> int:
        """Return a number in ``0 … bound - 1`` for ``parts``."""
        return int.from_bytes(self._digest(parts)[:16]) % bound

    def choice(self, options: Sequence[T], *parts: str) -> T:
        """Return one of ``options`` for ``parts``."""
        return options[self.number(len(options), *parts)]

    def token(self, *parts: str) -> str:
        """Return a pseudonym for ``parts``: 26 characters of base 32, which hold 128 bits."""
        value = int.from_bytes(self._digest(parts)[:16])
        return "".join("abcdefghijklmnopqrstuvwxyz234567"[(value >> (5 * i)) & 31] for i in range(26))

    def like(self, value: str, *parts: str, upper: str = "ABCDEFGHJKLMNPQRSTUVWXYZ") -> str:
        """Return ``value`` with every digit and letter replaced by another of its kind and case.

        The result differs from ``value`` wherever that holds a digit or a letter. A first digit from 1 to 9 does not
        become 0. Letters beyond ASCII become ASCII letters.

        Args:
            value: the original.
            parts: what the choice depends on beside ``value``.
            upper: the capital letters to choose from.
        """
        for attempt in count():
            stream = _stretch(self._digest((*parts, value, str(attempt))), len(value) + 1)
            made: list[str] = []
            used = 0
            for char in value:
                if char.isalnum():
                    made.append(_replace_character(char, stream[used], upper))
                    used += 1
                else:
                    made.append(char)
            if made[:1] == ["0"] and value[0] != "0":
                made[0] = str(1 + stream[used] % 9)
            text = "".join(made)
            if text.casefold() != value.casefold() or not used:
                return text
        raise AssertionError("unreachable")

    def _digest(self, parts: Sequence[str]) -> bytes:
        # Lengths keep ("a", "bc") and ("ab", "c") apart.
        message = "".join([f"{len(part)}:{part}" for part in parts]).encode("utf-8", "surrogatepass")
        state = self._hash.copy()
        state.update(message)
        return state.digest()


def _stretch(digest: bytes, min_bytes: int) -> bytes:
    """Return at least ``min_bytes`` bytes: ``digest``, its hash, the hash of that, and so on."""
    blocks = [digest]
    while _DIGEST_BYTES * len(blocks) < min_bytes:
        blocks.append(hashlib.blake2b(blocks[-1], digest_size=_DIGEST_BYTES).digest())
    return digest if len(blocks) == 1 else b"".join(blocks)


def _replace_character(char: str, byte: int, upper: str) -> str:
    if char.isdigit():
        return _DIGITS[byte]
    letter = upper[byte % len(upper)]
    return letter.lower() if char.islower() else letter
