"""The institution's dictionaries as a detector: its patients, clinicians, facilities and addresses."""

from collections.abc import Iterator, Sequence

import numpy as np

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import Lexicon, Scan, TermMatches, mask_of, text_batches
from deid_tasks.engine.lexicon.scan import U64
from deid_tasks.engine.text import Document

_PATIENT = mask_of("patient_name")
_PROVIDER = mask_of("provider", "first", "last", "full")
_FULL = mask_of("patient_name", "full") | mask_of("provider", "full")
_NAME = _PATIENT | _PROVIDER
_CITY, _STATE, _ZIP = mask_of("address", "city"), mask_of("address", "state"), mask_of("address", "zip")
_MEDICAL = mask_of("medical")
_COMMON, _FREQUENT = mask_of("common"), mask_of("common", "frequent")
_CLINICIAN_TITLE = mask_of("cue", "clinician_title", "role")
_TITLE = mask_of("cue", "title")
_SUBJECT = mask_of("cue", "subject")
_CREDENTIAL, _LOCATIVE = mask_of("cue", "credential"), mask_of("cue", "locative")
_MONTH = mask_of("cue", "month")
_GIVEN = mask_of("patient_name", "first", "preferred") | mask_of("provider", "first")
_FAMILY = mask_of("patient_name", "last") | mask_of("provider", "last")

_UNAMBIGUOUS: tuple[tuple[int, Entity], ...] = (
    (mask_of("facility", "name", "short_name"), Entity.FACILITY),
    (mask_of("address", "street"), Entity.STREET),
    (mask_of("provider", "user_id"), Entity.USERNAME),
    (mask_of("provider", "npi"), Entity.LICENSE),
    (mask_of("provider", "pager"), Entity.PAGER),
    (mask_of("facility", "fax"), Entity.FAX),
    (mask_of("provider", "phone") | mask_of("facility", "phone"), Entity.PHONE),
)
"""Kinds of terms that are found wherever they are written; a term of several kinds has the first one's entity."""
_ANY_UNAMBIGUOUS = sum(mask for mask, _ in _UNAMBIGUOUS)
_NEEDS_CONTEXT = _NAME | _CITY | _STATE | _ZIP
"""Kinds of terms whose single words may mean something else, so that the words around them decide."""
_ANY = _NEEDS_CONTEXT | _ANY_UNAMBIGUOUS
_MIN_SMALL_LETTERS = 5
"""A name in small letters has at least this many, and is not an everyday or medical word."""
_ZIP_DIGITS = 5
_STATE_CODE_LETTERS = 2
_MAX_ABBREVIATION = 3
_MIN_EVERYDAY_NAME = 3
"""Letters of an everyday word that may be a name inside a sentence."""
_MAX_NEAR_CHARACTERS = 2
_COMMA, _BLANK, _FULL_STOP = 44, 32, 46


class LexiconDetector:
    """Finds dictionary terms: the longest term wins, and a longer medical term hides the names inside it.

    A one-word name is found where it is written as names are: capitalised, or a rare word in small letters. If it is
    also an everyday or medical word (Will, Grace, Long), it is found only next to a title, a credential or another
    name, or capitalised inside a sentence. In lines of capitals, everyday words need such a neighbour too.
    """

    name = "lexicon"

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the spans of each document, sorted and disjoint."""
        found: list[list[Span]] = [[] for _ in documents]
        for batch in text_batches([document.text for document in documents]):
            scan = self._lexicon.scan([documents[index].text for index in batch])
            matches, single = self._lexicon.match(scan)
            for first, count, entity in _LexiconMatches(scan, single).accepted(matches):
                text = int(scan.document[first])
                base = int(scan.bases[text])
                start, end = int(scan.starts[first]) - base, int(scan.ends[first + count - 1]) - base
                found[batch[text]].append(Span(start, end, entity, self.name))
        for spans in found:
            spans.sort()
        return found


class _LexiconMatches:
    """The tokens of one batch, and the decisions which dictionary terms are written as names and places."""

    def __init__(self, scan: Scan, single: U64) -> None:
        """Prepare the decisions.

        Args:
            scan: the tokens of the batch.
            single: ``[tokens]``: payload of each token in the lexicon.
        """
        self._scan, self._single = scan, single
        self._is_everyday = (single & np.uint64(_COMMON | _MEDICAL)) != 0
        self._is_abbreviation = (scan.lengths <= _MAX_ABBREVIATION) & scan.upper & ~scan.caps_line
        """Up to three capitals in mixed text, which are abbreviations more often than names."""
        self._is_weak = self._is_everyday | self._is_abbreviation | (scan.lengths < 2) | scan.digits
        """Words that are names only if their context says so."""

    def accepted(self, matches: TermMatches) -> Iterator[tuple[int, int, Entity]]:
        """Yield first token, number of tokens and entity of each accepted match; they are disjoint."""
        matches = self._candidates(matches)
        # Longer terms first; of equally long ones the earlier.
        order = np.lexsort((matches.first, -matches.tokens))
        taken: set[int] = set()
        names: set[int] = set()
        singles: list[tuple[int, int]] = []
        for index in order.tolist():
            start, count, mask = int(matches.first[index]), int(matches.tokens[index]), int(matches.payload[index])
            tokens = range(start, start + count)
            if any(token in taken for token in tokens):
                continue
            if mask & _MEDICAL and count > 1 and not mask & _FULL:
                taken.update(tokens)
                continue
            if count == 1 and mask & _NEEDS_CONTEXT:
                singles.append((start, mask))
                continue
            entity = self._entity(start, count, mask)
            if entity is not None:
                taken.update(tokens)
                if entity in (Entity.PATIENT, Entity.PROVIDER):
                    names.update(tokens)
                yield start, count, entity
        yield from self._accepted_singles(singles, taken, names)

    def _candidates(self, matches: TermMatches) -> TermMatches:
        """Return the matches that may be accepted, and the medical phrases that hide others."""
        scan = self._scan
        is_single = matches.tokens == 1
        # Hurried writers write names in small letters; only words without another meaning are accepted so.
        is_rare = ~self._is_everyday & (scan.lengths >= _MIN_SMALL_LETTERS)
        is_written_small = ~(scan.capital | scan.digits | is_rare)[matches.first]
        needs_capital = (matches.payload & np.uint64(_ANY_UNAMBIGUOUS)) == 0
        is_kept = ((matches.payload & np.uint64(_ANY)) != 0) & ~(is_single & is_written_small & needs_capital)
        is_kept |= ~is_single & ((matches.payload & np.uint64(_MEDICAL)) != 0)
        return TermMatches(matches.first[is_kept], matches.tokens[is_kept], matches.payload[is_kept])

    def _entity(self, start: int, count: int, mask: int) -> Entity | None:
        """Return the entity of a term of several words, or of an unambiguous kind; ``None`` if it is not accepted."""
        for kinds, entity in _UNAMBIGUOUS:
            if mask & kinds:
                return entity if count > 1 or self._is_unambiguous_word(start) else None
        scan, tokens = self._scan, slice(start, start + count)
        is_weak = bool(self._is_weak[tokens].all())
        if is_weak and (not scan.capital[tokens].all() or scan.caps_line[start]) and not self._is_titled(start):
            return None
        if mask & _NAME:
            return None if self._is_dotted_credential(start + count - 1) else self._person(start, count, mask)
        if mask & _CITY:
            return Entity.CITY
        if mask & _STATE:
            return Entity.STATE
        return Entity.ZIP if mask & _ZIP else None

    def _is_unambiguous_word(self, start: int) -> bool:
        """Whether a one-word facility is meant: everyday words are capitalised, medical ones follow "at" too."""
        if not self._is_everyday[start]:
            return True
        before = int(self._single[start - 1]) if self._has_word_before(start) else 0
        return bool(self._scan.capital[start]) and not (int(self._single[start]) & _MEDICAL and not before & _LOCATIVE)

    def _has_word_before(self, start: int) -> bool:
        """Whether the token before is one of the same text: notes that are read together do not touch each other."""
        return start > 0 and bool(self._scan.document[start - 1] == self._scan.document[start])

    def _is_dotted_credential(self, last: int) -> bool:
        """Whether the token is the first letter of a credential with full stops: the D of "Williams, D.O."."""
        scan = self._scan
        if scan.lengths[last] != 1 or last + 1 >= len(scan) or scan.lengths[last + 1] != 1 or not scan.joins_next[last]:
            return False
        return scan.gap_after(last) == [_FULL_STOP] and scan.gap_after(last - 1) == [_COMMA, _BLANK]

    def _accepted_singles(
        self, singles: list[tuple[int, int]], taken: set[int], names: set[int]
    ) -> Iterator[tuple[int, int, Entity]]:
        """Yield one-word names and places: first those accepted by themselves, then everyday words before a name."""
        cities: set[int] = set()
        rejected: list[tuple[int, int]] = []
        for start, mask in sorted(singles):
            if start in taken:
                continue
            entity = self._place(start, mask, cities)
            if entity is None and mask & _NAME and (not self._is_weak[start] or self._is_name_here(start, names)):
                entity = self._person(start, 1, mask)
                names.add(start)
            if entity is None:
                rejected.append((start, mask))
                continue
            if entity is Entity.CITY:
                cities.add(start)
            taken.add(start)
            yield start, 1, entity
        for start, mask in reversed(rejected):
            is_before_name = start + 1 in names and self._scan.adjoins_next(start)
            # "DON Marie Silva": three capitals in mixed text are an office.
            if mask & _NAME and is_before_name and not self._is_abbreviation[start]:
                names.add(start)
                yield start, 1, self._person(start, 1, mask)

    def _is_titled(self, start: int) -> bool:
        if start == 0 or not self._is_near_next(start - 1):
            return False
        # "PATIENT WILL RETURN", "Patient Will": before a frequent word in capitals, "patient" is not a title.
        is_frequent = self._scan.upper[start] and int(self._single[start]) & _FREQUENT
        titles = _CLINICIAN_TITLE | _TITLE | (0 if is_frequent else _SUBJECT)
        return bool(self._single[start - 1] & np.uint64(titles))

    def _is_near_next(self, token: int) -> bool:
        """Whether a token and the next are in one line, at most two characters apart."""
        scan = self._scan
        return bool(scan.joins_next[token]) and int(scan.starts[token + 1] - scan.ends[token]) <= _MAX_NEAR_CHARACTERS

    def _is_credentialed(self, end: int) -> bool:
        """Whether a credential in capitals follows the token before ``end``."""
        if end >= len(self._single) or not self._is_near_next(end - 1):
            return False
        return bool(self._single[end] & np.uint64(_CREDENTIAL)) and bool(self._scan.capital[end])

    def _is_name_here(self, start: int, names: set[int]) -> bool:
        """Whether the words around an everyday word show that it is a name here."""
        scan = self._scan
        if not scan.capital[start]:
            return False
        if self._is_titled(start) or self._is_credentialed(start + 1):
            return True
        if start > 0 and start - 1 in names and scan.adjoins_next(start - 1):
            return True
        return self._is_full_name(start) or self._is_capitalised_in_sentence(start)

    def _is_capitalised_in_sentence(self, start: int) -> bool:
        """Whether an everyday word is capitalised after a word in small letters, and no capitalised word follows."""
        scan, single = self._scan, self._single
        if scan.caps_line[start] or scan.upper[start] or scan.opens_sentence[start] or start == 0:
            return False
        if single[start] & np.uint64(_MEDICAL | _MONTH) or scan.lengths[start] < _MIN_EVERYDAY_NAME:
            return False
        follows_small = not scan.capital[start - 1] and not scan.digits[start - 1] and self._is_near_next(start - 1)
        is_last = start + 1 >= len(single) or not scan.joins_next[start]
        return follows_small and (is_last or not (scan.capital[start + 1] or scan.digits[start + 1]))

    def _is_full_name(self, start: int) -> bool:
        """Whether a given name and a family name are here, both capitalised, and no heading continues after them."""
        scan, single = self._scan, self._single
        if not (single[start] & np.uint64(_GIVEN)) or scan.caps_line[start] or not scan.adjoins_next(start):
            return False
        if not (single[start + 1] & np.uint64(_FAMILY)) or not scan.capital[start + 1] or scan.upper[start]:
            return False
        return not scan.joins_next[start + 1] or not scan.capital[start + 2]

    def _person(self, start: int, count: int, mask: int) -> Entity:
        """Return whether a name is a patient's or a clinician's; title and credential decide where it is both."""
        if not mask & _PATIENT:
            return Entity.PROVIDER
        before = int(self._single[start - 1]) if start > 0 and self._is_near_next(start - 1) else 0
        has_title = bool(before & _CLINICIAN_TITLE)
        if mask & _PROVIDER and before & _TITLE:
            has_title = False
        return Entity.PROVIDER if has_title or self._is_credentialed(start + count) else Entity.PATIENT

    def _place(self, start: int, mask: int, cities: set[int]) -> Entity | None:
        """Return the entity of a one-word place; ``None`` where the words around it show no place.

        Args:
            start: index of the word.
            mask: its payload.
            cities: indices of the cities accepted so far.
        """
        before = int(self._single[start - 1]) if start > 0 and self._scan.joins_next[start - 1] else 0
        if mask & _ZIP and self._scan.digits[start]:
            return Entity.ZIP if before & _STATE and self._scan.capital[start - 1] else None
        # That a word is a name too counts against a state only if it is not an everyday word.
        is_name = mask & _NAME and not self._is_weak[start]
        if mask & _STATE and not is_name and self._is_state(start, before, cities):
            return Entity.STATE
        if mask & _CITY and self._is_city(start, mask, before):
            return Entity.CITY
        return None

    def _is_state(self, start: int, before: int, cities: set[int]) -> bool:
        scan = self._scan
        if scan.lengths[start] != _STATE_CODE_LETTERS:
            return not self._is_weak[start] or bool(before & _LOCATIVE)
        # "OR", "IN", "ME", "MA": a state only after a city or before a ZIP code.
        if not scan.upper[start]:
            return False
        is_after_city = start - 1 in cities and self._has_word_before(start)
        follows_city = is_after_city or bool(before & _CITY and not self._is_weak[start - 1])
        return follows_city or self._zip_follows(start)

    def _zip_follows(self, start: int) -> bool:
        scan = self._scan
        follows = start + 1 < len(self._single) and bool(scan.joins_next[start])
        return follows and bool(scan.digits[start + 1]) and int(scan.lengths[start + 1]) == _ZIP_DIGITS

    def _is_city(self, start: int, mask: int, before: int) -> bool:
        """Whether a city is meant: before a state, after "in", or a word that is neither everyday nor a name."""
        scan, single = self._scan, self._single
        follows = start + 1 < len(single) and bool(scan.joins_next[start])
        after = int(single[start + 1]) if follows else 0
        state_follows = bool(after & _STATE) and bool(scan.capital[start + 1]) and self._is_near_next(start)
        if state_follows and (scan.lengths[start + 1] > _STATE_CODE_LETTERS or scan.upper[start + 1]):
            return True
        is_located = bool(before & _LOCATIVE) and not scan.capital[start - 1]
        if is_located and not (scan.caps_line[start] or single[start] & np.uint64(_MEDICAL)):
            return True
        return not mask & _NAME and not self._is_weak[start]
