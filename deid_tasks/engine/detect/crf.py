"""A linear-chain conditional random field over the words of a window: label probabilities given the neighbours'
labels.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.errors import ModelError

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LinearChainCrf:
    """The scores of a linear-chain CRF, as training writes them to ``config.json``."""

    transitions: Floats = field(repr=False)
    """``[labels, labels]``: score of going from one label (row) to the next (column)."""
    start: Floats = field(repr=False)
    """``[labels]``: score of each label for the first word."""
    end: Floats = field(repr=False)
    """``[labels]``: score of each label for the last word."""

    @classmethod
    def read(cls, content: Any, labels: int, path: str) -> "LinearChainCrf":
        """Return the CRF of a configuration.

        Args:
            content: the section ``crf`` of ``config.json``.
            labels: how many labels the model has.
            path: the configuration file, named in errors.

        Raises:
            ModelError: the section lacks scores, or their shapes do not fit ``labels``.
        """
        try:
            parts = [np.array(content[name], np.float32) for name in ("transitions", "start", "end")]
        except (KeyError, TypeError, ValueError):
            raise ModelError(f"{path}: crf has no transitions, start and end") from None
        if [part.shape for part in parts] != [(labels, labels), (labels,), (labels,)]:
            raise ModelError(f"{path}: crf does not fit {labels} labels")
        return cls(*parts)

    def probabilities(self, scores: Floats) -> Floats:
        """Return the marginal probability of each label of each word, by the forward-backward algorithm.

        Args:
            scores: ``[W, labels]``, the model's score of each label of each word.

        Returns:
            ``[W, labels]``; each row sums to 1.
        """
        count = len(scores)
        forward, backward = np.empty_like(scores), np.empty_like(scores)
        forward[0] = self.start + scores[0]
        for word in range(1, count):
            forward[word] = _log_sum_exp(forward[word - 1][:, None] + self.transitions) + scores[word]
        backward[-1] = self.end
        for word in range(count - 2, -1, -1):
            backward[word] = _log_sum_exp((self.transitions + scores[word + 1] + backward[word + 1]).T)
        both = forward + backward
        powers = np.exp(both - both.max(axis=1, keepdims=True))
        probabilities: Floats = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
        return probabilities


def _log_sum_exp(values: Floats) -> Floats:
    """Return the log-sum-exp over the first axis."""
    highest = values.max(axis=0)
    summed: Floats = highest + np.log(np.exp(values - highest).sum(axis=0))
    return summed
