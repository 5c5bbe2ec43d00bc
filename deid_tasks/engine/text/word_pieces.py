"""Texts as word pieces, each tied to its word, and each word to its offsets in the text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.text.shapes import shape_words


@dataclass(frozen=True, slots=True)
class WordPieces:
    """The word pieces of one text, special tokens left out. ``P`` pieces, ``W`` words."""

    ids: NDArray[np.int64] = field(repr=False)
    """``[P]``: ids of the tokenizer's vocabulary."""
    words: NDArray[np.int32] = field(repr=False)
    """``[P]``: index of the word that each piece lies in; not falling."""
    starts: NDArray[np.int32] = field(repr=False)
    """``[W]``: start of each word, in code points."""
    ends: NDArray[np.int32] = field(repr=False)
    """``[W]``: end of each word, in code points, exclusive."""
    cases: NDArray[np.uint8] = field(repr=False)
    """``[W]``: case class, see ``shapes.CASES``."""
    gaps: NDArray[np.uint8] = field(repr=False)
    """``[W]``: gap class, see ``shapes.GAPS``."""


class WordPieceTokenizer:
    """Cuts texts into the word pieces of one ``tokenizer.json``, without truncation or padding.

    Raises:
        ModelError: the file is not a tokenizer.
    """

    def __init__(self, path: Path) -> None:
        self._tokenizer = _open(path)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        framed = self._tokenizer.encode("a")
        inner = [i for i, special in enumerate(framed.special_tokens_mask) if not special]
        self.prefix: tuple[int, ...] = tuple(framed.ids[: inner[0]])
        """Ids of the special tokens before a text."""
        self.suffix: tuple[int, ...] = tuple(framed.ids[inner[-1] + 1 :])
        """Ids of the special tokens after a text."""
        self.vocabulary: int = self._tokenizer.get_vocab_size(with_added_tokens=True)
        """How many ids there are."""

    def encode(self, texts: Sequence[str]) -> list[WordPieces]:
        """Return the word pieces of each text, in the order given."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [
            _word_pieces(text, encoding.ids, encoding.offsets) for text, encoding in zip(texts, encodings, strict=True)
        ]


def _open(path: Path) -> Tokenizer:
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises ``Exception`` itself
        raise ModelError(f"{path} cannot be read as a tokenizer ({type(error).__name__})") from None


def _word_pieces(text: str, ids: list[int], offsets: list[tuple[int, int]]) -> WordPieces:
    starts, ends, cases, gaps = shape_words(text)
    bounds = np.array(offsets, np.int32).reshape(-1, 2)
    # The first word that ends after the piece starts. This is right for tokenizers whose pieces include the space
    # before, too.
    words = np.searchsorted(ends, bounds[:, 0], side="right").astype(np.int32)
    is_in_word = words < len(ends)
    return WordPieces(np.array(ids, np.int64)[is_in_word], words[is_in_word], starts, ends, cases, gaps)
