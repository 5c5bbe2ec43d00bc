"""The inclusion list: frequent sentences that a person verified to be free of PHI, as keyed hashes; models do not read
them.

Source: Murugadoss et al. 2021 (supplement, "Creating an inclusion list of sentences"): of 3.1 billion sentences, the
1,600 most frequent ones were a third.
"""

from collections.abc import Iterable
from hashlib import blake2b, sha256
from pathlib import Path

from deid_tasks.core.errors import LexiconError

DIGEST_BYTES = 16
_CHECKSUM_BYTES = 32


class InclusionList:
    """A set of sentences as keyed hashes. Without the key, not even a guessed sentence can be tested."""

    def __init__(self, key: bytes, digests: Iterable[bytes] = ()) -> None:
        self._key = key[:64]
        self._digests = frozenset(digests)

    @classmethod
    def of(cls, key: bytes, sentences: Iterable[str]) -> "InclusionList":
        """Return the list of the given sentences."""
        empty = cls(key)
        return cls(key, map(empty.digest, sentences))

    @classmethod
    def load(cls, path: Path, key: bytes) -> "InclusionList":
        """Return the list that ``save`` wrote to ``path``.

        Raises:
            LexiconError: the file is missing or damaged.
        """
        try:
            raw = path.read_bytes()
        except OSError:
            raise LexiconError(f"the inclusion list {path} is missing") from None
        body, checksum = raw[:-_CHECKSUM_BYTES], raw[-_CHECKSUM_BYTES:]
        if len(body) % DIGEST_BYTES or sha256(body).digest() != checksum:
            raise LexiconError(f"the inclusion list {path} is damaged")
        return cls(key, (body[i : i + DIGEST_BYTES] for i in range(0, len(body), DIGEST_BYTES)))

    def save(self, path: Path) -> None:
        """Write the sorted hashes and their checksum to ``path``."""
        body = b"".join(sorted(self._digests))
        path.write_bytes(body + sha256(body).digest())

    def digest(self, sentence: str) -> bytes:
        """Return the keyed hash of one sentence."""
        raw = sentence.encode("utf-8", "surrogatepass")
        return blake2b(raw, digest_size=DIGEST_BYTES, key=self._key, person=b"palimpsest-incl").digest()

    @property
    def version(self) -> str:
        """Hash of the content; equal lists under one key have equal versions."""
        return sha256(b"".join(sorted(self._digests))).hexdigest()

    def __contains__(self, sentence: str) -> bool:
        return self.digest(sentence) in self._digests

    def __len__(self) -> int:
        return len(self._digests)

    def __repr__(self) -> str:
        return f"InclusionList({len(self)} sentences)"
