"""Texts side by side in one array: where each begins, and how parts of some of them are read.

The words of many sentences are computed together, one text after the other, with the ``bounds`` of each text. Numpy
takes about a microsecond for each call, however short the array: for each sentence by itself that would be most of the
time.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Indices = NDArray[np.int64]


def bounds_of(counts: ArrayLike) -> Indices:
    """Return ``[T + 1]``: the position of each text's first element, and the end of the last, from their ``[T]``
    counts."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def joined_ranges(starts: Indices, ends: Indices) -> Indices:
    """Return the integers of each range from ``starts[i]`` to ``ends[i]``, exclusive, one range after the other."""
    lengths = ends - starts
    bounds = bounds_of(lengths)
    return np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])
