"""Terms of the patients' records in the texts of a batch, and which of them are written as names or addresses."""

from collections.abc import Iterator

import numpy as np

from deid_tasks.core.entities import Entity
from deid_tasks.engine.lexicon import Scan, TermMatches, mask_of
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
)
from deid_tasks.engine.lexicon.scan import U64

_EVERYDAY = mask_of("common") | mask_of("medical")
_FREQUENT, _MEDICAL = mask_of("common", "frequent"), mask_of("medical")
_TITLES = mask_of("cue", "title", "clinician_title", "role")
_SUBJECT = mask_of("cue", "subject")
_LOCATIVE, _VERB = mask_of("cue", "locative"), mask_of("cue", "verb")
_MONTH = mask_of("cue", "month")
_NAMES = OWN | RELATIVE | FULL | RELATIVE_FULL
_ANY_TERM = np.uint64((1 << 63) - 1)
_ZIP_DIGITS = 5
_STATE_CODE_LETTERS = 2


class PatientMatches:
    """The tokens of a batch of texts, the terms of each text's own patient in them, and what the public lists say."""

    def __init__(self, scan: Scan, matches: TermMatches, single: U64, medical_terms: TermMatches, public: U64) -> None:
        """Prepare the decisions over all tokens.

        Args:
            scan: the tokens of the batch.
            matches: terms of each text's own patient.
            single: ``[tokens]``: payload of each token among the patients' terms.
            medical_terms: medical terms of the public lists.
            public: ``[tokens]``: payload of each token in the public lists.
        """
        self.scan = scan
        self._single, self._public = single, public
        self._is_everyday = (public & np.uint64(_EVERYDAY)) != 0
        self._named: set[int] = set()
        """Tokens of names that were accepted."""
        self._in_medical_term = _tokens_of_phrases(medical_terms)
        order = np.lexsort((matches.first, -matches.tokens))
        self._matches = list(
            zip(
                matches.first[order].tolist(),
                matches.tokens[order].tolist(),
                matches.payload[order].tolist(),
                strict=True,
            )
        )
        self._bounds = np.searchsorted(scan.document, np.arange(len(scan.bases) + 1))
        is_term = (single & _ANY_TERM) != 0
        self.is_unknown = ~self._is_everyday & ~is_term & scan.capital & ~scan.digits & (scan.lengths >= 4)
        """``[tokens]``: capitalised words in no list and in no record, among which are misspelt names."""

    def tokens_of(self, number: int) -> slice:
        """Return the tokens of one text of the batch."""
        return slice(int(self._bounds[number]), int(self._bounds[number + 1]))

    def offsets(self, number: int, token: int) -> tuple[int, int]:
        """Return the start and the end of a token, in code points of its text."""
        base = int(self.scan.bases[number])
        return int(self.scan.starts[token]) - base, int(self.scan.ends[token]) - base

    def spans(self) -> Iterator[tuple[int, int, int, Entity]]:
        """Yield text, start, end and entity of each accepted match; they are disjoint."""
        for first, last, entity in self._accepted():
            number = int(self.scan.document[first])
            base = int(self.scan.bases[number])
            yield number, int(self.scan.starts[first]) - base, int(self.scan.ends[last]) - base, entity

    def _accepted(self) -> Iterator[tuple[int, int, Entity]]:
        """Yield first token, last token and entity of each accepted match; longer matches come first.

        A match that is not accepted by itself is accepted beside an accepted name.
        """
        taken: set[int] = set()
        rejected: list[tuple[int, int, int]] = []
        for start, count, mask in self._matches:
            tokens = range(start, start + count)
            if any(token in taken for token in tokens):
                continue
            entity = self._entity(start, count, mask)
            if entity is None:
                rejected.append((start, count, mask))
                continue
            taken.update(tokens)
            if mask & _NAMES:
                self._named.update(tokens)
            yield start, start + count - 1, entity
        for start, count, mask in rejected:
            tokens = range(start, start + count)
            is_beside_name = mask & _NAMES and self.scan.capital[start] and self._adjoins_name(start, count)
            if is_beside_name and not any(token in taken for token in tokens):
                taken.update(tokens)
                self._named.update(tokens)
                yield start, start + count - 1, _person(mask)

    def _adjoins_name(self, start: int, count: int) -> bool:
        return (start - 1 in self._named and self._adjoins(start - 1)) or (
            start + count in self._named and self._adjoins(start + count - 1)
        )

    def _entity(self, start: int, count: int, mask: int) -> Entity | None:
        """Return the entity of a match that is written as what it is; ``None`` for another meaning of the words."""
        scan = self.scan
        if mask & EMAIL:
            return Entity.EMAIL
        if mask & IDENTIFIER:
            return Entity.OTHER_ID
        if mask & STREET:
            return Entity.STREET if scan.capital[start] or scan.digits[start] else None
        if mask & ZIP and self._is_zip(start):
            return Entity.ZIP
        if mask & _NAMES and (self._is_full_name(start, count) if count > 1 else self._is_single_name(start)):
            return _person(mask)
        if mask & CITY and self._is_city(start, count):
            return Entity.CITY
        if mask & STATE and self._is_state(start, count):
            return Entity.STATE
        return None

    def _is_full_name(self, start: int, count: int) -> bool:
        """Whether a name of several words is written as one."""
        scan, tokens = self.scan, slice(start, start + count)
        is_everyday = self._is_everyday[tokens]
        if bool(scan.capital[tokens].all()) and not (scan.caps_line[start] and is_everyday.all()):
            return True
        # Two initials, or an initial and an everyday word in small letters, are prose.
        is_rare = not (is_everyday | (scan.lengths[tokens] < 2)).all()
        return bool(is_rare or self._is_titled(start))

    def _is_single_name(self, start: int) -> bool:
        """Whether a name of one word is written as one."""
        scan = self.scan
        is_everyday, length = bool(self._is_everyday[start]), int(scan.lengths[start])
        if not scan.capital[start]:
            return not is_everyday and length >= 4
        if self._is_titled(start):
            return True
        if start in self._in_medical_term:
            return not is_everyday and int(self._public[start]) & _MEDICAL == 0
        if not is_everyday:
            return length > 3 or not scan.upper[start] or bool(scan.caps_line[start])
        return not scan.upper[start] and self._is_everyday_word_a_name(start)

    def _is_everyday_word_a_name(self, start: int) -> bool:
        """Whether a capitalised everyday word is a name: "Will reports", "I saw Will"; but not "May 3", "in May"."""
        scan, public = self.scan, int(self._public[start])
        joins_next = bool(scan.joins_next[start])
        following = int(self._public[start + 1]) if joins_next else 0
        if following & _VERB and not scan.capital[start + 1]:
            return True
        if scan.opens_sentence[start]:
            return not public & (_FREQUENT | _MEDICAL | _MONTH)
        is_dated = joins_next and bool(scan.digits[start + 1])
        return not (public & _MONTH and (is_dated or self._payload_before(start) & _LOCATIVE))

    def _is_city(self, start: int, count: int) -> bool:
        if not self.scan.capital[start]:
            return False
        is_everyday = bool(self._is_everyday[start : start + count].all())
        return not is_everyday or bool(self._payload_before(start) & _LOCATIVE) or self._state_follows(start + count)

    def _is_state(self, start: int, count: int) -> bool:
        """Whether a state is written as one; a code of two letters needs the city before it or a ZIP code after it."""
        if int(self.scan.lengths[start]) != _STATE_CODE_LETTERS:
            return bool(self.scan.capital[start])
        follows_city = self._payload_before(start, of_patient=True) & CITY
        return bool(self.scan.upper[start] and (follows_city or self._zip_follows(start + count)))

    def _is_zip(self, token: int) -> bool:
        return bool(self.scan.digits[token]) and int(self.scan.lengths[token]) == _ZIP_DIGITS

    def _is_titled(self, start: int) -> bool:
        # "PATIENT WILL RETURN", "Patient Will": before a frequent word in capitals, "patient" is not a title.
        is_frequent = self.scan.upper[start] and int(self._public[start]) & _FREQUENT
        return bool(self._payload_before(start) & (_TITLES | (0 if is_frequent else _SUBJECT)))

    def _payload_before(self, start: int, *, of_patient: bool = False) -> int:
        """Return the payload of the token before, 0 where it is apart."""
        if start == 0 or not self.scan.joins_next[start - 1]:
            return 0
        return int((self._single if of_patient else self._public)[start - 1])

    def _state_follows(self, token: int) -> bool:
        return (
            token < len(self._single)
            and bool(self._single[token] & np.uint64(STATE))
            and bool(self.scan.joins_next[token - 1])
        )

    def _zip_follows(self, token: int) -> bool:
        return token < len(self.scan) and bool(self.scan.joins_next[token - 1]) and self._is_zip(token)

    def _adjoins(self, token: int) -> bool:
        """Whether only a blank, a comma, a full stop or a hyphen separates the token from the next."""
        return token >= 0 and self.scan.adjoins_next(token)


def _tokens_of_phrases(terms: TermMatches) -> set[int]:
    """Return the tokens of terms of several words."""
    is_phrase = terms.tokens > 1
    found: set[int] = set()
    for start, count in zip(terms.first[is_phrase].tolist(), terms.tokens[is_phrase].tolist(), strict=True):
        found.update(range(start, start + count))
    return found


def _person(mask: int) -> Entity:
    return Entity.PATIENT if mask & (OWN | FULL) else Entity.RELATIVE
