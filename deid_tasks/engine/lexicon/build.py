"""Dictionary rows to the sorted table, in bounded memory.

Rows are read in chunks, entries are kept in parts by their leading bits, and the parts are sorted one by one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.errors import LexiconError
from deid_tasks.engine.lexicon.full_names import MAX_NAME_WORDS, name_forms
from deid_tasks.engine.lexicon.scan import U64, Hasher
from deid_tasks.engine.lexicon.table import TermTable, bucket_starts, entries
from deid_tasks.engine.lexicon.terms import PREFIX, LexiconTerm, bit_of, variants

_CHUNK_ROWS = 100_000
_PART_BITS = 6
_CONTINUES, _ENDS_TOO = 63, 64
"""Payloads are one byte while the table is built: a bit's number, 63 for a beginning of a longer term, 64 more for
both."""
_PAYLOADS = np.array(
    [
        PREFIX if code == _CONTINUES else 1 << code % _ENDS_TOO | (PREFIX if code > _CONTINUES else 0)
        for code in range(127)
    ],
    np.uint64,
)
Codes = NDArray[np.uint8]


def build_table(rows: Iterable[LexiconTerm], hasher: Hasher, counts: Counter[str]) -> TermTable:
    """Return the table of ``rows``, which are read once.

    The peak of memory is about 25 bytes an entry; a term of two words has up to seven entries.

    Args:
        rows: dictionary rows.
        hasher: computes the hashes.
        counts: increased by the rows of each ``table/kind``.

    Raises:
        LexiconError: a row has an unknown table or kind.
    """
    parts = _Parts()
    stream = iter(rows)
    bits: dict[tuple[str, str], int] = {}
    while chunk := list(islice(stream, _CHUNK_ROWS)):
        groups: dict[tuple[str, str], list[str]] = {}
        for row in chunk:
            groups.setdefault((row.table, row.kind), []).append(row.term)
        del chunk
        for kind, terms in groups.items():
            if kind not in bits:
                bits[kind] = _bit_number(*kind)
            counts["/".join(kind)] += len(terms)
            for keys, codes in _entries(*kind, terms, bits[kind], hasher):
                parts.add(keys, codes)
    return parts.table()


def _bit_number(table: str, kind: str) -> int:
    bit = bit_of(table, kind)
    if bit is None:
        raise LexiconError(f"the lexicon's table {table!r} has no kind {kind!r}")
    return bit.bit_length() - 1


def _entries(table: str, kind: str, terms: list[str], bit: int, hasher: Hasher) -> Iterator[tuple[U64, Codes]]:
    """Yield keys and codes of all forms of ``terms``, which are of one kind."""
    forms: list[str] = []
    if kind == "full":
        names: list[str] = []
        for term in terms:
            if not term.isascii():
                forms.extend(variants(table, kind, term))
                continue
            names.append(term)
            if "'" in term or "-" in term:
                forms.append(term.replace("'", "").replace("-", ""))
        scan = hasher.scan(names)
        yield from (
            (keys, np.full(len(keys), bit + _ENDS_TOO * continues if ends else _CONTINUES, np.uint8))
            for keys, ends, continues in name_forms(scan, hasher)
        )
        many = np.flatnonzero(np.bincount(scan.document, minlength=len(names)) > MAX_NAME_WORDS)
        for index in many.tolist():
            forms.extend(variants(table, kind, names[index]))
    else:
        for term in terms:
            if term.isalpha():
                forms.append(term)
            else:
                forms.extend(variants(table, kind, term))
    if forms:
        keys, payload = entries(forms, [1 << bit] * len(forms), hasher)
        yield keys, np.where(payload == np.uint64(PREFIX), _CONTINUES, bit).astype(np.uint8)


class _Parts:
    """Entries by the leading bits of their keys, until the table is built."""

    def __init__(self) -> None:
        self._keys: list[list[U64]] = [[] for _ in range(1 << _PART_BITS)]
        self._codes: list[list[Codes]] = [[] for _ in range(1 << _PART_BITS)]
        self._size = 0

    def add(self, keys: U64, codes: Codes) -> None:
        part = (keys >> np.uint64(64 - _PART_BITS)).astype(np.uint8)
        order = np.argsort(part, kind="stable")
        keys, codes = keys[order], codes[order]
        ends = np.cumsum(np.bincount(part, minlength=1 << _PART_BITS))
        start = 0
        for number, end in enumerate(ends.tolist()):
            if end > start:
                # A copy, since a slice would keep the chunk's arrays in memory.
                self._keys[number].append(keys[start:end].copy())
                self._codes[number].append(codes[start:end].copy())
            start = end
        self._size += len(keys)

    def table(self) -> TermTable:
        """Return the sorted table; payloads of equal keys are combined. Parts are freed one by one."""
        hashes, payload = np.empty(self._size, np.uint64), np.empty(self._size, np.uint64)
        filled = 0
        for number in range(1 << _PART_BITS):
            if not self._keys[number]:
                continue
            keys, codes = np.concatenate(self._keys[number]), np.concatenate(self._codes[number])
            self._keys[number], self._codes[number] = [], []
            order = np.argsort(keys)
            keys = keys[order]
            first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
            after = filled + len(first)
            hashes[filled:after] = keys[first]
            payload[filled:after] = np.bitwise_or.reduceat(_PAYLOADS[codes[order]], first)
            filled = after
        hashes, payload = hashes[:filled], payload[:filled]
        return TermTable(hashes, payload, bucket_starts(hashes))
