"""Recovery of medical terms: a detected span goes back to the text where what stands there is medicine and no person or place."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from deid_tasks.core.detectors import DetectorName, Recoverability, recoverable_as
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import Lexicon, Scan, TermMatches, default_lexicon, mask_of, text_batches
from deid_tasks.engine.lexicon.scan import U64
from deid_tasks.engine.lexicon.terms import MAX_TOKENS
from deid_tasks.engine.recover.eponyms import is_listed, is_lone_eponym, is_rare_name, is_sign
from deid_tasks.engine.recover.noise import is_noise
from deid_tasks.engine.recover.syntax import find_notations
from deid_tasks.engine.text import Document

_MEDICAL = mask_of("medical")
_ABBREVIATION = mask_of("medical", "abbreviation")
_HARVESTED = mask_of("medical", "harvested", "other")
_PLACE = mask_of("facility", "name", "short_name")
_COMMON, _FREQUENT = mask_of("common"), mask_of("common", "frequent")
_PERSON = mask_of("patient_name") | mask_of("provider")
_PLACES = frozenset((Entity.CITY, Entity.STATE))
_WRITTEN_LARGE = frozenset(
    (Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE, Entity.CITY, Entity.STATE, Entity.FACILITY, Entity.ORGANIZATION)
)
_TITLES = mask_of("cue", "clinician_title", "title")
_CREDENTIAL = mask_of("cue", "credential")
_BY_DICTIONARY = frozenset((Category.NAME, Category.LOCATION, Category.ORGANIZATION, Category.PROFESSION))
_BY_SYNTAX = _BY_DICTIONARY | {Category.DATE, Category.ID, Category.CONTACT}
_NAMED = frozenset((Category.NAME, Category.LOCATION, Category.ORGANIZATION))
_NUMBERED = frozenset((Category.ID, Category.CONTACT))
_CERTAIN = recoverable_as((Recoverability.NEVER, Recoverability.PHRASES))
"""Detectors that had a reason for one word alone: in the text around it, or in the institution's dictionaries."""
_NEVER = recoverable_as((Recoverability.NEVER,))
_TOLD = re.compile(r"(?:^|[^a-z])(?:told|d/w|paged|notified|texted|read by|cc:|copies:|ord) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """The spans that stay identifiers, and those given back as medical language; both in the order given."""

    kept: tuple[Span, ...]
    recovered: tuple[Span, ...]

    @property
    def counts(self) -> Counter[Entity]:
        """How many spans of each entity were given back."""
        return Counter(span.entity for span in self.recovered)


def recover(
    document: Document, spans: Sequence[Span], lexicon: Lexicon | None = None, protected: Sequence[Span] = ()
) -> RecoveryResult:
    """Split ``spans`` into identifiers and medical terms.

    A span is given back when it lies inside a medical term of several words (``Bruce`` in ``Bruce protocol``), when it is a
    one-word medical term in whole, or inside a notation (``T2N1M0``). It stays where a title or a credential is beside it, where
    a dictionary or pattern had found the one word, and where ``protected``, the spans of the patient's own record, overlaps it,
    unless the medical term reaches beyond the protected words. What a neural detector alone found goes back too where its form says that it
    is no identifier (see ``is_noise``), where it is one everyday word, or an eponym that stands for a test, a sign or a tool. Ages, contacts and numbers that patterns found always stay.
    Without ``lexicon``, the public medical terms alone are used.
    """
    return recover_all([document], [spans], lexicon, [protected])[0]


def recover_all(
    documents: Sequence[Document],
    spans: Sequence[Sequence[Span]],
    lexicon: Lexicon | None = None,
    protected: Sequence[Sequence[Span]] | None = None,
) -> list[RecoveryResult]:
    """``recover`` for many documents at once, whose dictionary terms are looked up together; spans are sorted and disjoint."""
    found = [RecoveryResult((), ())] * len(documents)
    known = lexicon or default_lexicon()
    marked = [index for index, one in enumerate(spans) if one]
    for batch in text_batches([documents[index].text for index in marked]):
        scan = known.scan([documents[marked[place]].text for place in batch])
        matches, single = known.match(scan)
        batch_terms = _Terms(scan, matches, single)
        for number, place in enumerate(batch):
            index = marked[place]
            shields = sorted(protected[index]) if protected else []
            reading = _Reading(documents[index], batch_terms, number)
            found[index] = reading.split(spans[index], shields)
    return found


class _Terms:
    """The dictionary terms of a batch of documents."""

    def __init__(self, scan: Scan, matches: TermMatches, single: U64) -> None:
        self.scan, self.single = scan, single
        self.bounds = np.searchsorted(scan.document, np.arange(len(scan.bases) + 1)).tolist()
        medical = matches.only(_MEDICAL)
        longer = medical.tokens > 1
        order = np.argsort(medical.first[longer], kind="stable")
        self.first = medical.first[longer][order].tolist()
        self.tokens = medical.tokens[longer][order].tolist()


class _Reading:
    """The medical terms and notations of one document of a batch. Tokens are counted through the batch."""

    def __init__(self, document: Document, terms: _Terms, number: int) -> None:
        self.text = document.text
        self.terms, self.scan, self.single = terms, terms.scan, terms.single
        self.low, self.high = terms.bounds[number], terms.bounds[number + 1]
        base = terms.scan.bases[number]
        self.starts: list[int] = (terms.scan.starts[self.low : self.high] - base).tolist()
        self.ends: list[int] = (terms.scan.ends[self.low : self.high] - base).tolist()
        self.notations = find_notations(document.text, document.plain_bytes)

    def split(self, spans: Sequence[Span], shields: Sequence[Span]) -> RecoveryResult:
        """``shields`` are sorted; where they overlap each other, which they never do, the earlier ones may be overlooked."""
        kept: list[Span] = []
        recovered: list[Span] = []
        following = 0
        for span in spans:
            while following < len(shields) and shields[following].end <= span.start:
                following += 1
            shielded: list[Span] = []
            place = following
            while place < len(shields) and shields[place].start < span.end:
                shielded.append(shields[place])
                place += 1
            (recovered if self.is_medical(span, shielded) else kept).append(span)
        if kept and recovered:
            parts = {span for span in recovered if self._is_part(span, kept)}
            kept = sorted((*kept, *parts))
            recovered = [span for span in recovered if span not in parts]
        return RecoveryResult(tuple(kept), tuple(recovered))

    def _is_part(self, span: Span, kept: Sequence[Span]) -> bool:
        """Whether one blank joins ``span`` to an identifier: the rest of a name that detectors shared, such as "Conyers" and "Housing Authority"."""
        if span.category not in _NAMED or not self.text[span.start].isupper():
            return False
        place = bisect_left(kept, span)
        for other in kept[max(0, place - 1) : place + 1]:
            low, high = sorted((span, other))
            if len(span) > 1 and self._is_upper(span) and not self._is_upper(other):
                continue  # "Edge Valley IMAGING": a department in capitals behind a name in small letters
            if self.text[low.end : high.start] == " " and (
                span.category is other.category or (span.category is Category.ORGANIZATION and other.category in _NAMED)
            ):
                return True
        return False

    def _is_upper(self, span: Span) -> bool:
        return self.text[span.start : span.end].isupper()

    def _phrases(self, span: Span) -> Iterator[tuple[int, int, int, int]]:
        """Start, end, first token and token after the last of each medical term of several words around ``span``."""
        first, after = self._tokens(span)
        terms = self.terms
        place = bisect_left(terms.first, max(self.low, self.low + after - MAX_TOKENS))
        while place < len(terms.first) and terms.first[place] <= self.low + first:
            low = terms.first[place] - self.low
            high = low + terms.tokens[place]
            if self.starts[low] <= span.start and span.end <= self.ends[high - 1]:
                yield self.starts[low], self.ends[high - 1], low, high
            place += 1

    def is_medical(self, span: Span, shielded: list[Span]) -> bool:
        if span.detector in _NEVER:
            return False
        category = span.category
        if not shielded and span.detector not in _CERTAIN:
            if is_noise(self.text, span) or self._is_everyday(span) or self._is_eponym(span):
                return True
        elif (
            not shielded
            and span.detector == DetectorName.LEXICON
            and category is Category.NAME
            and (is_listed(self.text, span.start, span.end) or is_sign(self.text, span.start, span.end))
        ):
            return True
        if category not in _BY_SYNTAX or (category in _NUMBERED and span.detector in _CERTAIN):
            return False
        if not shielded and self._in_notation(span):
            return True
        if category not in _BY_DICTIONARY:
            return False
        for start, end, first, after in self._phrases(span):
            beyond = all(start < other.start or other.end < end for other in shielded)
            if beyond and not self._is_person(first, after):
                return True
        return not shielded and self._is_word(span)

    def _in_notation(self, span: Span) -> bool:
        place = bisect_right(self.notations, span.start, key=_start) - 1
        return place >= 0 and span.end <= self.notations[place][1]

    def _is_word(self, span: Span) -> bool:
        """Whether the span is a one-word medical term, in whole, that nothing beside it makes a name."""
        tokens = [index for index in range(*self._tokens(span)) if self.ends[index] - self.starts[index] > 1]
        if len(tokens) != 1 or span.detector in _CERTAIN:
            return False
        (token,) = tokens
        if (self.starts[token], self.ends[token]) != (span.start, span.end) and self.text[
            self.ends[token] : span.end
        ] not in (
            "'s",
            "’s",
        ):
            return False
        payload = int(self.single[self.low + token])
        if payload & _PLACE or (payload & _PERSON and span.category is Category.NAME):
            return False
        payload &= _MEDICAL
        if payload & (_ABBREVIATION | _HARVESTED) == payload:
            return bool(payload) and bool(self.scan.upper[self.low + token])
        return not self._is_person(token, token + 1)

    def _is_everyday(self, span: Span) -> bool:
        """Whether the span is one everyday word that no title or credential makes a name.

        It is written in small letters, or, where a sentence begins and in lines of capitals, nobody known and hardly anybody at all is called so.
        """
        word = self.text[span.start : span.end]
        if span.entity not in _WRITTEN_LARGE:
            return False
        first, after = self._tokens(span)
        if after - first != 1 or (self.starts[first], self.ends[first]) != (span.start, span.end):
            return False
        payload = int(self.single[self.low + first])
        if not payload & _COMMON or payload & _PLACE or self._is_person(first, after):
            return False
        if word.islower():
            return not self._is_spoken_of(span, payload)
        says_nothing = bool(self.scan.opens_sentence[self.low + first]) or bool(self.scan.caps_line[self.low + first])
        return says_nothing and span.entity not in _PLACES and not payload & _PERSON and is_rare_name(word)

    def _is_spoken_of(self, span: Span, payload: int) -> bool:
        """Whether an everyday word in small letters is the name of somebody whom the institution knows, or who is told or asked."""
        is_known = bool(payload & _PERSON)
        if is_known and not payload & _FREQUENT:
            return True
        told = _TOLD.search(self.text[max(0, span.start - 12) : span.start]) is not None
        return (
            told and span.category is Category.NAME and (is_known or not is_rare_name(self.text[span.start : span.end]))
        )

    def _is_eponym(self, span: Span) -> bool:
        """Whether the span is an eponym that stands for a sign, a scale or a tool, and the name of nobody the institution knows."""
        if span.entity not in _WRITTEN_LARGE or span.entity in _PLACES:
            return False
        first, after = self._tokens(span)
        if any(int(self.single[self.low + token]) & _PERSON for token in range(first, after)) or self._is_person(
            first, after
        ):
            return False
        return is_lone_eponym(self.text, span.start, span.end)

    def _tokens(self, span: Span) -> tuple[int, int]:
        """The first token that touches ``span`` and the one after the last, counted in the document."""
        first = bisect_right(self.ends, span.start)
        after = bisect_left(self.starts, span.end, first)
        return first, after

    def _is_person(self, first: int, after: int) -> bool:
        """Whether a title stands before or a credential after the tokens."""
        titled = first > 0 and self.starts[first] - self.ends[first - 1] <= 2
        if titled and int(self.single[self.low + first - 1]) & _TITLES:
            return True
        follows = after < len(self.starts) and self.starts[after] - self.ends[after - 1] <= 2
        return (
            follows
            and bool(int(self.single[self.low + after]) & _CREDENTIAL)
            and bool(self.scan.upper[self.low + after])
        )


def _start(notation: tuple[int, int]) -> int:
    return notation[0]
