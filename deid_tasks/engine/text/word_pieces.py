"""Sentences as word pieces, each piece tied to its word and each word to its place in the text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deid_tasks.engine.text.shapes import shape_words


@dataclass(frozen=True, slots=True)
class WordPieces:
    """One text. ``P`` pieces, ``W`` words; special tokens are not among the pieces."""

    ids: NDArray[np.int64] = field(repr=False)
    """``[P]``"""
    words: NDArray[np.int32] = field(repr=False)
    """``[P]``: the word each piece lies in, never falling."""
    starts: NDArray[np.int32] = field(repr=False)
    """``[W]``: code points."""
    ends: NDArray[np.int32] = field(repr=False)
    """``[W]``: code points, exclusive."""
    cases: NDArray[np.uint8] = field(repr=False)
    """``[W]``, see ``shapes.CASES``."""
    gaps: NDArray[np.uint8] = field(repr=False)
    """``[W]``, see ``shapes.GAPS``."""


class WordPieceTokenizer:
    """Cuts texts into the pieces of one ``tokenizer.json``; never truncates, never pads."""

    def __init__(self, path: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        framed = self._tokenizer.encode("a")
        inner = [i for i, special in enumerate(framed.special_tokens_mask) if not special]
        self.prefix: tuple[int, ...] = tuple(framed.ids[: inner[0]])
        """Special tokens that stand before the pieces of a text."""
        self.suffix: tuple[int, ...] = tuple(framed.ids[inner[-1] + 1 :])
        """Special tokens that stand after them."""
        self.vocabulary: int = self._tokenizer.get_vocab_size(with_added_tokens=True)

    def encode(self, texts: Sequence[str]) -> list[WordPieces]:
        """The pieces of each text, in order."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [_pieces(text, encoding.ids, encoding.offsets) for text, encoding in zip(texts, encodings, strict=True)]


def _pieces(text: str, ids: list[int], offsets: list[tuple[int, int]]) -> WordPieces:
    starts, ends, cases, gaps = shape_words(text)
    places = np.array(offsets, np.int32).reshape(-1, 2)
    # The first word that ends after the piece begins: right also for tokenizers whose pieces take in the space before.
    words = np.searchsorted(ends, places[:, 0], side="right").astype(np.int32)
    kept = words < len(ends)
    return WordPieces(np.array(ids, np.int64)[kept], words[kept], starts, ends, cases, gaps)
