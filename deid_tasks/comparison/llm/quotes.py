"""Offsets of what a model quotes from a note.

As in the published protocol (Murugadoss et al. 2024, Methods), a quote is searched without regard to case and each of
its occurrences is a span, because a model names a term once. A quote that is not there exactly is aligned with the most
similar text (rapidfuzz); one that is not even similar counts as unaligned, which is what invented quotes become.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz

from deid_tasks.comparison.protocol import SystemSpan

_MIN_FUZZY_CHARACTERS = 4
"""A shorter quote is similar to too much."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class QuoteAlignment:
    """The spans of some quotes, sorted and disjoint, and what became of the quotes."""

    spans: tuple[SystemSpan, ...]
    similar: int
    """Quotes that are not in the text exactly and were aligned with similar text."""
    unaligned: int
    """Quotes without a place in the text."""


def align_quotes(text: str, quotes: Iterable[tuple[str, str]], min_similarity: float) -> QuoteAlignment:
    """Return the spans of ``(label, quote)`` pairs in ``text``; of spans that overlap, the first and longest labels.

    Args:
        text: The text that the model was given.
        quotes: Labels with quotes.
        min_similarity: Of 100, for a quote that is not there exactly.
    """
    found: list[SystemSpan] = []
    similar = unaligned = 0
    for label, quote in dict.fromkeys(quotes):
        bounds = list(_occurrences(text, quote))
        if not bounds and (near := _most_similar(text, quote, min_similarity)):
            bounds = [near]
            similar += 1
        unaligned += not bounds
        found += [SystemSpan(start, end, label) for start, end in bounds]
    return QuoteAlignment(disjoint(found), similar, unaligned)


def disjoint(spans: Iterable[SystemSpan]) -> tuple[SystemSpan, ...]:
    """Return the union of spans: where some overlap, one span with the label of the first and longest."""
    joined: list[SystemSpan] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end, one.label)):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = SystemSpan(last.start, max(last.end, span.end), last.label, last.score)
        else:
            joined.append(span)
    return tuple(joined)


def _occurrences(text: str, quote: str) -> Iterator[tuple[int, int]]:
    """Yield each occurrence as words of their own; as parts of words only if there is no other."""
    words = quote.split()
    if not _WORD.search(quote):
        return
    pattern = r"\s+".join(map(re.escape, words))
    before = r"(?<!\w)" if words[0][0].isalnum() else ""
    after = r"(?!\w)" if words[-1][-1].isalnum() else ""
    matches = list(re.finditer(before + pattern + after, text, re.IGNORECASE))
    if not matches and len(quote) >= _MIN_FUZZY_CHARACTERS:
        matches = list(re.finditer(pattern, text, re.IGNORECASE))
    yield from (match.span() for match in matches)


def _most_similar(text: str, quote: str, min_similarity: float) -> tuple[int, int] | None:
    """Return the bounds of the words most similar to a quote; ``None`` if none are similar enough."""
    if len(quote.strip()) < _MIN_FUZZY_CHARACTERS or not _WORD.search(quote) or len(quote) > len(text):
        return None
    found = fuzz.partial_ratio_alignment(quote, text, score_cutoff=min_similarity)
    if found is None:
        return None
    words = [
        word.span() for word in _WORD.finditer(text) if word.start() < found.dest_end and word.end() > found.dest_start
    ]
    return (words[0][0], words[-1][1]) if words else None
