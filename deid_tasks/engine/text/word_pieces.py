"""Texts as word pieces, each tied to its word, and each word to its offsets in the text.

Tokenizers of BERT's kind cut every stretch between blanks by itself. Each distinct one of a call is cut once: sentences
have most of theirs in common, and a tokenizer takes several times as long as all else here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.text.ranges import Indices, bounds_of, joined_ranges
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


_BLANKS = str.maketrans("\t\r\n", "   ")
_LOCAL_PRE_TOKENIZERS = frozenset({"BertPreTokenizer", "Digits", "Punctuation", "Whitespace", "WhitespaceSplit"})
"""Those that cut what stands between two blanks alike, whatever stands around it."""


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
        self._reads_stretches_alone = _reads_stretches_alone(json.loads(self._tokenizer.to_str()))
        self.vocabulary: int = self._tokenizer.get_vocab_size(with_added_tokens=True)
        """How many ids there are."""

    def encode(self, texts: Sequence[str]) -> WordPieces:
        """Return the word pieces of the texts, in the order given."""
        words = shape_words(texts)
        stretches = list(texts)
        if self._reads_stretches_alone:
            stretches = "\n".join(texts).translate(_BLANKS).split(" ")
        numbers = {stretch: number for number, stretch in enumerate(dict.fromkeys(stretches))}
        ids, starts, bounds = self._encode_each(list(numbers))
        number = np.fromiter(map(numbers.__getitem__, stretches), np.int64, len(stretches))
        pieces = joined_ranges(bounds[number], bounds[number + 1])
        # Offsets in the joined texts, one character between two, so that one search finds the words of all pieces.
        piece_starts = starts[pieces] + np.repeat(_starts_of(stretches)[:-1], (bounds[1:] - bounds[:-1])[number])
        text_starts = _starts_of(texts)
        ends = words.ends + np.repeat(text_starts[:-1], np.diff(words.bounds))
        # The first word that ends after the piece starts. This is right for tokenizers whose pieces include the space
        # before, too.
        word_of_piece = np.searchsorted(ends, piece_starts, side="right")
        text_of_piece = np.searchsorted(text_starts, piece_starts, side="right") - 1
        is_in_word = word_of_piece < words.bounds[text_of_piece + 1]
        piece_bounds = bounds_of(np.bincount(text_of_piece[is_in_word], minlength=len(texts)))
        return WordPieces(ids[pieces][is_in_word], word_of_piece[is_in_word], piece_bounds, words)

    def _encode_each(self, stretches: list[str]) -> tuple[NDArray[np.int64], Indices, Indices]:
        """Return the pieces of stretches, one stretch after the other: their ids, their starts in their stretch, and
        the index of each stretch's first piece, and the end."""
        # One text takes a tokenizer less time than many.
        read = [" ".join(stretches)] if self._reads_stretches_alone else stretches
        encodings = self._tokenizer.encode_batch(read, add_special_tokens=False)
        counts = [len(encoding) for encoding in encodings]
        ids = np.fromiter(chain.from_iterable(encoding.ids for encoding in encodings), np.int64, sum(counts))
        offsets = chain.from_iterable(chain.from_iterable(encoding.offsets for encoding in encodings))
        spans = np.fromiter(offsets, np.int64, 2 * sum(counts)).reshape(-1, 2)
        spans += np.repeat(_starts_of(read)[:-1], counts)[:, None]
        starts = _starts_of(stretches)
        # By the end: a mask token includes the blank before it.
        stretch = np.searchsorted(starts, spans[:, 1], side="left") - 1
        inside = np.maximum(spans[:, 0] - starts[stretch], 0)
        return ids, inside, bounds_of(np.bincount(stretch, minlength=len(stretches)))


def _starts_of(texts: Sequence[str]) -> Indices:
    """Return ``[T + 1]``: the offset of each text where they are joined by one character, and of one more."""
    return bounds_of([len(text) + 1 for text in texts])


def _reads_stretches_alone(tokenizer: dict[str, Any]) -> bool:
    """Return whether a tokenizer cuts what stands between two blanks alike, whatever stands around it."""
    normalizer, first = tokenizer["normalizer"], tokenizer["pre_tokenizer"]
    if normalizer is None or normalizer["type"] != "BertNormalizer" or first is None:
        return False
    parts = first["pretokenizers"] if first["type"] == "Sequence" else [first]
    splits_at_blanks = bool(parts) and parts[0]["type"] == "BertPreTokenizer"
    has_plain_tokens = all(
        not token["rstrip"] and not set(token["content"]) & set(" \t\r\n") for token in tokenizer["added_tokens"]
    )
    return splits_at_blanks and has_plain_tokens and {part["type"] for part in parts} <= _LOCAL_PRE_TOKENIZERS


def _open(path: Path) -> Tokenizer:
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises ``Exception`` itself
        raise ModelError(f"{path} cannot be read as a tokenizer ({type(error).__name__})") from None
