"""The note's own patient as a detector: what the institution's record says of this one person, however the note writes it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import re2
from rapidfuzz.distance import OSA

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import PatientRecord, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import Scan, default_lexicon, mask_of
from deid_tasks.engine.lexicon.normalise import normalise
from deid_tasks.engine.lexicon.patient_terms import (
    CITY,
    EMAIL,
    FULL,
    IDENTIFIER,
    OWN,
    RELATIVE,
    RELATIVE_FULL,
    STATE,
    STREET,
    ZIP,
    PatientTerms,
    compile_patient,
)
from deid_tasks.engine.lexicon.scan import I64, U64
from deid_tasks.engine.lexicon.table import assemble
from deid_tasks.engine.text import Document

_EVERYDAY = mask_of("common") | mask_of("medical")
_FREQUENT, _MEDICAL = mask_of("common", "frequent"), mask_of("medical")
_TITLES = mask_of("cue", "title", "clinician_title", "role")
_SUBJECT = mask_of("cue", "subject")
_LOCATIVE, _VERB = mask_of("cue", "locative"), mask_of("cue", "verb")
_MONTH = mask_of("cue", "month")
_NAMES = OWN | RELATIVE | FULL | RELATIVE_FULL
_ENTITY_OF_DIGITS = {
    TermKind.PHONE: Entity.PHONE,
    TermKind.SSN: Entity.SSN,
    TermKind.MRN: Entity.MRN,
    TermKind.HEALTH_PLAN: Entity.HEALTH_PLAN,
    TermKind.ACCOUNT: Entity.ACCOUNT,
    TermKind.LICENSE: Entity.LICENSE,
    TermKind.OTHER_ID: Entity.OTHER_ID,
}
_INITIALS = re.compile(
    r"(?i:\b(?:initials?|signed|signature|patient|pt|sincerely|name)\b)[^\w\n]{1,4}((?:[A-Z]\.? ?){1,2}[A-Z])(?!\w)"
    r"|\b([A-Z]\. ?[A-Z]\.(?: ?[A-Z]\.)?)(?= (?:is|was|has|had|presents|reports|denies|states)\b)"
)
_LAST_FOUR = re.compile(
    r"(?:[xX*#]{3}[- ]?[xX*#]{2}[- ]?|(?i:\blast (?:four|4)|\bending(?: in)?|\bssn)[^\w\n]{1,3}(?:(?i:of ssn|ssn)[^\w\n]{1,3})?)(\d{4})\b"
)
_TOLD = (
    r"(?i:\b(?:initials?|signed|signature|patient|pt|sincerely|name)\b)[^\w\n]{1,4}[A-Z]\.? ?[A-Z]|\b[A-Z]\. ?[A-Z]\."
    r"|[xX*#]{3}|(?i:\b(?:last (?:four|4)|ending|ssn))"
)
"""Stands in every text in which either of the two above finds anything; most texts hold none of it, and RE2 says so at once."""
_MISSPELT = {OWN: Entity.PATIENT, RELATIVE: Entity.RELATIVE, CITY: Entity.CITY}
_DIGIT_RUN = re.compile(r"\d+")
_MAX_GROUPS = 6
_MAX_SEPARATOR = 3
_LONG_NAME = 9
"""A name of so many letters is still that name with two typing errors."""


class PatientDetector:
    """Finds what a patient's own record holds: names in any order and with short forms, relatives, contacts, numbers, address.

    Numbers are compared by their digits alone. Names that are also everyday words are taken as names are written (``Will`` in
    mid-sentence, never ``will``). Names of five letters and more are found with one typing error (optimal string alignment
    distance 1), those of nine and more with two, and so are relatives' names and the town, where the word found is no everyday or medical word. A document whose patient is not in ``records`` gets no span.
    """

    name = "patient"

    def __init__(self, records: Mapping[str, PatientRecord]) -> None:
        self._records = records
        self._public = default_lexicon()

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of each document, sorted and disjoint."""
        found: list[list[Span]] = [[] for _ in documents]
        known = [
            (index, compile_patient(self._records[document.patient_id], self._public.hasher))
            for index, document in enumerate(documents)
            if document.patient_id is not None and document.patient_id in self._records
        ]
        if not known:
            return found
        scan = self._public.scan([documents[index].text for index, _ in known])
        public_matches, public = self._public.match(scan)
        patients = {terms.salt: terms for _, terms in known}
        table = assemble(
            np.concatenate([terms.keys for terms in patients.values()]),
            np.concatenate([terms.payload for terms in patients.values()]),
        )
        salts = np.array([terms.salt for _, terms in known], np.uint64)[scan.document]
        matches, single = table.match(scan, self._public.hasher, salts)
        reading = _Reading(scan, public, single)
        longer = public_matches.only(_MEDICAL)
        reading.hide(longer.first[longer.tokens > 1], longer.tokens[longer.tokens > 1])
        order = np.lexsort((matches.first, -matches.tokens))
        spans: list[list[Span]] = [[] for _ in known]
        for first, last, entity in reading.resolve(
            matches.first[order].tolist(), matches.tokens[order].tolist(), matches.payload[order].tolist()
        ):
            place = int(scan.document[first])
            base = int(scan.bases[place])
            spans[place].append(Span(int(scan.starts[first]) - base, int(scan.ends[last]) - base, entity, self.name))
        bounds = np.searchsorted(scan.document, np.arange(len(known) + 1))
        for number, (index, terms) in enumerate(known):
            text, base = documents[index].text, int(scan.bases[number])
            part = slice(int(bounds[number]), int(bounds[number + 1]))
            extra = [*self._numbers(text, terms), *self._patterns(text, documents[index].plain_bytes, terms)]
            extra += self._misspelt(reading, part, base, text, terms)
            found[index] = _disjoint([*spans[number], *extra], text)
        return found

    def _numbers(self, text: str, terms: PatientTerms) -> Iterator[Span]:
        """Numbers of the record, whatever stands between their digits."""
        if not terms.digits:
            return
        beginnings = terms.beginnings
        groups = [(match.start(), match.end(), match.group()) for match in _DIGIT_RUN.finditer(text)]
        for index, (start, end, digits) in enumerate(groups):
            if digits not in beginnings:
                continue
            number = digits
            best = end if number in terms.digits else -1
            kind = terms.digits.get(number)
            for next_start, next_end, more in groups[index + 1 : index + _MAX_GROUPS]:
                gap = text[end:next_start]
                if (
                    number not in beginnings
                    or len(gap) > _MAX_SEPARATOR
                    or any(mark.isalnum() or mark in ",;:" for mark in gap)
                ):
                    break
                number, end = number + more, next_end
                if number in terms.digits:
                    best, kind = end, terms.digits[number]
            if kind is None:
                continue
            letters = terms.letters.get(kind)
            if letters is not None and (before := letters.search(text, max(0, start - 12), start)):
                start = before.start()
            if kind is TermKind.PHONE and text[start - 1 : start] == "(":
                start -= 1
            yield Span(start, best, _ENTITY_OF_DIGITS[kind], self.name)

    def _patterns(self, text: str, plain: bytes, terms: PatientTerms) -> Iterator[Span]:
        """Initials where people sign or are spoken of, and the last four digits of the social security number."""
        if not _maybe_told().search(plain):
            return
        for match in _INITIALS.finditer(text):
            group = 1 if match.group(1) else 2
            letters = "".join(letter for letter in match.group(group) if letter.isalpha()).lower()
            if letters in terms.initials:
                yield Span(*match.span(group), Entity.INITIALS, self.name)
        if terms.last_four:
            for match in _LAST_FOUR.finditer(text):
                if match.group(1) in terms.last_four:
                    yield Span(*match.span(1), Entity.SSN, self.name)

    def _misspelt(self, reading: "_Reading", part: slice, base: int, text: str, terms: PatientTerms) -> Iterator[Span]:
        if not terms.names:
            return
        scan = reading.scan
        lengths = {len(name) + change for name in terms.names for change in range(-_errors(name), _errors(name) + 1)}
        candidates = np.flatnonzero(reading.odd[part]) + part.start
        for token in candidates.tolist():
            start, end = int(scan.starts[token]) - base, int(scan.ends[token]) - base
            if end - start not in lengths:
                continue
            word = normalise(text[start:end])
            for name, kind in terms.names.items():
                if 0 < OSA.distance(word, name, score_cutoff=_errors(name)) <= _errors(name):
                    yield Span(start, end, _MISSPELT[kind], self.name, 0.9)
                    break


def _errors(name: str) -> int:
    """Typing errors with which a name is still itself."""
    return 2 if len(name) >= _LONG_NAME else 1


class _Reading:
    """How the tokens of a batch are written, and which matches are believed."""

    def __init__(self, scan: Scan, public: U64, single: U64) -> None:
        self.scan = scan
        self.public = public
        self.single = single
        self.everyday = (public & np.uint64(_EVERYDAY)) != 0
        self.names: set[int] = set()
        self.hidden: set[int] = set()
        known = (single & np.uint64((1 << 63) - 1)) != 0
        self.odd = ~self.everyday & ~known & scan.capital & ~scan.digits & (scan.lengths >= 4)
        """Capitalised words that nobody knows: misspelt names may be among them."""

    def hide(self, first: I64, tokens: I64) -> None:
        """Remember which tokens stand in a medical term of several words."""
        for start, count in zip(first.tolist(), tokens.tolist(), strict=True):
            self.hidden.update(range(start, start + count))

    def resolve(self, first: list[int], tokens: list[int], payload: list[int]) -> Iterator[tuple[int, int, Entity]]:
        """First and last token and entity of each believed match; longer matches come first."""
        taken: set[int] = set()
        doubtful: list[tuple[int, int, int]] = []
        for start, count, mask in zip(first, tokens, payload, strict=True):
            places = range(start, start + count)
            if any(place in taken for place in places):
                continue
            entity = self._believe(start, count, mask)
            if entity is None:
                doubtful.append((start, count, mask))
                continue
            taken.update(places)
            if mask & _NAMES:
                self.names.update(places)
            yield start, start + count - 1, entity
        for start, count, mask in doubtful:
            beside = (start - 1 in self.names and self._adjoins(start - 1)) or (
                start + count in self.names and self._adjoins(start + count - 1)
            )
            places = range(start, start + count)
            if mask & _NAMES and beside and self.scan.capital[start] and not any(place in taken for place in places):
                taken.update(places)
                self.names.update(places)
                yield start, start + count - 1, self._person(mask)

    def _believe(self, start: int, count: int, mask: int) -> Entity | None:
        scan = self.scan
        places = slice(start, start + count)
        capital = bool(scan.capital[start])
        if mask & EMAIL:
            return Entity.EMAIL
        if mask & IDENTIFIER:
            return Entity.OTHER_ID
        if mask & STREET:
            return Entity.STREET if capital or scan.digits[start] else None
        if mask & ZIP and scan.digits[start] and int(scan.lengths[start]) == 5:
            return Entity.ZIP
        if mask & _NAMES:
            if count > 1:
                capitals = bool(scan.capital[places].all()) and not (
                    scan.caps_line[start] and self.everyday[places].all()
                )
                # Two initials, or an initial and an everyday word in small letters, are prose.
                rare = not (self.everyday[places] | (scan.lengths[places] < 2)).all()
                if capitals or rare or self._titled(start):
                    return self._person(mask)
            elif self._alone(start):
                return self._person(mask)
        if mask & CITY and capital:
            everyday = bool(self.everyday[places].all())
            if not everyday or self._before(start) & _LOCATIVE or self._state_follows(start + count):
                return Entity.CITY
        if mask & STATE:
            if int(scan.lengths[start]) == 2:
                beside = self._before(start, own=True) & CITY
                return Entity.STATE if scan.upper[start] and (beside or self._zip_follows(start + count)) else None
            return Entity.STATE if capital else None
        return None

    def _alone(self, start: int) -> bool:
        """Whether a one-word name is one here."""
        scan = self.scan
        length = int(scan.lengths[start])
        public = int(self.public[start])
        if not scan.capital[start]:
            return not self.everyday[start] and length >= 4
        if self._titled(start):
            return True
        if start in self.hidden:
            return not self.everyday[start] and public & _MEDICAL == 0
        if not self.everyday[start]:
            return length > 3 or not scan.upper[start] or bool(scan.caps_line[start])
        if scan.upper[start]:
            return False
        following = int(self.public[start + 1]) if scan.joins_next[start] else 0
        if following & _VERB and not scan.capital[start + 1]:
            return True
        if scan.opens_sentence[start]:
            return not public & (_FREQUENT | _MEDICAL | _MONTH)
        dated = bool(scan.joins_next[start]) and bool(scan.digits[start + 1])
        return not (public & _MONTH and (dated or self._before(start) & _LOCATIVE))

    @staticmethod
    def _person(mask: int) -> Entity:
        return Entity.PATIENT if mask & (OWN | FULL) else Entity.RELATIVE

    def _titled(self, start: int) -> bool:
        # "PATIENT WILL RETURN", "Patient Will": in capitals the word says nothing about the next.
        frequent = self.scan.upper[start] and int(self.public[start]) & _FREQUENT
        return bool(self._before(start) & (_TITLES | (0 if frequent else _SUBJECT)))

    def _before(self, start: int, *, own: bool = False) -> int:
        """The payload of the token before, 0 where it stands apart."""
        if start == 0 or not self.scan.joins_next[start - 1]:
            return 0
        return int((self.single if own else self.public)[start - 1])

    def _state_follows(self, token: int) -> bool:
        return (
            token < len(self.single)
            and bool(self.single[token] & np.uint64(STATE))
            and bool(self.scan.joins_next[token - 1])
        )

    def _zip_follows(self, token: int) -> bool:
        scan = self.scan
        follows = token < len(scan) and bool(scan.joins_next[token - 1])
        return follows and bool(scan.digits[token]) and int(scan.lengths[token]) == 5

    def _adjoins(self, token: int) -> bool:
        """Whether a blank, a comma, a full stop or a hyphen alone separates the token from the next."""
        scan = self.scan
        if token < 0 or not scan.joins_next[token]:
            return False
        gap = scan.codes[scan.ends[token] : scan.starts[token + 1]].tolist()
        return gap in ([32], [44, 32], [44], [45], [46, 32])


def _disjoint(spans: list[Span], text: str) -> list[Span]:
    """The spans without overlaps, longer ones first; parts of one name side by side become one span."""
    kept: list[Span] = []
    taken = bytearray(len(text)) if len(spans) > 1 else bytearray()
    for span in sorted(spans, key=lambda span: (-len(span), span.start)):
        if taken.find(1, span.start, span.end) < 0:
            taken[span.start : span.end] = b"\x01" * len(span)
            kept.append(span)
    joined: list[Span] = []
    for span in sorted(kept):
        last = joined[-1] if joined else None
        if last and last.entity is span.entity is Entity.PATIENT and text[last.end : span.start] in (" ", ", ", "-"):
            joined[-1] = Span(last.start, span.end, span.entity, span.detector, min(last.score, span.score))
        else:
            joined.append(span)
    return joined


@lru_cache(maxsize=1)
def _maybe_told() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    return re2.compile(_TOLD.encode("ascii"), options)
