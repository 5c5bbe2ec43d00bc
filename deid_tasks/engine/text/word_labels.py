"""Words as scores and agreement count them, and what spans say of each."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from deid_tasks.core.span import Span
from deid_tasks.engine.text.tokens import Token

_WORD = re.compile(r"[^\W_]+")


def split_words(text: str) -> list[Token]:
    """Runs of letters and digits; punctuation is no word and counts nowhere."""
    return [Token(*match.span()) for match in _WORD.finditer(text)]


def mark_words(words: Sequence[tuple[int, int]], spans: Iterable[Span]) -> dict[int, str]:
    """The entity of each word that a span touches, by its place in ``words``, which are sorted and disjoint.

    A word is labelled by the first span, in order of start, that shares a character with it: a span that covers a part of a word
    covers the word. Spans may overlap.
    """
    marked: dict[int, str] = {}
    for span in sorted(spans):
        place = bisect_right(words, span.start, key=_end)
        while place < len(words) and words[place][0] < span.end:
            marked.setdefault(place, str(span.entity))
            place += 1
    return marked


def label_words(words: Sequence[tuple[int, int]], spans: Iterable[Span]) -> list[str]:
    """The entity of every word, as ``mark_words`` finds it, or an empty string."""
    labels = [""] * len(words)
    for place, entity in mark_words(words, spans).items():
        labels[place] = entity
    return labels


def _end(word: tuple[int, int]) -> int:
    return word[1]
