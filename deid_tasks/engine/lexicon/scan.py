"""Tokens and token hashes of many texts at once, as arrays without a Python object for each word.

A token is a run of letters and digits after :func:`deid_tasks.engine.lexicon.normalise`. Its hash is a polynomial over
keyed random values of its characters, computed from one cumulative sum over the whole batch (Karp and Rabin 1987), then
mixed.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.uint8] | NDArray[np.uint32]
"""Code points; one byte each where all are ASCII."""

_TABLE_SIZE = 0x3000
_BASE = np.uint64(0x9E3779B97F4A7C15 | 1)
_BASE_INVERSE = np.uint64(pow(int(_BASE), -1, 1 << 64))
_ALNUM = re.compile(r"[^\W_]")
_SEPARATOR = "\n\n"
_ADJOINING_GAPS = [[ord(mark) for mark in gap] for gap in (" ", ", ", ",", "-", ". ")]
MAX_GAP = 4
"""Two words with more characters than this between them are never one term."""


def mix(values: U64) -> U64:
    """Return ``values`` after the finaliser of SplitMix64 (Steele et al. 2014), which spreads every input bit."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _normalised(code: int) -> str:
    """Return one character as ``normalise`` would; a character that separates words becomes a blank."""
    folded = unicodedata.normalize("NFKD", chr(code))
    kept = "".join(character for character in folded if not unicodedata.combining(character)).lower()
    return "".join(character if _ALNUM.match(character) else " " for character in kept)


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[np.uint32], NDArray[np.uint8], Flags, Flags]:
    """Return, for each code point below the table's size, four traits.

    They are its first normalised character, how many there are, whether it is upper case, and whether it is a digit.
    """
    folded = [_normalised(code) for code in range(_TABLE_SIZE)]
    return (
        np.array([ord(text[0]) if text else 32 for text in folded], np.uint32),
        np.array([len(text) for text in folded], np.uint8),
        np.array([chr(code).isupper() for code in range(_TABLE_SIZE)], np.bool_),
        np.array([text.isdigit() for text in folded], np.bool_),
    )


def _look_up(table: Flags, codes: Codes) -> Flags:
    """Return the flag of each code point; those beyond the table have its last flag."""
    return table[codes if codes.dtype == np.uint8 else np.minimum(codes, _TABLE_SIZE - 1)]


def _marked(marks: str) -> Flags:
    """Return, for each code point below the table's size, whether it is one of ``marks``."""
    marked = np.zeros(_TABLE_SIZE, np.bool_)
    marked[[ord(mark) for mark in marks]] = True
    return marked


_STOPS, _OPENERS, _BULLETS = _marked("!.;?"), _marked("!.:;?•"), _marked("*-•")
_powers = np.ones(1, np.uint64)
_inverses = np.ones(1, np.uint64)


def _power_tables(length: int) -> tuple[U64, U64]:
    """Return powers of the base and of its inverse modulo 2^64, cached between batches."""
    global _powers, _inverses
    if len(_powers) < length:
        size = 1 << (length - 1).bit_length()
        _powers, _inverses = np.full(size, _BASE), np.full(size, _BASE_INVERSE)
        _powers[0] = _inverses[0] = 1
        np.multiply.accumulate(_powers, out=_powers)
        np.multiply.accumulate(_inverses, out=_inverses)
    return _powers, _inverses


BATCH_CHARACTERS = 250_000
"""Texts are read in batches of about this size, whose arrays fit a processor's cache."""


def text_batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the indices of ``texts`` in consecutive batches, whose arrays are computed together."""
    batch: list[int] = []
    size = 0
    for index, text in enumerate(texts):
        batch.append(index)
        size += len(text)
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass(eq=False)
class Scan:
    """The tokens of a batch of ``D`` texts, in order. ``T`` tokens.

    Offsets are code points of the joined texts; ``starts[i] - bases[document[i]]`` is an offset of the text itself.
    """

    codes: Codes
    """The code points of the joined texts."""
    bases: I64
    """``[D]``: where each text begins."""
    starts: I64
    """``[T]``"""
    ends: I64
    """``[T]``, exclusive."""
    hashes: U64
    """``[T]``"""
    document: I64
    """``[T]``: index of each token's text."""

    def __len__(self) -> int:
        return len(self.starts)

    def __repr__(self) -> str:
        return f"Scan({len(self.bases)} texts, {len(self)} tokens)"

    @cached_property
    def lengths(self) -> I64:
        """``[T]``: characters of each token."""
        return self.ends - self.starts

    @cached_property
    def newlines(self) -> NDArray[np.int32]:
        """Line ends before each character; one longer than the joined texts."""
        return np.concatenate((np.zeros(1, np.int32), np.cumsum(self.codes == 10, dtype=np.int32)))

    @cached_property
    def joins_next(self) -> Flags:
        """``[T]``: whether a term may continue with the next token: short gap, no blank line, no sentence end."""
        joins = np.zeros(len(self), np.bool_)
        if len(self) > 1:
            gap = self.starts[1:] - self.ends[:-1]
            stop = _look_up(_STOPS, self.codes[self.ends[:-1]])
            joins[:-1] = (gap <= MAX_GAP) & ~(stop & (gap > 1) & (self.lengths[:-1] > 3))
            candidates = np.flatnonzero(joins[:-1] & (gap > 1))
            lines = self.newlines[self.starts[candidates + 1]] - self.newlines[self.ends[candidates]]
            joins[candidates] = lines < 2
        return joins

    def gap_after(self, token: int) -> list[int]:
        """Return the code points between a token and the next."""
        gap: list[int] = self.codes[self.ends[token] : self.starts[token + 1]].tolist()
        return gap

    def adjoins_next(self, token: int) -> bool:
        """Whether a term may continue with the next token, after a blank, a comma, a full stop or a hyphen alone."""
        return bool(self.joins_next[token]) and self.gap_after(token) in _ADJOINING_GAPS

    @cached_property
    def capital(self) -> Flags:
        """``[T]``: whether the first character of each token is upper case."""
        return _look_up(_tables()[2], self.codes[self.starts])

    @cached_property
    def upper(self) -> Flags:
        """``[T]``: whether each token is upper case throughout, and longer than one character."""
        is_upper = _tables()[2]
        upper: Flags = self.capital & (self.lengths > 1) & _look_up(is_upper, self.codes[self.ends - 1])
        # Few tokens are left here; only their inner characters are looked up.
        longer = np.flatnonzero(upper & (self.lengths > 2))
        if len(longer):
            inner = self.lengths[longer] - 2
            begins = np.cumsum(inner) - inner
            offsets = np.arange(int(inner.sum())) + np.repeat(self.starts[longer] + 1 - begins, inner)
            upper[longer] = np.logical_and.reduceat(_look_up(is_upper, self.codes[offsets]), begins)
        return upper

    @cached_property
    def digits(self) -> Flags:
        """``[T]``: whether each token begins with a digit."""
        return _look_up(_tables()[3], self.codes[self.starts])

    @cached_property
    def opens_sentence(self) -> Flags:
        """``[T]``: whether each token begins a line, or follows a sentence end, a colon, a bullet or a dash."""
        opens = np.ones(len(self), np.bool_)
        if len(self) > 1:
            gap = self.starts[1:] - self.ends[:-1]
            lines = self.newlines[self.starts[1:]] > self.newlines[self.ends[:-1]]
            ended = _look_up(_OPENERS, self.codes[self.ends[:-1]]) & (gap > 1) & (self.lengths[:-1] > 2)
            dashed = (gap > 2) & _look_up(_BULLETS, self.codes[self.starts[1:] - 2])
            opens[1:] = lines | ended | dashed
        return opens

    @cached_property
    def caps_line(self) -> Flags:
        """``[T]``: whether each token's line is in capitals: three words or more, four fifths of them upper case."""
        if not len(self):
            return np.zeros(0, np.bool_)
        line = self.newlines[self.starts]
        first = np.flatnonzero(np.concatenate(([True], line[1:] != line[:-1])))
        words = np.add.reduceat((~self.digits & (self.lengths > 1)).astype(np.int64), first)
        upper = np.add.reduceat(self.upper.astype(np.int64), first)
        return np.repeat((words >= 3) & (5 * upper >= 4 * words), np.diff(np.append(first, len(self))))


class Hasher:
    """Computes the tokens of texts and their hashes; equal keys give equal hashes."""

    def __init__(self, key: bytes = b"") -> None:
        digest = blake2b(key, digest_size=24, person=b"palimpsest-lex").digest()
        self.seed = np.uint64(int.from_bytes(digest[:8], "little"))
        self.step = np.uint64(int.from_bytes(digest[8:16], "little") | 1)
        self.check = digest[16:].hex()
        """A value that differs between keys and does not reveal the key."""
        self._values = self._value(np.arange(_TABLE_SIZE, dtype=np.uint64))
        self._ascii_values = self._values[_tables()[0][:128]]

    def _value(self, codes: U64) -> U64:
        return mix(codes * self.step + self.seed)

    def begin(self, hashes: U64, salts: U64 | None = None) -> U64:
        """Return the hashes of one-word terms; ``salts`` separate the terms of different owners in one table."""
        return mix(hashes + self.seed) if salts is None else mix(hashes + self.seed ^ salts)

    def extend(self, terms: U64, hashes: U64) -> U64:
        """Return the hashes of ``terms`` with one more word each."""
        return mix(terms * self.step + hashes)

    def initials(self, scan: Scan) -> U64:
        """Return the hash of each token's first character as a token of its own; for ASCII texts."""
        return mix(self._values[_tables()[0][scan.codes[scan.starts]]])

    def scan(self, texts: Sequence[str]) -> Scan:
        """Return the tokens of ``texts``; linear in their length."""
        joined = _SEPARATOR.join(texts) + _SEPARATOR
        sizes = np.fromiter((len(text) + len(_SEPARATOR) for text in texts), np.int64, len(texts))
        bases = np.cumsum(sizes) - sizes
        codes: Codes
        origin: I64 | None = None
        if joined.isascii():
            codes = np.frombuffer(joined.encode("ascii"), np.uint8)
            word, values = _tables()[0][:128][codes] != 32, self._ascii_values[codes]
        else:
            codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
            folded, origin = self._folded(codes)
            word, table = folded != 32, self._values
            values = table[folded] if folded.max(initial=0) < _TABLE_SIZE else self._value(folded.astype(np.uint64))
        edges = np.flatnonzero(word[1:] != word[:-1]) + 1
        if len(word) and word[0]:
            edges = np.concatenate((np.zeros(1, np.int64), edges))
        starts, ends = edges[0::2], edges[1::2]
        powers, inverses = _power_tables(len(word) + 1)
        sums = np.zeros(len(word) + 1, np.uint64)
        np.multiply(values, powers[: len(word)], out=sums[1:])
        np.cumsum(sums, out=sums)
        hashes = mix((sums[ends] - sums[starts]) * inverses[starts])
        if origin is not None:
            starts, ends = origin[starts], origin[ends - 1] + 1
        bounds = np.searchsorted(starts, bases)
        document = np.repeat(np.arange(len(bases)), np.diff(bounds, append=len(starts)))
        return Scan(codes, bases, starts, ends, hashes, document)

    @staticmethod
    def _folded(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], I64 | None]:
        """Return normalised characters, blanks for separators, and each one's source index (``None``: one for one)."""
        first, size, _, _ = _tables()
        inside = np.minimum(codes, _TABLE_SIZE - 1)
        folded, sizes = first[inside], size[inside].astype(np.int64)
        exotic = np.flatnonzero((codes >= _TABLE_SIZE) | (sizes != 1))
        if not len(exotic):
            return folded, None
        forms = {code: _normalised(code) for code in np.unique(codes[exotic]).tolist()}
        sizes[exotic] = [len(forms[code]) for code in codes[exotic].tolist()]
        origin = np.repeat(np.arange(len(codes)), sizes)
        folded = folded[origin]
        positions = np.cumsum(sizes) - sizes
        for index in exotic.tolist():
            form = forms[int(codes[index])]
            folded[positions[index] : positions[index] + len(form)] = [ord(character) for character in form]
        return folded, origin
