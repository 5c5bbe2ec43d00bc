"""Conversion between spans and one BIO label for each word."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

OUTSIDE = "O"


def split_words(words: Sequence[tuple[int, int]], spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Split each word that more than one span touches at the bounds of these spans.

    ``Home/Bangdung`` with a hospital and a city in it becomes ``Home``, ``/`` and ``Bangdung``, as in Lin 2020, chapter
    4.1.2. A word that only one span touches stays whole, even if the span covers only a part of it.

    Args:
        words: Start and end of each word, sorted and disjoint.
        spans: Sorted and disjoint.
    """
    marked = sorted(spans)
    parts: list[tuple[int, int]] = []
    first = 0
    for start, end in words:
        while first < len(marked) and marked[first].end <= start:
            first += 1
        last = first
        while last < len(marked) and marked[last].start < end:
            last += 1
        cuts = {start, end}
        if last - first > 1:
            for span in marked[first:last]:
                cuts.update((max(start, span.start), min(end, span.end)))
        bounds = sorted(cuts)
        parts += pairwise(bounds)
    return parts


def to_bio(words: Sequence[tuple[int, int]], spans: Iterable[Span]) -> list[str]:
    """Return the BIO label of each word (``B-PATIENT``, ``I-PATIENT``, ``O``); a word that a span touches has a label.

    Args:
        words: Start and end of each word, sorted and disjoint.
        spans: Sorted and disjoint.
    """
    marked = sorted(spans)
    labels = []
    first, current = 0, -1
    for start, end in words:
        while first < len(marked) and marked[first].end <= start:
            first += 1
        if first == len(marked) or marked[first].start >= end:
            labels.append(OUTSIDE)
            continue
        labels.append(f"{'I' if current == first else 'B'}-{marked[first].entity}")
        current = first
    return labels


def from_bio(words: Sequence[tuple[int, int]], labels: Sequence[str]) -> list[Span]:
    """Return the spans that BIO labels describe, from the start of the first word to the end of the last.

    An ``I-`` label that continues no span begins one, as taggers and the IOB1 files of CoNLL-2003 use it.

    Raises:
        ValueError: The two lists differ in length, or a label names no entity.
    """
    spans: list[Span] = []
    continues = False
    for (start, end), label in zip(words, labels, strict=True):
        prefix, _, name = label.partition("-")
        if label == OUTSIDE:
            continues = False
            continue
        if prefix not in {"B", "I"}:
            raise ValueError("a label is neither O, B-… nor I-…")
        entity = Entity(name)
        if prefix == "I" and continues and spans[-1].entity == entity:
            spans[-1] = Span(spans[-1].start, end, entity)
        else:
            spans.append(Span(start, end, entity))
        continues = True
    return spans
