"""Spans from one BIO label for each word."""

from collections.abc import Sequence

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

OUTSIDE = "O"


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
