"""Count in how many distinct patients each sentence occurs: exactly, in memory that does not grow with the notes."""

import tempfile
from array import array
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_ROW = np.dtype([("key", "<u8"), ("patient", "<u8"), ("times", "<u4")])
_RANGES = 4_096
"""Ranges of keys of equal width at whose beginnings each sorted file may be entered."""
COUNTING = ".counting-"
"""How the name of the folder begins that holds the sorted files."""
ROWS = 2_000_000
"""Rows held in memory before they are sorted and written; 20 bytes each, and about four times that while they are
sorted.
"""


class Prevalence(NamedTuple):
    """Sentences by key, most frequent first: in how many patients each occurs, and how often."""

    keys: NDArray[np.uint64]
    patients: NDArray[np.int64]
    times: NDArray[np.int64]


class PatientCounter:
    """Counts the distinct patients of each text by an external sort of (text, patient) pairs.

    Texts and patients are 64-bit keyed hashes from the first moment, and so are the files it sorts through, which are
    gone with it. Among 700 million distinct sentences the expected number of pairs of texts that share a hash is 0.013.
    """

    def __init__(self, folder: Path, key: bytes, rows: int = ROWS) -> None:
        """Sort in files under ``folder``, at most ``rows`` pairs in memory at once."""
        self._room = tempfile.TemporaryDirectory(prefix=COUNTING, dir=folder)
        self._key, self._rows = key[:64], rows
        self._keys, self._patients, self._times = array("Q"), array("Q"), array("L")
        self._runs: list[Path] = []
        self._indexes: list[NDArray[np.int64]] = []
        self.total = 0
        """Texts added, with repeats."""

    def __enter__(self) -> "PatientCounter":
        return self

    def __exit__(self, *_: object) -> None:
        self._room.cleanup()

    def hash(self, text: str) -> int:
        """Return the 64-bit keyed hash of a text or of a patient."""
        raw = text.encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(raw, digest_size=8, key=self._key, person=b"palimpsest-harv").digest(), "little")

    def add(self, patient: str | None, texts: Counter[str]) -> None:
        """Count the texts of one note, in any order of notes. All notes without a patient count as one patient."""
        who = self.hash(patient or "")
        for text, times in texts.items():
            self._keys.append(self.hash(text))
            self._patients.append(who)
            self._times.append(min(times, 0xFFFFFFFF))
            self.total += times
        if len(self._keys) >= self._rows:
            self._spill()

    def commonest(self, min_patients: int, most: int) -> Prevalence:
        """Return the ``most`` texts with the most patients, of those with at least ``min_patients``; ties by key, so
        that order says nothing.
        """
        self._spill()
        found = np.zeros((0, 3), np.uint64)
        for part in self._merged():
            keys, first = np.unique(part["key"], return_index=True)
            patients = np.diff(np.append(first, len(part))).astype(np.uint64)
            times = np.add.reduceat(part["times"].astype(np.uint64), first)
            wanted = patients >= np.uint64(min_patients)
            rows = np.stack([keys[wanted], patients[wanted], times[wanted]], axis=1)
            found = np.concatenate([found, rows])
            if len(found) > 4 * most + 1_000:
                found = _best(found, most)
        found = _best(found, most)
        return Prevalence(found[:, 0], found[:, 1].astype(np.int64), found[:, 2].astype(np.int64))

    def _spill(self) -> None:
        if not self._keys:
            return
        rows = np.zeros(len(self._keys), _ROW)
        rows["key"] = np.frombuffer(self._keys, np.uint64)
        rows["patient"] = np.frombuffer(self._patients, np.uint64)
        rows["times"] = np.array(self._times, np.uint32)
        path = Path(self._room.name) / f"run-{len(self._runs)}"
        rows = _united(rows)
        rows.tofile(path)
        self._runs.append(path)
        limits = np.arange(1, _RANGES, dtype=np.uint64) * np.uint64((1 << 64) // _RANGES)
        self._indexes.append(np.concatenate([[0], np.searchsorted(rows["key"], limits), [len(rows)]]))
        self._keys, self._patients, self._times = array("Q"), array("Q"), array("L")

    def _merged(self) -> Iterator[np.ndarray]:
        """Yield all rows, united, in ranges of keys: hashes are spread evenly, so ranges of equal width are of nearly
        equal size.
        """
        total = sum(int(index[-1]) for index in self._indexes)
        if not total:
            return
        parts = min(_RANGES, 1 << (2 * total // self._rows).bit_length())
        cuts = [index[:: _RANGES // parts].tolist() for index in self._indexes]
        for part in range(parts):
            # Read and not mapped: pages of a map stay counted as this process's memory.
            rows = np.concatenate(
                [
                    np.fromfile(path, _ROW, places[part + 1] - places[part], offset=places[part] * _ROW.itemsize)
                    for path, places in zip(self._runs, cuts, strict=True)
                ]
            )
            if len(rows):
                yield _united(rows)


def _united(rows: np.ndarray) -> np.ndarray:
    """Sorted by key and patient, one row a pair, its times added up."""
    rows = rows[np.lexsort((rows["patient"], rows["key"]))]
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (rows["key"][1:] != rows["key"][:-1]) | (rows["patient"][1:] != rows["patient"][:-1])
    first = np.flatnonzero(is_new)
    united = rows[first]
    united["times"] = np.minimum(np.add.reduceat(rows["times"].astype(np.uint64), first), 0xFFFFFFFF)
    return united


def _best(rows: NDArray[np.uint64], most: int) -> NDArray[np.uint64]:
    order = np.lexsort((rows[:, 0], ~rows[:, 2], ~rows[:, 1]))
    return rows[order[:most]]
