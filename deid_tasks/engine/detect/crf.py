"""A chain over the words of a window: what each label's chance is when neighbours' labels are weighed together."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.errors import ModelError

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LinearChainCrf:
    """A linear-chain conditional random field, as training writes it to ``config.json``."""

    transitions: Floats = field(repr=False)
    """``[from, to]``"""
    start: Floats = field(repr=False)
    end: Floats = field(repr=False)

    @classmethod
    def read(cls, content: Any, labels: int, place: str) -> "LinearChainCrf":
        """The chain that a configuration holds.

        Raises:
            ModelError: the scores are none, or not of that many labels; the text names ``place``.
        """
        try:
            parts = [np.array(content[name], np.float32) for name in ("transitions", "start", "end")]
        except (KeyError, TypeError, ValueError):
            raise ModelError(f"{place}: crf holds no transitions, start and end") from None
        if [part.shape for part in parts] != [(labels, labels), (labels,), (labels,)]:
            raise ModelError(f"{place}: crf is not of {labels} labels")
        return cls(*parts)

    def chances(self, scores: Floats) -> Floats:
        """``[W, labels]``: the chance of each label of each word, given all ``scores`` (``[W, labels]``)."""
        count = len(scores)
        forward, backward = np.empty_like(scores), np.empty_like(scores)
        forward[0] = self.start + scores[0]
        for word in range(1, count):
            forward[word] = _log_sum(forward[word - 1][:, None] + self.transitions) + scores[word]
        backward[-1] = self.end
        for word in range(count - 2, -1, -1):
            backward[word] = _log_sum((self.transitions + scores[word + 1] + backward[word + 1]).T)
        both = forward + backward
        powers = np.exp(both - both.max(axis=1, keepdims=True))
        chances: Floats = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
        return chances


def _log_sum(values: Floats) -> Floats:
    """Over the first axis."""
    highest = values.max(axis=0)
    summed: Floats = highest + np.log(np.exp(values - highest).sum(axis=0))
    return summed
