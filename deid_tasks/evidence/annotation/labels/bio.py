"""Labelled stretches of text from one BIO label for each word."""

from collections.abc import Sequence

OUTSIDE = "O"


def from_bio(words: Sequence[tuple[int, int]], labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return start, end and label of what BIO labels describe, from the start of the first word to the end of the last.

    An ``I-`` label that continues nothing begins a stretch, as taggers and the IOB1 files of CoNLL-2003 use it.

    Raises:
        ValueError: The two lists differ in length, or a label is neither ``O``, ``B-…`` nor ``I-…``.
    """
    found: list[tuple[int, int, str]] = []
    continues = False
    for (start, end), label in zip(words, labels, strict=True):
        prefix, _, name = label.partition("-")
        if label == OUTSIDE:
            continues = False
            continue
        if prefix not in {"B", "I"}:
            raise ValueError("a label is neither O, B-… nor I-…")
        if prefix == "I" and continues and found[-1][2] == name:
            found[-1] = found[-1][0], end, name
        else:
            found.append((start, end, name))
        continues = True
    return found
