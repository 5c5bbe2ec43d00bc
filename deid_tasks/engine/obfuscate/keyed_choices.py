"""Chance that is a pure function of the institution's key: the same question always gets the same answer, on any worker."""

import hashlib
import hmac
from collections.abc import Sequence
from itertools import count
from typing import TypeVar

T = TypeVar("T")

_BLOCK = 32
"""Bytes of a digest."""
_DIGITS = "".join(str(chance % 10) for chance in range(256))


class KeyedChoices:
    """KeyedChoices choices of one institution. Without the key, nothing of a value can be told from what was chosen for it."""

    def __init__(self, key: bytes, institution: str) -> None:
        own = hmac.digest(key, f"palimpsest/surrogates/{institution}".encode(), "sha256")
        self._hash = hashlib.blake2b(key=own, digest_size=_BLOCK)

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
            chances = _chances(self._digest((*parts, value, str(attempt))), len(value) + 1)
            made: list[str] = []
            used = 0
            for char in value:
                if char.isalnum():
                    made.append(_alike(char, chances[used], upper))
                    used += 1
                else:
                    made.append(char)
            if made[:1] == ["0"] and value[0] != "0":
                made[0] = str(1 + chances[used] % 9)
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


def _chances(block: bytes, least: int) -> bytes:
    """``least`` bytes or more, each block of them the hash of the one before."""
    blocks = [block]
    while _BLOCK * len(blocks) < least:
        blocks.append(hashlib.blake2b(blocks[-1], digest_size=_BLOCK).digest())
    return block if len(blocks) == 1 else b"".join(blocks)


def _alike(char: str, chance: int, upper: str) -> str:
    if char.isdigit():
        return _DIGITS[chance]
    letter = upper[chance % len(upper)]
    return letter.lower() if char.islower() else letter
