"""What changed between two versions of a lexicon, and which texts the change can touch.

Everything that the engine asks an institution's lexicon is ``Lexicon.match`` on a text: the detector of names and
places asks it, and so does recovery. Its answer consists of the payloads of the text's words and of its runs of up to
``MAX_TOKENS`` joined words. So where none of these has another payload in the new version, the engine gives the same
result under both. Patients' records, the second-stage gate and the models ask the public lists, never this lexicon.

An entry that only begins longer terms answers nothing by itself. A new "John Smith" therefore touches the notes that
hold these two words, and not each note with a John.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from deid_tasks.core.errors import LexiconError
from deid_tasks.engine.lexicon.lexicon import Lexicon
from deid_tasks.engine.lexicon.scan import I64, U64, Flags, Hasher, Scan, text_batches
from deid_tasks.engine.lexicon.table import TermTable
from deid_tasks.engine.lexicon.terms import MAX_TOKENS, PREFIX

_PARTS = 64
"""Parts in which two tables are compared, by the leading bits of their hashes; memory is bounded by one part."""
_MIN_FILTER_BITS, _MAX_FILTER_BITS = 12, 24
_ROOM_BITS = 6
"""The filter has at least 64 places for each entry, so that few other words pass it."""
_ANSWER = np.uint64(PREFIX - 1)
_BITS = 64


@dataclass(frozen=True, eq=False)
class LexiconDelta:
    """The entries that have another meaning in a later version of a lexicon: added, removed or of other kinds."""

    hashes: U64
    """``[N]``, sorted."""
    before: U64
    """``[N]``: payloads in the former version without the bit of beginnings; 0 for an entry that is new."""
    after: U64
    """``[N]``: the same in the later version; 0 for an entry that is gone."""
    hasher: Hasher = field(repr=False)
    _filter: Flags = field(init=False, repr=False)
    """Whether an entry has these leading bits."""

    def __post_init__(self) -> None:
        bits = int(np.clip(len(self.hashes).bit_length() + _ROOM_BITS, _MIN_FILTER_BITS, _MAX_FILTER_BITS))
        places = np.zeros(1 << bits, np.bool_)
        places[self.hashes >> np.uint64(_BITS - bits)] = True
        object.__setattr__(self, "_filter", places)

    @classmethod
    def between(cls, old: Lexicon, new: Lexicon) -> "LexiconDelta":
        """Return what changed from ``old`` to ``new``.

        Raises:
            LexiconError: they were compiled with different keys, so that no entry of one can be found in the other.
        """
        if old.hasher.check != new.hasher.check:
            raise LexiconError("the two lexicons were compiled with different keys: every text must be read again")
        parts = list(_changed_parts(old.table, new.table))
        hashes, before, after = (np.concatenate([part[column] for part in parts]) for column in range(3))
        return cls(hashes, before, after, new.hasher)

    def __len__(self) -> int:
        return len(self.hashes)

    def touched(self, texts: Sequence[str]) -> list[bool]:
        """Return, for each text, whether the engine may give another result under the later version.

        Where it is false, all answers of the lexicon for the text are the same in both versions.
        """
        found = np.zeros(len(texts), np.bool_)
        if len(self):
            for batch in text_batches(texts):
                scan = self.hasher.scan([texts[index] for index in batch])
                found[np.array(batch)[self._texts_with_entries(scan)]] = True
        return [bool(one) for one in found]

    def _texts_with_entries(self, scan: Scan) -> I64:
        """Return the indices of the texts of a batch that hold an entry, some of them several times.

        Every run of joined words is looked up. Unlike in a whole table, the beginnings of an entry are not among the
        entries, so that a search cannot follow them.
        """
        found: list[I64] = []
        first, grams, joins = np.arange(len(scan)), self.hasher.begin(scan.hashes), scan.joins_next
        shift = np.uint64(_BITS - len(self._filter).bit_length() + 1)
        for size in range(1, MAX_TOKENS + 1):
            passed = np.flatnonzero(self._filter[grams >> shift])
            if len(passed):
                keys = grams[passed]
                position = np.minimum(np.searchsorted(self.hashes, keys), len(self) - 1)
                found.append(scan.document[first[passed[self.hashes[position] == keys]]])
            if size == MAX_TOKENS:
                break
            on = np.flatnonzero(joins[first + size - 1])
            if not len(on):
                break
            first = first[on]
            grams = self.hasher.extend(grams[on], scan.hashes[first + size])
        return np.concatenate(found) if found else np.zeros(0, np.int64)


def _changed_parts(old: TermTable, new: TermTable) -> Iterator[tuple[U64, U64, U64]]:
    """Yield hashes, former and later payloads of the entries that changed, in the order of their hashes."""
    bounds = np.arange(1, _PARTS, dtype=np.uint64) << np.uint64(_BITS - _PARTS.bit_length() + 1)
    edges = [[0, *np.searchsorted(table.hashes, bounds).tolist(), len(table.hashes)] for table in (old, new)]
    for part in range(_PARTS):
        a, b = (slice(one[part], one[part + 1]) for one in edges)
        yield _changed(old.hashes[a], old.payload[a] & _ANSWER, new.hashes[b], new.payload[b] & _ANSWER)


def _changed(former: U64, before: U64, later: U64, after: U64) -> tuple[U64, U64, U64]:
    """Return hashes, former and later payloads of the entries whose payload differs; both tables are sorted."""
    if len(former) and len(later):
        position = np.minimum(np.searchsorted(later, former), len(later) - 1)
        is_common = later[position] == former
    else:
        position, is_common = np.zeros(len(former), np.int64), np.zeros(len(former), np.bool_)
    is_new = np.ones(len(later), np.bool_)
    is_new[position[is_common]] = False
    becomes = np.zeros(len(former), np.uint64)
    becomes[is_common] = after[position[is_common]]
    differs = becomes != before
    # What only begins longer terms, in the one version or in the other, is no answer.
    is_new &= after != 0
    hashes = np.concatenate([former[differs], later[is_new]])
    order = np.argsort(hashes, kind="stable")
    return (
        hashes[order],
        np.concatenate([before[differs], np.zeros(int(is_new.sum()), np.uint64)])[order],
        np.concatenate([becomes[differs], after[is_new]])[order],
    )
