"""Gold and predicted spans, laid on the words of one note."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from deid_tasks.span import Span
from deid_tasks.text import tokenize


class LabelledWord(NamedTuple):
    """One word and what gold and prediction say of it; an empty string says that it identifies no one."""

    gold: str
    predicted: str


def label_words(text: str, gold: Sequence[Span], predicted: Sequence[Span]) -> Iterable[LabelledWord]:
    """The words of ``text``, each with its gold and its predicted entity.

    Words are runs of letters and digits; punctuation is no word and counts nowhere. A word is labelled by the first span that
    shares a character with it, so a span that covers a part of a word covers the word.
    """
    words = [token for token in tokenize(text) if text[token.start].isalnum()]
    gold_labels = _labels(words, gold)
    predicted_labels = _labels(words, predicted)
    return (LabelledWord(*pair) for pair in zip(gold_labels, predicted_labels, strict=True))


def _labels(words: Sequence[tuple[int, int]], spans: Sequence[Span]) -> list[str]:
    ordered = sorted(spans)
    labels = []
    first = 0
    for start, end in words:
        while first < len(ordered) and ordered[first].end <= start:
            first += 1
        label = ""
        for span in ordered[first:]:
            if span.start >= end:
                break
            if span.end > start:
                label = str(span.entity)
                break
        labels.append(label)
    return labels
