"""Samples as arrays: what the model reads, and what it should say of each piece."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from deid_tasks.engine.detect.rule_features import RuleFeatures
from deid_tasks.engine.text.shapes import ShapedWords
from deid_tasks.engine.text.title_case import title_capitals
from deid_tasks.engine.text.word_groups import WordGroups, group_words
from deid_tasks.engine.text.word_pieces import WordPieces, WordPieceTokenizer
from deid_tasks.learning.train.sample import Mark, Sample
from deid_tasks.learning.train.targets import ANY, BEGIN, OUTSIDE, TARGET_ID


@dataclass(frozen=True, slots=True)
class Encoded:
    """One window with its special tokens; every array is ``[L]`` but for ``rules`` and the ids of units, ``[L,
    SLOTS]``.
    """

    ids: NDArray[np.int64]
    cases: NDArray[np.int64]
    gaps: NDArray[np.int64]
    targets: NDArray[np.int64]
    """Rows of ``targets.allowed_table``."""
    words: NDArray[np.int32]
    """The word of each piece, -1 for special tokens."""
    rules: NDArray[np.float32] | None = None
    """``[L, F]``: what the rules say of the word of each piece."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """How samples become windows."""

    window: int = 128
    """Word pieces, special tokens included."""
    overlap: int = 0
    """Word pieces that a window has in common with the one before it."""
    subwords: str = "any"
    """``first``: all but the first piece of a word cost nothing."""
    is_titled: bool = False
    """Read words in capitals as words in Title case."""
    has_units: bool = False
    """Read units, not pieces, and no special tokens; lengths are counted in units."""
    padding: int = 0
    """The id of an empty slot."""


def encode_samples(
    encoder: WordPieceTokenizer, samples: Sequence[Sample], cutting: Cutting, rules: RuleFeatures | None = None
) -> Iterator[Encoded]:
    """Yield windows of at most ``cutting.window`` pieces; a longer sample gives several."""
    texts = [title_capitals(sample.text) if cutting.is_titled else sample.text for sample in samples]
    encoded = encoder.encode(texts)
    if cutting.has_units:
        units = group_words(encoded, cutting.padding)
        for index, (sample, text) in enumerate(zip(samples, texts, strict=True)):
            hits = rules.of(text) if rules else None
            yield from _unit_windows(sample, encoded.one(index), units.one(index), cutting, hits)
        return
    room = cutting.window - len(encoder.prefix) - len(encoder.suffix)
    for index, (sample, text) in enumerate(zip(samples, texts, strict=True)):
        pieces = encoded.one(index)
        targets = word_targets(sample, pieces.words)[pieces.word_of_piece]
        if cutting.subwords == "first":
            targets[1:][np.diff(pieces.word_of_piece) == 0] = TARGET_ID[ANY]
        hits = rules.of(text)[pieces.word_of_piece] if rules else None
        for first in range(0, max(len(pieces.ids) - cutting.overlap, 1), room - cutting.overlap):
            part = slice(first, first + room)
            words = pieces.word_of_piece[part]
            yield Encoded(
                _framed(encoder, pieces.ids[part]),
                _framed_features(encoder, pieces.words.cases[words]),
                _framed_features(encoder, pieces.words.gaps[words]),
                _framed_features(encoder, targets[part], TARGET_ID[ANY]),
                _framed_features(encoder, words, -1).astype(np.int32),
                None if hits is None else np.pad(hits[part], ((len(encoder.prefix), len(encoder.suffix)), (0, 0))),
            )


def _unit_windows(
    sample: Sample, pieces: WordPieces, units: WordGroups, cutting: Cutting, hits: NDArray[np.float32] | None
) -> Iterator[Encoded]:
    count = len(units.main_words)
    of_words = np.where(units.is_attached, 0, word_targets(sample, pieces.words))
    # A number of several parts is what any of its parts is.
    opens = np.flatnonzero(np.diff(units.group_of_word, prepend=-1))
    targets = np.maximum.reduceat(of_words, opens) if count else of_words
    for first in range(0, max(count - cutting.overlap, 1), cutting.window - cutting.overlap):
        part = slice(first, first + cutting.window)
        words = units.main_words[part]
        yield Encoded(
            units.ids[part],
            pieces.words.cases[words].astype(np.int64),
            pieces.words.gaps[words].astype(np.int64),
            targets[part],
            np.arange(first, first + len(words), dtype=np.int32),
            None if hits is None else hits[words],
        )


def word_targets(sample: Sample, words: ShapedWords) -> NDArray[np.int64]:
    """``[W]``: rows of ``targets.allowed_table``; a word that a mark touches anywhere has that mark's target."""
    targets = np.full(len(words.starts), TARGET_ID[OUTSIDE], np.int64)
    for mark in sample.marks:
        first = int(np.searchsorted(words.ends, mark.start, side="right"))
        last = int(np.searchsorted(words.starts, mark.end, side="left"))
        targets[first:last] = TARGET_ID[mark.target]
        if first < last and mark.target != ANY:
            targets[first] += BEGIN
    return targets


def packed_samples(samples: Sequence[Sample], characters: int) -> list[Sample]:
    """Return samples of one source, in order, put together line by line to texts of about ``characters``: notes, or
    nearly.
    """
    packs: list[list[Sample]] = []
    sizes: list[int] = []
    for before, sample in pairwise([None, *samples]):
        assert sample is not None
        if before is None or before.source != sample.source or sizes[-1] + len(sample.text) > characters:
            packs.append([])
            sizes.append(0)
        packs[-1].append(sample)
        sizes[-1] += len(sample.text) + 1
    return [_joined(pack) for pack in packs]


def _joined(pack: Sequence[Sample]) -> Sample:
    marks, at = list[Mark](), 0
    for sample in pack:
        marks += (Mark(mark.start + at, mark.end + at, mark.target) for mark in sample.marks)
        at += len(sample.text) + 1
    return Sample("\n".join(sample.text for sample in pack), tuple(marks), pack[0].source, pack[0].group)


def _framed(encoder: WordPieceTokenizer, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.array(encoder.prefix, np.int64), ids, np.array(encoder.suffix, np.int64)])


def _framed_features(encoder: WordPieceTokenizer, values: NDArray[np.generic], special: int = 0) -> NDArray[np.int64]:
    padding = (len(encoder.prefix), len(encoder.suffix))
    return np.pad(values.astype(np.int64), padding, constant_values=special)
