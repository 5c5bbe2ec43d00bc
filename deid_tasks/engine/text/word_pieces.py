"""Texts as word pieces, each tied to its word, and each word to its offsets in the text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.text.ranges import Indices, bounds_of
from deid_tasks.engine.text.shapes import ShapedWords, shape_words


@dataclass(frozen=True, slots=True)
class WordPieces:
    """The word pieces of texts, one text after the other, special tokens left out. ``P`` pieces, ``T`` texts."""

    ids: NDArray[np.int64] = field(repr=False)
    """``[P]``: ids of the tokenizer's vocabulary."""
    word_of_piece: Indices = field(repr=False)
    """``[P]``: index, in ``words``, of the word that each piece lies in; not falling."""
    bounds: Indices = field(repr=False)
    """``[T + 1]``: index of each text's first piece, and ``P``."""
    words: ShapedWords
    """The words of the texts."""

    def one(self, text: int) -> "WordPieces":
        """Return the word pieces of one text, given by its index."""
        part = slice(self.bounds[text], self.bounds[text + 1])
        words = self.words.take(np.array([text]))
        word_of_piece = self.word_of_piece[part] - self.words.bounds[text]
        return WordPieces(self.ids[part], word_of_piece, self.bounds[text : text + 2] - self.bounds[text], words)


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

    def encode(self, texts: Sequence[str]) -> WordPieces:
        """Return the word pieces of the texts, in the order given."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        counts = [len(encoding) for encoding in encodings]
        ids = np.fromiter(chain.from_iterable(encoding.ids for encoding in encodings), np.int64, sum(counts))
        starts = np.fromiter((start for one in encodings for start, _ in one.offsets), np.int64, sum(counts))
        words = shape_words(texts)
        text_of_piece = np.repeat(np.arange(len(texts)), counts)
        # Offsets in the joined texts, with room between them, so that one search finds the words of all pieces.
        text_starts = bounds_of([len(text) + 1 for text in texts])[:-1]
        ends = words.ends + np.repeat(text_starts, np.diff(words.bounds))
        # The first word that ends after the piece starts. This is right for tokenizers whose pieces include the space
        # before, too.
        word_of_piece = np.searchsorted(ends, starts + text_starts[text_of_piece], side="right")
        is_in_word = word_of_piece < words.bounds[text_of_piece + 1]
        bounds = bounds_of(np.bincount(text_of_piece[is_in_word], minlength=len(texts)))
        return WordPieces(ids[is_in_word], word_of_piece[is_in_word], bounds, words)


def _open(path: Path) -> Tokenizer:
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises ``Exception`` itself
        raise ModelError(f"{path} cannot be read as a tokenizer ({type(error).__name__})") from None
