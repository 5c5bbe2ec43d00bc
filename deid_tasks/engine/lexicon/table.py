"""A sorted hash table in flat arrays, which many processes can map from one file, and the search for its terms in
texts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_tasks.engine.lexicon.scan import I64, U64, Hasher, Scan
from deid_tasks.engine.lexicon.terms import MAX_TOKENS, PREFIX

_BATCH = 1 << 20


@dataclass(frozen=True, eq=False)
class TermMatches:
    """Terms found in texts, sorted by number of tokens, then position. ``M`` matches."""

    first: I64
    """``[M]``: index of the first token."""
    tokens: I64
    """``[M]``: number of tokens."""
    payload: U64
    """``[M]``: bits of the term's tables and kinds, see ``terms.mask_of``."""

    def only(self, mask: int) -> "TermMatches":
        """Return the matches that have a bit of ``mask``."""
        chosen = (self.payload & np.uint64(mask)) != 0
        return TermMatches(self.first[chosen], self.tokens[chosen], self.payload[chosen])


@dataclass(frozen=True, eq=False)
class TermTable:
    """Terms and beginnings of terms by hash. ``N`` entries."""

    hashes: U64
    """``[N]``, sorted."""
    payload: U64
    """``[N]``: payload of each entry."""
    buckets: NDArray[np.uint32]
    """Index of the first entry with each value of the leading bits, and at last ``N``."""

    def lookup(self, keys: U64) -> U64:
        """Return the payload of each key, 0 for a key without an entry; in constant time a key."""
        found = np.zeros(len(keys), np.uint64)
        if not len(self.hashes) or not len(keys):
            return found
        shift = np.uint64(64 - (len(self.buckets) - 1).bit_length() + 1)
        bucket = (keys >> shift).astype(np.int64)
        position, end = self.buckets[bucket].astype(np.int64), self.buckets[bucket + 1]
        # For most keys the first entry of their bucket decides, or that the bucket is empty.
        entry = self.hashes[np.minimum(position, len(self.hashes) - 1)]
        hit = np.flatnonzero((entry == keys) & (position < end))
        found[hit] = self.payload[position[hit]]
        position += 1
        active = np.flatnonzero((entry < keys) & (position < end))
        position, end, keys = position[active], end[active], keys[active]
        while len(active):
            entry = self.hashes[position]
            same = entry == keys
            found[active[same]] = self.payload[position[same]]
            position = position + 1
            on = (entry < keys) & (position < end)
            active, position, end, keys = active[on], position[on], end[on], keys[on]
        return found

    def match(self, scan: Scan, hasher: Hasher, salts: U64 | None = None) -> tuple[TermMatches, U64]:
        """Return every term in the texts, and the payload of every single token.

        Terms of several words are found by extending from each token while its words begin a longer term, so that the
        work depends on the texts and not on the size of the table.

        Args:
            scan: the tokens of the texts.
            hasher: computes hashes as the table's were.
            salts: ``[tokens]``: salt of the entries that are searched for each token; none where ``None``.

        Returns:
            The matches, and ``[tokens]`` payloads.
        """
        grams = hasher.begin(scan.hashes, salts)
        single = self.lookup(grams)
        payload, first = single, np.arange(len(scan))
        parts: list[tuple[I64, int, U64]] = []
        joins = scan.joins_next
        for size in range(1, MAX_TOKENS + 1):
            hit = (payload & np.uint64(PREFIX - 1)) != 0
            parts.append((first[hit], size, payload[hit]))
            if size == MAX_TOKENS:
                break
            on = ((payload & np.uint64(PREFIX)) != 0) & joins[first + size - 1]
            first, grams = first[on], grams[on]
            if not len(first):
                break
            grams = hasher.extend(grams, scan.hashes[first + size])
            payload = self.lookup(grams)
        matches = TermMatches(
            np.concatenate([part[0] for part in parts]),
            np.concatenate([np.full(len(part[0]), part[1], np.int64) for part in parts]),
            np.concatenate([part[2] for part in parts]),
        )
        return matches, single


def assemble(keys: U64, values: U64) -> TermTable:
    """Return the table of the given entries; payloads of equal keys are combined."""
    if not len(keys):
        return TermTable(keys, values, np.zeros(3, np.uint32))
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    keys, values = keys[first], np.bitwise_or.reduceat(values, first)
    return TermTable(keys, values, bucket_starts(keys))


def bucket_starts(keys: U64) -> NDArray[np.uint32]:
    """Return the index of the first key with each value of the leading bits, and at last the number of keys.

    There are at least as many buckets as keys. ``keys`` is sorted.
    """
    bits = max(1, len(keys).bit_length())
    starts = np.zeros((1 << bits) + 1, np.uint32)
    for low in range(0, len(keys), _BATCH):
        bucket, number = np.unique(keys[low : low + _BATCH] >> np.uint64(64 - bits), return_counts=True)
        starts[bucket.astype(np.int64) + 1] += number.astype(np.uint32)
    np.cumsum(starts, out=starts)
    return starts


def entries(forms: list[str], bits: list[int], hasher: Hasher, salt: int | None = None) -> tuple[U64, U64]:
    """Return hash and payload of each form and of each of its beginnings.

    Forms without a word, or with more than ``MAX_TOKENS``, are left out.

    Args:
        forms: terms as they are written.
        bits: payload bit of each form.
        hasher: computes the hashes.
        salt: mixed into all hashes; none where ``None``.
    """
    scan = hasher.scan(forms)
    sizes = np.bincount(scan.document, minlength=len(forms))
    starts = np.cumsum(sizes) - sizes
    active = np.flatnonzero((sizes > 0) & (sizes <= MAX_TOKENS))
    payload = np.array(bits, np.uint64)
    keys: list[U64] = []
    values: list[U64] = []
    hashes = scan.hashes[starts[active]]
    grams = hasher.begin(hashes, None if salt is None else np.full(len(hashes), salt, np.uint64))
    for size in range(1, MAX_TOKENS + 1):
        ends = sizes[active] == size
        keys.append(grams)
        values.append(np.where(ends, payload[active], np.uint64(PREFIX)))
        active, grams = active[~ends], grams[~ends]
        if not len(active):
            break
        grams = hasher.extend(grams, scan.hashes[starts[active] + size])
    return np.concatenate(keys), np.concatenate(values)
