"""Spans as one label a word, and back: the BIO scheme, and words that bear two labels."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

OUTSIDE = "O"


def split_words(words: Sequence[tuple[int, int]], spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Words cut where two spans meet inside one of them.

    ``Home/Bangdung`` with a hospital and a city in it becomes ``Home``, ``/`` and ``Bangdung``, as in Lin 2020, chapter 4.1.2. A word that
    only one span touches stays whole, also where the span covers a part of it. Words and spans are sorted and disjoint.
    """
    marked = sorted(spans)
    pieces: list[tuple[int, int]] = []
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
        pieces += pairwise(bounds)
    return pieces


def to_bio(words: Sequence[tuple[int, int]], spans: Iterable[Span]) -> list[str]:
    """``B-PATIENT``, ``I-PATIENT``, ``O`` for each word; a word that a span touches is labelled. Sorted and disjoint on both sides."""
    marked = sorted(spans)
    labels = []
    first, begun = 0, -1
    for start, end in words:
        while first < len(marked) and marked[first].end <= start:
            first += 1
        if first == len(marked) or marked[first].start >= end:
            labels.append(OUTSIDE)
            continue
        labels.append(f"{'I' if begun == first else 'B'}-{marked[first].entity}")
        begun = first
    return labels


def from_bio(words: Sequence[tuple[int, int]], labels: Sequence[str]) -> list[Span]:
    """The spans that labels stand for, from the first word's start to the last word's end.

    An ``I-`` that continues nothing begins a span, as taggers and the IOB1 files of CoNLL-2003 mean it. Raises ``ValueError`` where
    the two lists differ in length or a label names no entity.
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
