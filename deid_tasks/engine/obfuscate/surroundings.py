"""What a note says around its identifiers: the title and sex of a name, the owner of a telephone number or a town."""

import datetime
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from deid_tasks.core.entities import CATEGORY, Category, Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.dates.date_parts import read_dates
from deid_tasks.engine.obfuscate.entity_groups import NAMES, ORGANIZATIONS, PLACES
from deid_tasks.engine.obfuscate.note_context import NameCue, NoteContext
from deid_tasks.engine.obfuscate.note_places import NotePlaces
from deid_tasks.engine.obfuscate.note_sexes import TITLE, TITLE_REACH, NoteSexes
from deid_tasks.engine.obfuscate.people.name_text import fold_name, name_parts
from deid_tasks.engine.obfuscate.people.public_names import UNKNOWN_NAME, given_name_table, surname_groups
from deid_tasks.engine.obfuscate.places.address import NO_ADDRESS, AddressParts

_OF_ADDRESS = PLACES | {Entity.STREET, Entity.COUNTRY, Entity.LOCATION_OTHER, Entity.PHONE, Entity.FAX}
_PROPER_NAMES = NAMES | PLACES | ORGANIZATIONS | {Entity.STREET, Entity.LOCATION_OTHER}
"""Entities that a part of an organization's name may have been detected as."""
_TITLE_WORDS = (
    *("dr", "drs", "doctor", "prof", "professor", "attending", "resident", "surgeon", "physician"),
    *("mr", "mister", "sir", "mrs", "ms", "miss", "madam", "ma'am"),
    *("herr", "mdm", "mme", "mlle", "sra", "señora", "frau"),
)
"""The words that ``TITLE`` finds."""
_BETWEEN_PLACES = re.compile(
    r"[\s,;:|(/•–-]*(?:(?:in|of|at|on|near|located|,|tel|phone|ph|fax)\b[\s,:.(]*){0,2}", re.IGNORECASE
)
_MAX_ADDRESS_GAP = 4
"""City, state and ZIP with at most this many characters between them belong to one address."""
_TELEPHONE_REACH = 60
_MIN_NUMBER = 4
"""A shorter number may stand in a file name by accident."""
_LAST_DIGITS = 4
_DIGITS_AT_END = re.compile(r"(?<!\d)\d+$", re.ASCII)
_BEHIND, _LINE = 20, 40
"""How much farther an address seems that stands behind a number, and one of another line, in characters."""
_MIN_TOWN = 3
_WORD = re.compile(r"[^\W_]+")
_TOWN_REACH = 24
_ADDRESS_LINE_REACH = 12
"""Characters between the parts of a letterhead, with "Tel." perhaps."""
_MAX_INITIAL = 2
_YEAR_DIGITS = 4


class Surroundings:
    """One note's text and spans, asked about the neighbourhood of a span. Not retained beyond the note.

    Args:
        text: the note.
        spans: its spans, in order.
    """

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self.text = text
        self._spans = spans
        self._titles: dict[int, str] = {}

    def cue(self, start: int, entity: Entity) -> "NoteCue":
        """Return the cue of the name at ``start``."""
        return NoteCue(self.title(start), self, entity)

    def title(self, start: int) -> str:
        """Return ``dr`` or ``mr`` where a title stands before ``start``, else an empty string."""
        known = self._titles.get(start)
        if known is None:
            known = self._titles[start] = self._title_before(start)
        return known

    def _title_before(self, start: int) -> str:
        if start < 3 or self.text[start - 1] not in " \t":
            return ""
        # Most names have no title before them; an expression costs four times as much to find that out.
        before = self.text[max(0, start - TITLE_REACH) : start]
        if not before.rstrip().rstrip(".:").casefold().endswith(_TITLE_WORDS):
            return ""
        found = TITLE.search(self.text, max(0, start - TITLE_REACH), start)
        return "" if found is None else "dr" if found["dr"] else "mr"

    def start(self, index: int) -> int:
        """Return where span ``index`` begins."""
        return self._spans[index].start

    def is_hyphen(self, end: int) -> bool:
        """Whether a hyphen stands at ``end``."""
        return self.text[end : end + 1] == "-"

    def sex(self, folded: str, entity: Entity) -> str:
        """Return the sex by titles, relations and pronouns: ``F``, ``M``, or empty where they say nothing."""
        return self.sexes.sex(folded, entity)

    @cached_property
    def sexes(self) -> NoteSexes:
        """What the note says of the sex of its people."""
        return NoteSexes(self.text, self._spans)

    def address(self, index: int) -> AddressParts:
        """Return city, state and ZIP of the address that span ``index`` stands in."""
        found = {Entity.CITY: "", Entity.STATE: "", Entity.ZIP: ""}
        spans, text = self._spans, self.text
        for step in (-1, 1):
            here = index
            while 0 <= here + step < len(spans):
                other = spans[here + step]
                first, second = (other, spans[here]) if step < 0 else (spans[here], other)
                is_between = other.entity in {Entity.LOCATION_OTHER, Entity.COUNTRY}
                if second.start - first.end > _MAX_ADDRESS_GAP or (other.entity not in PLACES and not is_between):
                    break
                here += step
                if is_between:
                    continue
                found[other.entity] = found[other.entity] or text[other.start : other.end]
        own = spans[index]
        if own.entity in found:
            found[own.entity] = text[own.start : own.end]
        behind = spans[index + 1] if index + 1 < len(spans) else None
        is_suburb = (
            own.entity is Entity.CITY
            and behind is not None
            and behind.entity is Entity.CITY
            and text[own.end : behind.start] == ", "
        )
        return AddressParts(found[Entity.CITY], found[Entity.STATE], found[Entity.ZIP], is_suburb)

    def nearest_address(self, index: int) -> AddressParts:
        """Return the address whose city stands nearest to span ``index``; an empty one where the note has none.

        A number mostly stands behind its address, and in one line with it.
        """
        span = self._spans[index]

        def distance(i: int) -> int:
            city = self._spans[i]
            gap = self.text[city.end : span.start] or self.text[span.end : city.start]
            return len(gap) + (0 if i < index else _BEHIND) + (_LINE if "\n" in gap else 0)

        cities = (i for i, one in enumerate(self._spans) if one.entity is Entity.CITY)
        nearest = min(cities, key=distance, default=None)
        return NO_ADDRESS if nearest is None else self.address(nearest)

    @cached_property
    def places(self) -> NotePlaces:
        """The towns of the note."""
        return NotePlaces(self.text, self._spans, self.address)

    def value(self, index: int) -> str:
        """Return the text of span ``index``."""
        span = self._spans[index]
        return self.text[span.start : span.end]

    def town(self, folded: str) -> int | None:
        """Return the index of the first span that is a town of that name; ``None`` without one."""
        return self._towns.get(folded)

    @cached_property
    def _towns(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for index, span in enumerate(self._spans):
            value = self.value(index)
            if span.entity is Entity.CITY and value.replace(" ", "").isalpha() and len(value) > _MIN_TOWN:
                found.setdefault(fold(value), index)
        return found

    def country_of(self, city: str) -> str:
        """Return the country that stands behind a city, folded, anywhere in the note; empty without one."""
        return self._countries.get(city, "")

    @cached_property
    def _countries(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for index, (span, behind) in enumerate(pairwise(self._spans)):
            if span.entity is not Entity.CITY or behind.entity is not Entity.COUNTRY:
                continue
            if self.text[span.end : behind.start] in {", ", " ", " ("}:
                found.setdefault(fold(self.value(index)), self.value(index + 1))
        return found

    @cached_property
    def has_letterhead(self) -> bool:
        """Whether the note says where an organization lies."""
        return any(span.entity in PLACES and self.is_of_organization(i) for i, span in enumerate(self._spans))

    def is_of_organization(self, index: int) -> bool:
        """Whether an address, or a part of one, belongs to the organization before it ("Mercy Hospital in Boston")."""
        spans, text = self._spans, self.text
        for here in range(index, 0, -1):
            before, span = spans[here - 1], spans[here]
            if span.start - before.end > _TOWN_REACH or not _BETWEEN_PLACES.fullmatch(text, before.end, span.start):
                return False
            if before.entity in ORGANIZATIONS:
                return True
            if before.entity not in _OF_ADDRESS:
                return False
        return False

    def is_of_staff(self, index: int) -> bool:
        """Whether a telephone number belongs to a clinician or an organization.

        It belongs to whoever is named last before it; a fax or a pager without a name before it belongs to the
        institution.
        """
        spans = self._spans
        start = spans[index].start
        for here in range(index - 1, -1, -1):
            before = spans[here]
            if start - before.end > _TELEPHONE_REACH or "\n\n" in self.text[before.end : start]:
                break
            if before.entity in {Entity.PATIENT, Entity.RELATIVE}:
                return False
            if before.entity is Entity.PROVIDER or before.entity in ORGANIZATIONS:
                return True
            if before.entity in _OF_ADDRESS and start - before.end <= _ADDRESS_LINE_REACH:
                # The number behind an address is of whom the address is.
                start = before.start
        return spans[index].entity in {Entity.FAX, Entity.PAGER}

    @cached_property
    def clinicians(self) -> frozenset[str]:
        """Every word, folded, of the names of clinicians in the note."""
        names = (self.text[span.start : span.end] for span in self._spans if span.entity is Entity.PROVIDER)
        return frozenset(fold_name(word) for name in names for _, _, word in name_parts(name) if len(word) > 1)

    def is_beside_name(self, index: int) -> bool:
        """Whether a name, a place or another organization stands right beside span ``index``.

        In front of brackets an organization does, too.
        """
        spans, text = self._spans, self.text
        span = spans[index]
        before = spans[index - 1] if index else None
        after = spans[index + 1] if index + 1 < len(spans) else None
        is_in_brackets = text[span.end : span.end + 1] == ")"
        return bool(
            (before and before.entity in _PROPER_NAMES and text[before.end : span.start] == " ")
            or (before and before.entity in ORGANIZATIONS and text[before.end : span.start] == " (" and is_in_brackets)
            or (after and after.entity in _PROPER_NAMES and text[span.end : after.start] == " ")
        )

    def is_behind_organization(self, index: int) -> bool:
        """Whether a comma and the name of an organization stand in front of span ``index``."""
        before = self._spans[index - 1] if index else None
        return (
            before is not None
            and before.entity in ORGANIZATIONS
            and (self.text[before.end : self._spans[index].start] in {", ", ","})
        )

    @cached_property
    def numbers(self) -> dict[str, Entity]:
        """The numbers of the note that may stand in names of files too."""
        return {
            value: span.entity
            for span in self._spans
            if CATEGORY[span.entity] is Category.ID and len(value := self.text[span.start : span.end]) >= _MIN_NUMBER
        }

    def ends_with(self, digits: str) -> tuple[str, Entity] | None:
        """Return the longer number of the note that ends in these digits, and its entity; ``None`` without one.

        More than four digits are a part of a number by themselves.
        """
        found = self._tails.get(digits)
        return found if found is not None and len(found[0]) > len(digits) else None

    @cached_property
    def _tails(self) -> dict[str, tuple[str, Entity]]:
        """The numbers by their last four characters, and by the digits that they end in."""
        tails: dict[str, tuple[str, Entity]] = {}
        for one, entity in self.numbers.items():
            if "_" in one:
                # The name of a file, which is made of numbers.
                continue
            digits = _DIGITS_AT_END.search(one)
            for tail in {one[-_LAST_DIGITS:], digits.group() if digits else ""}:
                if len(tail) < len(one):
                    tails.setdefault(tail, (one, entity))
        return tails

    def names_day(self, day: datetime.date, context: NoteContext) -> bool:
        """Whether the note names a day by its month and its number."""
        now = context.written_at
        number = re.compile(rf"(?<!\d)0?{day.day}(?!\d)", re.ASCII)
        for span in self._spans:
            if span.entity is Entity.DATE and now is not None and number.search(self.text, span.start, span.end):
                dates = read_dates(self.text[span.start : span.end], now, is_day_first=context.is_day_first)
                if any(one.day == day and {"month", "day"} <= {part.role for part in one.parts} for one in dates):
                    return True
        return False

    @cached_property
    def bare_years(self) -> tuple[int, ...]:
        """The dates of the note that are four digits and nothing else: years, or times of day without a colon."""
        dates = (self.text[span.start : span.end] for span in self._spans if span.entity is Entity.DATE)
        return tuple(int(date) for date in dates if len(date) == _YEAR_DIGITS and date.isdecimal())

    @cached_property
    def _said(self) -> frozenset[str]:
        bounds = [0, *(bound for span in self._spans for bound in (span.start, span.end)), len(self.text)]
        outside = " ".join(self.text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
        return frozenset(map(fold, _WORD.findall(outside)))

    def says(self, folded: str) -> bool:
        """Whether a word of three letters or more stands in the note outside its spans."""
        return len(folded) > 2 and folded in self._said

    @cached_property
    def organizations(self) -> tuple[str, ...]:
        """The names of organizations in the note."""
        return tuple(
            dict.fromkeys(self.text[span.start : span.end] for span in self._spans if span.entity in ORGANIZATIONS)
        )

    @cached_property
    def long_names(self) -> tuple[str, ...]:
        """Names of organizations of more than one word in the note, which abbreviations may stand for."""
        return tuple(name for name in self.organizations if " " in name.strip())


class NoteCue:
    """What the note says about one name. It looks for the name's sex only when called for it.

    Args:
        title: the title before the name.
        surroundings: of the note.
        entity: whose name it is.
    """

    def __init__(self, title: str, surroundings: Surroundings, entity: Entity) -> None:
        self._cue = NameCue(title)
        self._surroundings = surroundings
        self._entity = entity
        self.read_sex = False
        """Whether an answer came from the note; the surrogate then holds in this note alone."""

    def __call__(self, folded: str) -> NameCue:
        """Return the title of the name and, where a part of it is given, that part's sex."""
        if not folded:
            return self._cue
        self.read_sex = True
        return NameCue(self._cue.title, self._surroundings.sex(folded, self._entity))


def join_names(text: str, spans: Sequence[Span]) -> list[tuple[int, int, Entity, int]]:
    """Return ``(start, end, entity, index)`` of what is rewritten as one: a span, or two spans that are one name.

    "Kelly" and "Morgan" with a space between them are one person, whichever entities they were detected as. So are
    "Smith" and "John" with a comma between them, where the first word is not a frequent given name.
    """
    joined: list[tuple[int, int, Entity, int]] = []
    for index, span in enumerate(spans):
        if joined and span.entity in NAMES:
            start, end, entity, first = joined[-1]
            if entity is span.entity:
                if 0 < span.start - end <= 2 and _is_one_name(text, start, end, span):
                    joined[-1] = (start, span.end, entity, first)
                    continue
            elif entity in NAMES and text[end : span.start] == " ":
                # Names of two people never stand so: detectors disagreed about the parts of one name.
                whole = Entity.PROVIDER if Entity.PROVIDER in {entity, span.entity} else Entity.RELATIVE
                joined[-1] = (start, span.end, whole, first)
                continue
        joined.append((span.start, span.end, span.entity, index))
    return joined


def _is_one_name(text: str, start: int, end: int, span: Span) -> bool:
    gap = text[end : span.start]
    if gap in {" ", "-"}:
        return True
    if gap == ". ":
        # Behind an initial or a title; a longer word ends a sentence.
        return len(text[start:end].split()[-1]) <= _MAX_INITIAL
    left, right = text[start:end], text[span.start : span.end]
    if gap not in {", ", ","} or not left.replace("-", "").isalpha():
        return False
    names = given_name_table()
    left_bearers = names.get(fold_name(left), UNKNOWN_NAME).bearers
    right_bearers = names.get(fold_name(right.split()[0] if right.split() else ""), UNKNOWN_NAME).bearers
    return left_bearers < right_bearers and (fold_name(left) in surname_groups() or left_bearers == 0.0)
