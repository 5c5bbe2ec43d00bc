"""The sentence that is asked about: the span marked, and everything else that was found masked."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from deid_tasks.core.span import Span


class NoteMask:
    """Makes the questions of one note."""

    def __init__(
        self, text: str, sentences: Sequence[tuple[int, int]], found: Sequence[Span], max_characters: int
    ) -> None:
        """Sort what was found.

        Args:
            text: The note.
            sentences: Bounds of its sentences, sorted and disjoint.
            found: All spans that were found in it, in any order.
            max_characters: A longer sentence is cut at both sides of the span, at word ends.
        """
        self._text, self._sentences, self._max_characters = text, sentences, max_characters
        self._sentence_starts = [first for first, _ in sentences]
        self._found = sorted(found, key=lambda one: (one.start, -one.end))
        self._starts = [span.start for span in self._found]
        self._longest = max(map(len, self._found), default=0)

    def question(self, asked: Span) -> str:
        """Return the sentence of a span, with the span as ``<<…>>`` and all else that was found as ``[CATEGORY]``.

        A sentence that the span reaches beyond is extended to its end. What overlaps the span is masked outside it.
        """
        start, end = self._bounds(asked)
        first, last = bisect_left(self._starts, start - self._longest), bisect_left(self._starts, end)
        near = [span for span in self._found[first:last] if span.end > start]
        before = self._masked(near, start, asked.start)
        after = self._masked(near, asked.end, end)
        return f"{before}<<{self._text[asked.start : asked.end]}>>{after}".strip()

    def _bounds(self, asked: Span) -> tuple[int, int]:
        first = bisect_right(self._sentence_starts, asked.start) - 1
        last = bisect_left(self._sentence_starts, asked.end) - 1
        start, end = asked.start, asked.end
        if first >= 0 and self._sentences[first][1] > asked.start:
            start = self._sentences[first][0]
        if last >= 0 and self._sentences[last][1] >= asked.end:
            end = self._sentences[last][1]
        if end - start > self._max_characters:
            spare = max(0, self._max_characters - len(asked)) // 2
            start = _word_start(self._text, max(start, asked.start - spare), asked.start)
            end = _word_end(self._text, asked.end, min(end, asked.end + spare))
        return start, end

    def _masked(self, near: Sequence[Span], start: int, end: int) -> str:
        """Return one stretch of the text with what was found masked; ``near`` are sorted by start."""
        parts, position = [], start
        for span in near:
            if span.end <= position or span.start >= end:
                continue
            parts += [self._text[position : max(position, span.start)], f"[{span.category}]"]
            position = min(span.end, end)
        return "".join([*parts, self._text[position:end]])


def _word_start(text: str, position: int, limit: int) -> int:
    """Return the first start of a word from ``position`` on, so that no word is cut."""
    while position < limit and position > 0 and not text[position - 1].isspace():
        position += 1
    return position


def _word_end(text: str, limit: int, position: int) -> int:
    while position > limit and position < len(text) and not text[position].isspace():
        position -= 1
    return position
