"""Words as evaluation and agreement count them, and the entity of each."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from deid_tasks.core.span import Span
from deid_tasks.engine.text.tokens import Token

_WORD = re.compile(r"[^\W_]+")


def split_words(text: str) -> list[Token]:
    """Return the runs of letters and digits of ``text``; punctuation is not counted."""
    return [Token(*match.span()) for match in _WORD.finditer(text)]


def mark_words(words: Sequence[tuple[int, int]], spans: Iterable[Span]) -> dict[int, str]:
    """Return the entity of each word that a span touches, by the word's index.

    A word has the entity of the first span, by start, that shares a character with it.

    Args:
        words: ``(start, end)`` of each word, sorted and disjoint.
        spans: spans of the same text; they may overlap, and may cover a part of a word.
    """
    marked: dict[int, str] = {}
    for span in sorted(spans):
        index = bisect_right(words, span.start, key=_end)
        while index < len(words) and words[index][0] < span.end:
            marked.setdefault(index, str(span.entity))
            index += 1
    return marked


def label_words(words: Sequence[tuple[int, int]], spans: Iterable[Span]) -> list[str]:
    """Return the entity of every word as ``mark_words`` finds it, or an empty string."""
    labels = [""] * len(words)
    for index, entity in mark_words(words, spans).items():
        labels[index] = entity
    return labels


def _end(word: tuple[int, int]) -> int:
    return word[1]
