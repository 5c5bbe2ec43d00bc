"""The input of one forward pass of a token-classification model, and the protocol of what runs it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Window:
    """The tokens that a model reads in one forward pass, special tokens included. ``L`` tokens.

    A token is a word piece, or a word group for a model that reads word groups.
    """

    ids: NDArray[np.int64] = field(repr=False)
    """``[L]`` for word pieces, ``[L, SLOTS]`` for word groups."""
    cases: NDArray[np.int64] = field(repr=False)
    """``[L]``: case class of each token's word, see ``text.shapes.CASES``."""
    gaps: NDArray[np.int64] = field(repr=False)
    """``[L]``: gap class of each token's word, see ``text.shapes.GAPS``."""
    rules: NDArray[np.float32] | None = field(default=None, repr=False)
    """``[L, F]``: rule features of each token's word, for a model that was trained with them."""


class WindowRunner(Protocol):
    """Computes logits with onnxruntime or torch."""

    def logits(self, windows: Sequence[Window]) -> list[NDArray[np.float32]]:
        """Return ``[L, labels]`` of each window, in the order given."""
        ...
