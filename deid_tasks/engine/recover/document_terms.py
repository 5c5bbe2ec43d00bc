"""The medical terms, notations and people's words of one document, which recovery asks about each span."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

import numpy as np

from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import Lexicon, Scan, TermMatches, default_lexicon, mask_of, text_batches
from deid_tasks.engine.lexicon.scan import U64
from deid_tasks.engine.lexicon.terms import MAX_TOKENS
from deid_tasks.engine.recover.syntax import find_notations
from deid_tasks.engine.text import Document

_MEDICAL = mask_of("medical")
_TITLES = mask_of("cue", "clinician_title", "title")
_CREDENTIAL = mask_of("cue", "credential")
_WORD_BEHIND = re.compile(r" [a-z]{2}")
"""Behind a credential that opens the next sentence: D/C Arnuity. PA form done."""
_MAX_NEAR_CHARACTERS = 2


class BatchTerms:
    """The dictionary terms of a batch of documents."""

    def __init__(self, scan: Scan, matches: TermMatches, single: U64) -> None:
        """Sort the medical terms of several words by position.

        Args:
            scan: the tokens of the batch.
            matches: all terms of the lexicon in it.
            single: ``[tokens]``: payload of each token.
        """
        self.scan, self.single = scan, single
        self.bounds = np.searchsorted(scan.document, np.arange(len(scan.bases) + 1)).tolist()
        medical = matches.only(_MEDICAL)
        is_phrase = medical.tokens > 1
        order = np.argsort(medical.first[is_phrase], kind="stable")
        self.first = medical.first[is_phrase][order].tolist()
        self.tokens = medical.tokens[is_phrase][order].tolist()


class DocumentTerms:
    """The tokens of one document, with their dictionary payloads and the medical phrases and notations around them.

    Token indices count from the document's first token.
    """

    def __init__(self, document: Document, terms: BatchTerms, number: int) -> None:
        """Select the part of the batch that belongs to one document.

        Args:
            document: the document.
            terms: the terms of its batch.
            number: its index in the batch.
        """
        self.text = document.text
        self._terms, self._scan = terms, terms.scan
        self._low, high = terms.bounds[number], terms.bounds[number + 1]
        base = terms.scan.bases[number]
        self.starts: list[int] = (terms.scan.starts[self._low : high] - base).tolist()
        self.ends: list[int] = (terms.scan.ends[self._low : high] - base).tolist()
        self._notations = find_notations(document.text, document.plain_bytes)

    def tokens_of(self, span: Span) -> tuple[int, int]:
        """Return the first token that touches ``span`` and the one after the last."""
        first = bisect_right(self.ends, span.start)
        after = bisect_left(self.starts, span.end, first)
        return first, after

    def payload(self, token: int) -> int:
        """Return the dictionary payload of a token."""
        return int(self._terms.single[self._low + token])

    def is_upper(self, token: int) -> bool:
        """Whether a token is upper case throughout, and longer than one character."""
        return bool(self._scan.upper[self._low + token])

    def is_case_uninformative(self, token: int) -> bool:
        """Whether a token is capitalised for its position: it opens a sentence, or its line is in capitals."""
        index = self._low + token
        return bool(self._scan.opens_sentence[index]) or bool(self._scan.caps_line[index])

    def phrases_around(self, span: Span) -> Iterator[tuple[int, int, int, int]]:
        """Yield start, end, first token and token after the last of each medical phrase that covers ``span``."""
        first, after = self.tokens_of(span)
        terms = self._terms
        index = bisect_left(terms.first, max(self._low, self._low + after - MAX_TOKENS))
        while index < len(terms.first) and terms.first[index] <= self._low + first:
            low = terms.first[index] - self._low
            high = low + terms.tokens[index]
            if self.starts[low] <= span.start and span.end <= self.ends[high - 1]:
                yield self.starts[low], self.ends[high - 1], low, high
            index += 1

    def is_in_notation(self, span: Span) -> bool:
        """Whether the span lies inside a medical notation."""
        index = bisect_right(self._notations, span.start, key=_start) - 1
        return index >= 0 and span.end <= self._notations[index][1]

    def is_person(self, first: int, after: int) -> bool:
        """Whether a title comes before the tokens or a credential after them."""
        has_before = first > 0 and self.starts[first] - self.ends[first - 1] <= _MAX_NEAR_CHARACTERS
        if has_before and self.payload(first - 1) & _TITLES:
            return True
        has_after = after < len(self.starts) and self.starts[after] - self.ends[after - 1] <= _MAX_NEAR_CHARACTERS
        if not (has_after and self.payload(after) & _CREDENTIAL and self.is_upper(after)):
            return False
        opens_sentence = "." in self.text[self.ends[after - 1] : self.starts[after]]
        return not (opens_sentence and _WORD_BEHIND.match(self.text, self.ends[after]))


def document_terms(documents: Sequence[Document], lexicon: Lexicon | None = None) -> Iterator[DocumentTerms]:
    """Yield the terms of each document, in the order given; they are looked up in batches.

    Args:
        documents: the notes.
        lexicon: the dictionary; the public terms where ``None``.
    """
    known = lexicon or default_lexicon()
    for batch in text_batches([document.text for document in documents]):
        scan = known.scan([documents[index].text for index in batch])
        terms = BatchTerms(scan, *known.match(scan))
        for number, index in enumerate(batch):
            yield DocumentTerms(documents[index], terms, number)


def _start(notation: tuple[int, int]) -> int:
    return notation[0]
