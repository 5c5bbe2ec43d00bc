"""A sorted hash table in flat arrays, which many processes can map from one file, and the matcher over it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from deid_tasks.errors import LexiconError
from deid_tasks.lexicon.scan import I64, U64, Hasher, Scan
from deid_tasks.lexicon.terms import MAX_TOKENS, PREFIX, LexiconTerm, bit_of, variants

_BATCH = 50_000


@dataclass(frozen=True, eq=False)
class Matches:
    """Terms found: first token, number of tokens and payload of each, ordered by number of tokens, then position."""

    first: I64
    tokens: I64
    payload: U64

    def only(self, mask: int) -> "Matches":
        """The matches that have a bit of ``mask``."""
        chosen = (self.payload & np.uint64(mask)) != 0
        return Matches(self.first[chosen], self.tokens[chosen], self.payload[chosen])


@dataclass(frozen=True, eq=False)
class TermTable:
    """``hashes`` sorted, ``payload`` beside them, ``buckets[b]`` the first entry whose leading bits are ``b``."""

    hashes: U64
    payload: U64
    buckets: I64

    def lookup(self, keys: U64) -> U64:
        """The payload of each key, 0 where it is not there; constant time a key, however many entries."""
        found = np.zeros(len(keys), np.uint64)
        if not len(self.hashes) or not len(keys):
            return found
        shift = np.uint64(64 - (len(self.buckets) - 1).bit_length() + 1)
        bucket = (keys >> shift).astype(np.int64)
        position, end = self.buckets[bucket], self.buckets[bucket + 1]
        active = np.flatnonzero(position < end)
        position, end, keys = position[active], end[active], keys[active]
        while len(active):
            entry = self.hashes[position]
            hit = entry == keys
            found[active[hit]] = self.payload[position[hit]]
            position = position + 1
            on = (entry < keys) & (position < end)
            active, position, end, keys = active[on], position[on], end[on], keys[on]
        return found

    def match(self, scan: Scan, hasher: Hasher, salts: U64 | None = None) -> tuple[Matches, U64]:
        """Every term that stands in the texts, and the payload of every single token.

        Terms of several words are found by walking on from each token while its words begin a longer term, so that the work
        follows what is in the text and not what is in the table. ``salts``, one a token, name whose terms are looked for.
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
        matches = Matches(
            np.concatenate([part[0] for part in parts]),
            np.concatenate([np.full(len(part[0]), part[1], np.int64) for part in parts]),
            np.concatenate([part[2] for part in parts]),
        )
        return matches, single


def build_table(rows: Iterable[LexiconTerm], hasher: Hasher, counts: Counter[str]) -> TermTable:
    """The table of ``rows``, read once; ``counts`` is increased by ``table/kind``, and by ``skipped`` for overlong and empty terms.

    Raises ``LexiconError`` for a table or kind that there is none of.
    """
    hashes: list[U64] = []
    payloads: list[U64] = []
    stream = _forms(iter(rows), counts)
    while batch := list(islice(stream, _BATCH)):
        found, values = entries([form for form, _ in batch], [bit for _, bit in batch], hasher)
        hashes.append(found)
        payloads.append(values)
    if not hashes:
        return assemble(np.zeros(0, np.uint64), np.zeros(0, np.uint64))
    return assemble(np.concatenate(hashes), np.concatenate(payloads))


def assemble(keys: U64, values: U64) -> TermTable:
    """The table of the given entries; payloads of equal keys are united."""
    if not len(keys):
        return TermTable(keys, values, np.zeros(3, np.int64))
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    keys, values = keys[first], np.bitwise_or.reduceat(values, first)
    bits = max(1, len(keys).bit_length())
    limits = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
    buckets = np.append(np.searchsorted(keys, limits), len(keys)).astype(np.int64)
    return TermTable(keys, values, buckets)


def _forms(rows: Iterator[LexiconTerm], counts: Counter[str]) -> Iterator[tuple[str, int]]:
    bits: dict[tuple[str, str], tuple[int, str]] = {}
    for row in rows:
        place = (row.table, row.kind)
        if place not in bits:
            found = bit_of(*place)
            if found is None:
                raise LexiconError(f"a lexicon has no kind {row.kind!r} in the table {row.table!r}")
            bits[place] = (found, f"{row.table}/{row.kind}")
        bit, label = bits[place]
        counts[label] += 1
        for form in variants(row.table, row.kind, row.term):
            yield form, bit


def entries(forms: list[str], bits: list[int], hasher: Hasher, salt: int | None = None) -> tuple[U64, U64]:
    """Hash and payload of each form, and of each beginning of it; forms without a word or with too many are left out."""
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
