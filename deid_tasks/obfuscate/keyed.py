"""Chance that is a pure function of the institution's key: the same question always gets the same answer, on any worker."""

import hashlib
import hmac
from collections.abc import Sequence
from itertools import count
from typing import TypeVar

T = TypeVar("T")


class Keyed:
    """Keyed choices of one institution. Without the key, nothing of a value can be told from what was chosen for it."""

    def __init__(self, key: bytes, institution: str) -> None:
        self._key = hmac.digest(key, f"palimpsest/surrogates/{institution}".encode(), "sha256")

    def number(self, bound: int, *parts: str) -> int:
        """A number in ``0 … bound - 1`` for ``parts``."""
        return int.from_bytes(self._digest(parts)[:16]) % bound

    def choice(self, options: Sequence[T], *parts: str) -> T:
        """One of ``options`` for ``parts``."""
        return options[self.number(len(options), *parts)]

    def token(self, *parts: str) -> str:
        """A pseudonym for ``parts``: 26 characters of base 32, 128 bits, no two alike in practice."""
        value = int.from_bytes(self._digest(parts)[:16])
        return "".join("abcdefghijklmnopqrstuvwxyz234567"[(value >> (5 * i)) & 31] for i in range(26))

    def like(self, value: str, *parts: str, upper: str = "ABCDEFGHJKLMNPQRSTUVWXYZ") -> str:
        """``value`` with every digit and letter replaced, each in its kind and case; never ``value`` itself where it has any.

        A first character from 1 to 9 becomes such a one. Letters beyond ASCII become ASCII letters.
        """
        for attempt in count():
            stream = self._stream(*parts, value, str(attempt))
            made = "".join([_alike(char, next(stream), upper) if char.isalnum() else char for char in value])
            if made[:1] == "0" and value[0] != "0":
                made = str(1 + next(stream) % 9) + made[1:]
            if made.casefold() != value.casefold() or not any(char.isalnum() for char in value):
                return made
        raise AssertionError("unreachable")

    def _stream(self, *parts: str) -> "Stream":
        return Stream(self._digest(parts))

    def _digest(self, parts: Sequence[str]) -> bytes:
        # Lengths keep ("a", "bc") and ("ab", "c") apart.
        message = "".join([f"{len(part)}:{part}" for part in parts]).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(message, key=self._key, digest_size=32).digest()


class Stream:
    """Numbers without end, drawn from one digest."""

    def __init__(self, seed: bytes) -> None:
        self._block = seed
        self._position = 0

    def __next__(self) -> int:
        if self._position == len(self._block):
            self._block, self._position = hashlib.blake2b(self._block, digest_size=32).digest(), 0
        value = self._block[self._position]
        self._position += 1
        return value


def _alike(char: str, chance: int, upper: str) -> str:
    if char.isdigit():
        return str(chance % 10)
    letter = upper[chance % len(upper)]
    return letter.lower() if char.islower() else letter
