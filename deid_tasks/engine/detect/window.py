"""The input of a token-classification model: windows of tokens, how they are batched, and the protocol of what runs
them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deid_tasks.engine.text.ranges import Indices, joined_ranges


@dataclass(frozen=True, slots=True)
class Windows:
    """The tokens that a model reads, special tokens included, one window after the other; each window is read by one
    forward pass. ``L`` tokens, ``N`` windows.

    A token is a word piece, or a word group for a model that reads word groups.
    """

    ids: NDArray[np.int64] = field(repr=False)
    """``[L]`` for word pieces, ``[L, SLOTS]`` for word groups."""
    cases: NDArray[np.int64] = field(repr=False)
    """``[L]``: case class of each token's word, see ``text.shapes.CASES``."""
    gaps: NDArray[np.int64] = field(repr=False)
    """``[L]``: gap class of each token's word, see ``text.shapes.GAPS``."""
    bounds: Indices = field(repr=False)
    """``[N + 1]``: index of each window's first token, and ``L``."""
    rules: NDArray[np.float32] | None = field(default=None, repr=False)
    """``[L, F]``: rule features of each token's word, for a model that was trained with them."""

    def __len__(self) -> int:
        """Return how many windows there are."""
        return len(self.bounds) - 1

    @property
    def lengths(self) -> Indices:
        """``[N]``: tokens of each window."""
        return np.diff(self.bounds)


class WindowBatch:
    """Some windows, padded to one length: where their tokens are in ``Windows``, and where in the padded arrays.
    ``B`` windows."""

    def __init__(self, windows: Windows, chosen: Sequence[int] | Indices, length: int) -> None:
        """Prepare the windows ``chosen``, none of which has more than ``length`` tokens."""
        index = np.asarray(chosen, np.int64)
        first, last = windows.bounds[index], windows.bounds[index + 1]
        rows = np.arange(len(index)) * length
        self.shape = (len(index), length)
        self._tokens = joined_ranges(first, last)
        self._positions = joined_ranges(rows, rows + (last - first))

    def padded(self, values: NDArray[Any] | int, into: NDArray[Any]) -> NDArray[Any]:
        """Write ``values`` (``[L, …]``, or one for every token) into an array of ``[B, length, …]``, and return it."""
        flat = into.reshape(-1, *into.shape[2:])
        flat[self._positions] = values if isinstance(values, int) else values[self._tokens]
        return into

    def unpadded(self, values: NDArray[np.float32], into: NDArray[np.float32]) -> None:
        """Write an answer of ``[B, length, labels]`` into an array of ``[L, labels]``."""
        into[self._tokens] = values.reshape(-1, values.shape[2])[self._positions]


class WindowRunner(Protocol):
    """Computes logits with onnxruntime or torch."""

    def logits(self, windows: Windows) -> NDArray[np.float32]:
        """Return ``[L, labels]``: the logits of each token."""
        ...
