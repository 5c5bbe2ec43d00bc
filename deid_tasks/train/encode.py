"""Samples as arrays: what the model reads, and what it should say of each piece."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_tasks.text.pieces import PieceEncoder, Pieces
from deid_tasks.train.labels import ANY, OUTSIDE, TARGET_ID
from deid_tasks.train.sample import Sample


@dataclass(frozen=True, slots=True)
class Encoded:
    """One window with its special tokens; every array is ``[L]``. ``targets`` index ``labels.TARGETS``."""

    ids: NDArray[np.int64]
    cases: NDArray[np.int64]
    gaps: NDArray[np.int64]
    targets: NDArray[np.int64]
    words: NDArray[np.int32]
    """The word of each piece, -1 for special tokens."""


def encode_samples(encoder: PieceEncoder, samples: Sequence[Sample], window: int) -> Iterator[Encoded]:
    """Windows of at most ``window`` pieces; a longer sample gives several, side by side."""
    room = window - len(encoder.prefix) - len(encoder.suffix)
    for sample, pieces in zip(samples, encoder.encode([sample.text for sample in samples]), strict=True):
        targets = word_targets(sample, pieces)
        for first in range(0, max(len(pieces.ids), 1), room):
            part = slice(first, first + room)
            words = pieces.words[part]
            yield Encoded(
                _framed(encoder, pieces.ids[part]),
                _framed_features(encoder, pieces.cases[words]),
                _framed_features(encoder, pieces.gaps[words]),
                _framed_features(encoder, targets[words], TARGET_ID[ANY]),
                _framed_features(encoder, words, -1).astype(np.int32),
            )


def word_targets(sample: Sample, pieces: Pieces) -> NDArray[np.int64]:
    """``[W]``: the target of each word; a word that a mark touches anywhere has that mark's target."""
    targets = np.full(len(pieces.starts), TARGET_ID[OUTSIDE], np.int64)
    for mark in sample.marks:
        first = int(np.searchsorted(pieces.ends, mark.start, side="right"))
        last = int(np.searchsorted(pieces.starts, mark.end, side="left"))
        targets[first:last] = TARGET_ID[mark.target]
    return targets


def _framed(encoder: PieceEncoder, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.array(encoder.prefix, np.int64), ids, np.array(encoder.suffix, np.int64)])


def _framed_features(encoder: PieceEncoder, values: NDArray[np.generic], special: int = 0) -> NDArray[np.int64]:
    padding = (len(encoder.prefix), len(encoder.suffix))
    return np.pad(values.astype(np.int64), padding, constant_values=special)
