"""Recovery of medical terms: a detected span goes back to the text where what stands there is medicine and no person or place."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deid_tasks.entities import Category, Entity
from deid_tasks.lexicon import Lexicon, default_lexicon, mask_of
from deid_tasks.recover.eponyms import is_listed, is_lone_eponym, is_rare_name
from deid_tasks.recover.noise import is_noise
from deid_tasks.recover.syntax import SYNTAX
from deid_tasks.span import Span
from deid_tasks.text import Document

_MEDICAL = mask_of("medical")
_ABBREVIATION = mask_of("medical", "abbreviation")
_HARVESTED = mask_of("medical", "harvested", "other")
_PLACE = mask_of("facility", "name", "short_name")
_COMMON = mask_of("common")
_PERSON = mask_of("patient_name") | mask_of("provider")
_PLACES = frozenset((Entity.CITY, Entity.STATE))
_PEOPLE = frozenset((Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE))
_WRITTEN_LARGE = frozenset(
    (Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE, Entity.CITY, Entity.STATE, Entity.FACILITY, Entity.ORGANIZATION)
)
_TITLES = mask_of("cue", "clinician_title", "title")
_CREDENTIAL = mask_of("cue", "credential")
_BY_DICTIONARY = frozenset((Category.NAME, Category.LOCATION, Category.ORGANIZATION, Category.PROFESSION))
_BY_SYNTAX = _BY_DICTIONARY | {Category.DATE, Category.ID}
_CERTAIN = frozenset(("patterns", "lexicon", "patient", "inclusion", "templates"))
"""Detectors whose one-word names and labelled identifiers had a reason in the text or in the institution's dictionaries."""


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
    if not spans:
        return RecoveryResult((), ())
    reading = _Reading(document, lexicon or default_lexicon())
    kept: list[Span] = []
    recovered: list[Span] = []
    for span in spans:
        shielded = [other for other in protected if other.overlaps(span)]
        (recovered if reading.is_medical(span, shielded) else kept).append(span)
    return RecoveryResult(tuple(kept), tuple(recovered))


class _Reading:
    """The medical terms and notations of one document."""

    def __init__(self, document: Document, lexicon: Lexicon) -> None:
        self.text = document.text
        scan = lexicon.scan([document.text])
        matches, self.single = lexicon.match(scan)
        self.scan = scan
        self.starts, self.ends = scan.starts.tolist(), scan.ends.tolist()
        self.notations = [match.span() for match in SYNTAX.finditer(document.text)]
        medical = matches.only(_MEDICAL)
        self.phrases = [
            (self.starts[first], self.ends[first + count - 1], first, first + count)
            for first, count in zip(medical.first.tolist(), medical.tokens.tolist(), strict=True)
            if count > 1
        ]

    def is_medical(self, span: Span, shielded: list[Span]) -> bool:
        category = span.category
        if not shielded and span.detector not in _CERTAIN:
            if is_noise(self.text, span) or self._is_everyday(span) or self._is_eponym(span):
                return True
        elif (
            not shielded
            and span.detector == "lexicon"
            and category is Category.NAME
            and is_listed(self.text, span.start, span.end)
        ):
            return True
        if category not in _BY_SYNTAX or (category is Category.ID and span.detector in _CERTAIN):
            return False
        in_notation = any(start <= span.start and span.end <= end for start, end in self.notations)
        if in_notation and not shielded:
            return True
        if category not in _BY_DICTIONARY:
            return False
        for start, end, first, after in self.phrases:
            inside = start <= span.start and span.end <= end
            beyond = all(start < other.start or other.end < end for other in shielded)
            if inside and beyond and not self._is_person(first, after):
                return True
        return not shielded and self._is_word(span)

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
        payload = int(self.single[token])
        if payload & _PLACE:
            return False
        payload &= _MEDICAL
        if payload & (_ABBREVIATION | _HARVESTED) == payload:
            return bool(payload) and bool(self.scan.upper[token])
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
        payload = int(self.single[first])
        if not payload & _COMMON or self._is_person(first, after):
            return False
        if word.islower():
            return True
        says_nothing = bool(self.scan.opens_sentence[first]) or bool(self.scan.caps_line[first])
        return says_nothing and span.entity in _PEOPLE and not payload & _PERSON and is_rare_name(word)

    def _is_eponym(self, span: Span) -> bool:
        """Whether the span is an eponym that stands for a sign, a scale or a tool, and the name of nobody the institution knows."""
        if span.entity not in _WRITTEN_LARGE or span.entity in _PLACES:
            return False
        first, after = self._tokens(span)
        if any(int(self.single[token]) & _PERSON for token in range(first, after)) or self._is_person(first, after):
            return False
        return is_lone_eponym(self.text, span.start, span.end)

    def _tokens(self, span: Span) -> tuple[int, int]:
        first = int(np.searchsorted(self.scan.ends, span.start, side="right"))
        after = int(np.searchsorted(self.scan.starts, span.end, side="left"))
        return first, after

    def _is_person(self, first: int, after: int) -> bool:
        """Whether a title stands before or a credential after the tokens."""
        titled = first > 0 and self.starts[first] - self.ends[first - 1] <= 2
        if titled and int(self.single[first - 1]) & _TITLES:
            return True
        follows = after < len(self.starts) and self.starts[after] - self.ends[after - 1] <= 2
        return follows and bool(int(self.single[after]) & _CREDENTIAL) and bool(self.scan.upper[after])
