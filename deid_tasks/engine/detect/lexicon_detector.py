"""The institution's dictionaries as a detector: who its patients, clinicians and places are."""

from collections.abc import Iterator, Sequence

import numpy as np

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import Lexicon, Scan, TermMatches, mask_of, text_batches
from deid_tasks.engine.lexicon.scan import U64
from deid_tasks.engine.text import Document

PATIENT = mask_of("patient_name")
PROVIDER = mask_of("provider", "first", "last", "full")
FULL = mask_of("patient_name", "full") | mask_of("provider", "full")
NAME = PATIENT | PROVIDER
CITY, STATE, ZIP = mask_of("address", "city"), mask_of("address", "state"), mask_of("address", "zip")
PLACE = CITY | STATE | mask_of("facility", "name", "short_name") | mask_of("address", "street")
MEDICAL = mask_of("medical")
COMMON, FREQUENT = mask_of("common"), mask_of("common", "frequent")
CLINICIAN_TITLE = mask_of("cue", "clinician_title", "role")
TITLE = mask_of("cue", "title")
SUBJECT = mask_of("cue", "subject")
CREDENTIAL, LOCATIVE = mask_of("cue", "credential"), mask_of("cue", "locative")
MONTH = mask_of("cue", "month")
GIVEN = mask_of("patient_name", "first", "preferred") | mask_of("provider", "first")
FAMILY = mask_of("patient_name", "last") | mask_of("provider", "last")

OTHERS: tuple[tuple[int, Entity], ...] = (
    (mask_of("facility", "name", "short_name"), Entity.FACILITY),
    (mask_of("address", "street"), Entity.STREET),
    (mask_of("provider", "user_id"), Entity.USERNAME),
    (mask_of("provider", "npi"), Entity.LICENSE),
    (mask_of("provider", "pager"), Entity.PAGER),
    (mask_of("facility", "fax"), Entity.FAX),
    (mask_of("provider", "phone") | mask_of("facility", "phone"), Entity.PHONE),
)
"""Tables whose terms are taken wherever they stand, the first that fits; names, cities, states and ZIPs need their context read."""
_SURE = sum(mask for mask, _ in OTHERS)
_ANY = NAME | CITY | STATE | ZIP | _SURE
MIN_LOW = 5
"""A name in small letters has at least this many, and is no everyday or medical word."""


class LexiconDetector:
    """Finds dictionary terms; the longest term at a place wins, and a longer medical term hides the name inside it.

    A single word that is a name is taken as names are written: capitalised, or a rare word in small letters; and where it is also an everyday or medical
    word (Will, Grace, Long), only next to a title, a credential or another name, or capitalised in mid-sentence. In lines of
    capitals everyday words need such a neighbour too.
    """

    name = "lexicon"

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of each document, sorted and disjoint."""
        found: list[list[Span]] = [[] for _ in documents]
        for batch in text_batches([document.text for document in documents]):
            scan = self._lexicon.scan([documents[index].text for index in batch])
            matches, single = self._lexicon.match(scan)
            for first, count, entity in _Reading(scan, single).resolve(matches):
                text = int(scan.document[first])
                base = int(scan.bases[text])
                start, end = int(scan.starts[first]) - base, int(scan.ends[first + count - 1]) - base
                found[batch[text]].append(Span(start, end, entity, self.name))
        for spans in found:
            spans.sort()
        return found


class _Reading:
    """What the tokens of one batch look like, and which matches are believed."""

    def __init__(self, scan: Scan, single: U64) -> None:
        self.scan = scan
        self.single = single
        self.everyday = (single & np.uint64(COMMON | MEDICAL)) != 0
        self.short = (scan.lengths <= 3) & scan.upper & ~scan.caps_line
        """Capitals of up to three letters in mixed text are abbreviations more often than names."""
        self.weak = self.everyday | self.short | (scan.lengths < 2) | scan.digits

    def resolve(self, matches: TermMatches) -> Iterator[tuple[int, int, Entity]]:
        """First token, number of tokens and entity of each believed match."""
        scan = self.scan
        interesting = (matches.payload & np.uint64(_ANY)) != 0
        one = matches.tokens == 1
        # Hurried notes write names small; only words that are nothing else are believed so.
        rare = ~self.everyday & (scan.lengths >= MIN_LOW)
        written_low = ~(scan.capital | scan.digits | rare)[matches.first]
        needs_capital = (matches.payload & np.uint64(_SURE)) == 0
        keep = interesting & ~(one & written_low & needs_capital)
        keep |= ~one & ((matches.payload & np.uint64(MEDICAL)) != 0)
        first, tokens, payload = matches.first[keep], matches.tokens[keep], matches.payload[keep]
        # Sure terms and longer terms first; among equals the earlier one.
        order = np.lexsort((first, -tokens))
        taken: set[int] = set()
        pending: list[tuple[int, int]] = []
        names: set[int] = set()
        for position in order.tolist():
            start, count, mask = int(first[position]), int(tokens[position]), int(payload[position])
            places = range(start, start + count)
            if any(place in taken for place in places):
                continue
            if mask & MEDICAL and count > 1 and not mask & FULL:
                taken.update(places)
                continue
            if count == 1 and mask & (NAME | CITY | STATE | ZIP):
                pending.append((start, mask))
                continue
            entity = self._longer(start, count, mask)
            if entity is not None:
                taken.update(places)
                if entity in (Entity.PATIENT, Entity.PROVIDER):
                    names.update(places)
                yield start, count, entity
        yield from self._singles(pending, taken, names)

    def _longer(self, start: int, count: int, mask: int) -> Entity | None:
        scan, end = self.scan, start + count
        places = slice(start, end)
        for table, entity in OTHERS:
            if mask & table:
                # A one-word facility that is an everyday word must be capitalised; a medical abbreviation needs a place word too.
                if count == 1 and self.everyday[start]:
                    before = int(self.single[start - 1]) if start else 0
                    if not scan.capital[start] or (int(self.single[start]) & MEDICAL and not before & LOCATIVE):
                        return None
                return entity
        all_weak = bool(self.weak[places].all())
        if all_weak and (not scan.capital[places].all() or scan.caps_line[start]) and not self._titled(start):
            return None
        if mask & NAME:
            return None if self._is_dotted(end - 1) else self._person(start, count, mask)
        if mask & CITY:
            return Entity.CITY
        if mask & STATE:
            return Entity.STATE
        return Entity.ZIP if mask & ZIP else None

    def _is_dotted(self, last: int) -> bool:
        """Whether the token is the first letter of a credential with full stops: the D of "Williams, D.O."."""
        scan = self.scan
        if scan.lengths[last] != 1 or last + 1 >= len(scan) or scan.lengths[last + 1] != 1 or not scan.joins_next[last]:
            return False
        gap = scan.codes[scan.ends[last] : scan.starts[last + 1]].tolist()
        before = scan.codes[scan.ends[last - 1] : scan.starts[last]].tolist()
        return bool(gap == [46] and before == [44, 32])

    def _singles(
        self, pending: list[tuple[int, int]], taken: set[int], names: set[int]
    ) -> Iterator[tuple[int, int, Entity]]:
        """One-word names and places: first those that stand alone, then everyday words beside an accepted name."""
        cities: set[int] = set()
        doubtful: list[tuple[int, int]] = []
        for start, mask in sorted(pending):
            if start in taken:
                continue
            entity = self._place(start, mask, cities)
            if entity is None and mask & NAME and (not self.weak[start] or self._named(start, names)):
                entity = self._person(start, 1, mask)
                names.add(start)
            if entity is None:
                doubtful.append((start, mask))
                continue
            if entity is Entity.CITY:
                cities.add(start)
            taken.add(start)
            yield start, 1, entity
        for start, mask in reversed(doubtful):
            # "DON Marie Silva": three capitals in mixed text are an office.
            if mask & NAME and start + 1 in names and self._adjoins(start) and not self.short[start]:
                names.add(start)
                yield start, 1, self._person(start, 1, mask)

    def _adjoins(self, start: int) -> bool:
        """Whether the next token follows after one blank, a comma and a blank, or a hyphen, on the same line."""
        scan = self.scan
        if not scan.joins_next[start]:
            return False
        gap = scan.codes[scan.ends[start] : scan.starts[start + 1]].tolist()
        return gap in ([32], [44, 32], [44], [45], [46, 32])

    def _titled(self, start: int) -> bool:
        if start == 0 or not self._near(start - 1):
            return False
        # "PATIENT WILL RETURN", "Patient Will": in capitals the word says nothing about the next.
        frequent = self.scan.upper[start] and int(self.single[start]) & FREQUENT
        titles = CLINICIAN_TITLE | TITLE | (0 if frequent else SUBJECT)
        return bool(self.single[start - 1] & np.uint64(titles))

    def _near(self, start: int) -> bool:
        """Whether token ``start`` and the next stand in one line at most two characters apart."""
        scan = self.scan
        return bool(scan.joins_next[start]) and int(scan.starts[start + 1] - scan.ends[start]) <= 2

    def _credentialed(self, end: int) -> bool:
        """Whether a credential in capitals follows the token before ``end``."""
        if end >= len(self.single) or not self._near(end - 1):
            return False
        return bool(self.single[end] & np.uint64(CREDENTIAL)) and bool(self.scan.capital[end])

    def _named(self, start: int, names: set[int]) -> bool:
        """Whether what stands around an everyday word says that it is a name here."""
        scan, single = self.scan, self.single
        if not scan.capital[start]:
            return False
        if self._titled(start) or self._credentialed(start + 1):
            return True
        if start > 0 and start - 1 in names and self._adjoins(start - 1):
            return True
        if self._pairs(start):
            return True
        if scan.caps_line[start] or scan.upper[start] or scan.opens_sentence[start] or start == 0:
            return False
        if single[start] & np.uint64(MEDICAL | MONTH) or scan.lengths[start] < 3:
            return False
        low_before = not scan.capital[start - 1] and not scan.digits[start - 1] and self._near(start - 1)
        last = start + 1 >= len(single) or not scan.joins_next[start]
        return low_before and (last or not (scan.capital[start + 1] or scan.digits[start + 1]))

    def _pairs(self, start: int) -> bool:
        """Whether a given name and a family name stand here, both capitalised, and no heading goes on after them."""
        scan, single = self.scan, self.single
        if not (single[start] & np.uint64(GIVEN)) or scan.caps_line[start] or not self._adjoins(start):
            return False
        if not (single[start + 1] & np.uint64(FAMILY)) or not scan.capital[start + 1] or scan.upper[start]:
            return False
        return not scan.joins_next[start + 1] or not scan.capital[start + 2]

    def _person(self, start: int, count: int, mask: int) -> Entity:
        if not mask & PATIENT:
            return Entity.PROVIDER
        if not mask & PROVIDER:
            clinician = (
                start > 0 and bool(self.single[start - 1] & np.uint64(CLINICIAN_TITLE)) and self._near(start - 1)
            )
            return Entity.PROVIDER if clinician or self._credentialed(start + count) else Entity.PATIENT
        before = int(self.single[start - 1]) if start > 0 and self._near(start - 1) else 0
        if (before & CLINICIAN_TITLE and not before & TITLE) or self._credentialed(start + count):
            return Entity.PROVIDER
        return Entity.PATIENT

    def _place(self, start: int, mask: int, cities: set[int]) -> Entity | None:
        scan, single = self.scan, self.single
        before = int(single[start - 1]) if start > 0 and scan.joins_next[start - 1] else 0
        follows = start + 1 < len(single) and bool(scan.joins_next[start])
        after = int(single[start + 1]) if follows else 0
        zip_follows = follows and bool(scan.digits[start + 1]) and int(scan.lengths[start + 1]) == 5
        if mask & ZIP and scan.digits[start]:
            return Entity.ZIP if before & STATE and scan.capital[start - 1] else None
        if mask & STATE and not mask & NAME & ~self._weak_mask(start):
            code = scan.lengths[start] == 2
            if code:
                # "OR", "IN", "ME", "MA": a state only between a city and a ZIP, or after either.
                if scan.upper[start] and (
                    start - 1 in cities or zip_follows or bool(before & CITY and not self.weak[start - 1])
                ):
                    return Entity.STATE
            elif not self.weak[start] or before & LOCATIVE:
                return Entity.STATE
        if mask & CITY:
            state_follows = bool(after & STATE) and bool(scan.capital[start + 1]) and self._near(start)
            if state_follows and (scan.lengths[start + 1] > 2 or scan.upper[start + 1]):
                return Entity.CITY
            located = bool(before & LOCATIVE) and not scan.capital[start - 1]
            if located and not (scan.caps_line[start] or single[start] & np.uint64(MEDICAL)):
                return Entity.CITY
            if not mask & NAME and not self.weak[start]:
                return Entity.CITY
        return None

    def _weak_mask(self, start: int) -> int:
        """Names count for nothing against a state where the word is everyday language."""
        return NAME if self.weak[start] else 0
