"""What a note says around its identifiers: titles and pronouns of names, whose a telephone or a town is. Nothing outlives the note."""

import re
from collections.abc import Sequence
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.note_context import NameCue
from deid_tasks.engine.obfuscate.people.name_pools import given_names, surname_groups
from deid_tasks.engine.obfuscate.people.name_text import fold_name, name_parts
from deid_tasks.engine.obfuscate.places.cities import Beside

NAMES = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
PLACES = frozenset({Entity.CITY, Entity.STATE, Entity.ZIP})
_OF_ADDRESS = PLACES | {Entity.STREET, Entity.COUNTRY, Entity.LOCATION_OTHER, Entity.PHONE, Entity.FAX}
_ORGANIZED = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_NAMING = NAMES | PLACES | _ORGANIZED | {Entity.STREET, Entity.LOCATION_OTHER}
"""What the name of a place may have been taken for in part."""
_TITLE = re.compile(
    r"\b(?:(?P<dr>drs?|doctor|prof|professor|attending|resident|surgeon|physician)|(?P<M>mr|mister|sir)|(?P<F>mrs|ms|miss|madam|ma'am))\b\.?:?\s+$",
    re.IGNORECASE,
)
_TITLE_WORDS = (
    *("dr", "drs", "doctor", "prof", "professor", "attending", "resident", "surgeon", "physician"),
    *("mr", "mister", "sir", "mrs", "ms", "miss", "madam", "ma'am"),
)
"""What ``_TITLE`` finds."""
_RELATION = re.compile(
    r"\b(?:(?P<M>husband|son|father|dad|brother|uncle|grandfather|grandpa|grandson|boyfriend|nephew|stepfather|stepson|fianc[eé]|widower)"
    r"|(?P<F>wife|daughter|mother|mom|sister|aunt|grandmother|grandma|granddaughter|girlfriend|niece|stepmother|stepdaughter|fianc[eé]e|widow))\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:(?P<M>he|him|his|himself|man|male|gentleman|boy)|(?P<F>she|her|hers|herself|woman|female|lady|girl))\b",
    re.IGNORECASE,
)
_END_OF_SENTENCE = re.compile(r"[.;!?\n]")
_BETWEEN = re.compile(
    r"[\s,;:|(/•–-]*(?:(?:in|of|at|on|near|located|,|tel|phone|ph|fax)\b[\s,:.(]*){0,2}", re.IGNORECASE
)
_ADDRESS_GAP = 4
"""City, state and ZIP with at most this many characters between them belong to one address."""
_REACH_BEFORE, _REACH_AFTER, _REACH_PHONE, _REACH_TOWN = 32, 70, 60, 24


class Surroundings:
    """One note's text and spans, asked about the neighbourhood of a span."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._text = text
        self._spans = spans
        self._sexes: dict[tuple[bool, str], str] = {}

    def cue(self, start: int, entity: Entity) -> "NoteCue":
        """Answers what stands around the name at ``start``: its title at once, the sex of a part of it when asked."""
        return NoteCue(self._title(start), self, entity)

    def sex(self, folded: str, entity: Entity) -> str:
        """The sex that the note gives a given name, by titles, relations and pronouns; empty where it tells none."""
        return self._sex(folded, entity)

    def has_title(self, start: int) -> str:
        """``dr`` or ``mr`` where a title stands before ``start``, else empty."""
        return self._title(start)

    def is_hyphen(self, end: int) -> bool:
        """Whether a hyphen stands at ``end``."""
        return self._text[end : end + 1] == "-"

    def _title(self, start: int) -> str:
        if start < 3 or self._text[start - 1] not in " \t":
            return ""
        # Most names stand behind no title; an expression costs four times as much to say so.
        if not self._text[max(0, start - 14) : start].rstrip().rstrip(".:").casefold().endswith(_TITLE_WORDS):
            return ""
        found = _TITLE.search(self._text, max(0, start - 14), start)
        return "" if found is None else "dr" if found["dr"] else "mr"

    def _sex(self, folded: str, entity: Entity) -> str:
        asked = (entity is Entity.PROVIDER, folded)
        if asked not in self._sexes:
            votes = [self._sex_near(span) for span in self._named(folded, is_provider=entity is Entity.PROVIDER)]
            told = [vote for vote in votes if vote]
            if not told and entity is Entity.PATIENT:
                told = [self._sex_of_note] if self._sex_of_note else []
            self._sexes[asked] = max(("F", "M"), key=told.count) if told else ""
        return self._sexes[asked]

    def _named(self, folded: str, *, is_provider: bool) -> list[Span]:
        """The spans of people that this part of a name stands in."""
        return [
            span
            for span in self._spans
            if span.entity in NAMES and (span.entity is Entity.PROVIDER) == is_provider
            if any(fold_name(word) == folded for _, _, word in name_parts(self._text[span.start : span.end]))
        ]

    def _sex_near(self, span: Span) -> str:
        text = self._text
        found = _TITLE.search(text, max(0, span.start - 14), span.start)
        if found and not found["dr"]:
            return "M" if found["M"] else "F"
        before = _END_OF_SENTENCE.split(text[max(0, span.start - _REACH_BEFORE) : span.start])[-1]
        relations = list(_RELATION.finditer(before))
        if relations:
            return "M" if relations[-1]["M"] else "F"
        after = _PRONOUN.search(text, span.end, span.end + _REACH_AFTER)
        return "" if after is None else "M" if after["M"] else "F"

    @cached_property
    def _sex_of_note(self) -> str:
        men = women = 0
        for found in _PRONOUN.finditer(self._text):
            men, women = men + bool(found["M"]), women + bool(found["F"])
        return "" if men == women else "M" if men > women else "F"

    def beside(self, index: int) -> Beside:
        """The city, state and ZIP that stand in one address with span ``index``, its own among them."""
        found = {Entity.CITY: "", Entity.STATE: "", Entity.ZIP: ""}
        spans, text = self._spans, self._text
        for step in (-1, 1):
            here = index
            while 0 <= here + step < len(spans):
                other = spans[here + step]
                first, second = (other, spans[here]) if step < 0 else (spans[here], other)
                if other.entity not in PLACES or second.start - first.end > _ADDRESS_GAP:
                    break
                here += step
                found[other.entity] = found[other.entity] or text[other.start : other.end]
        own = spans[index]
        if own.entity in found:
            found[own.entity] = text[own.start : own.end]
        return Beside(found[Entity.CITY], found[Entity.STATE], found[Entity.ZIP])

    def is_of_organization(self, index: int) -> bool:
        """Whether an address, or a part of one, is that of the place named before it ("Mercy Hospital in Boston")."""
        spans, text = self._spans, self._text
        for here in range(index, 0, -1):
            before, span = spans[here - 1], spans[here]
            if span.start - before.end > _REACH_TOWN or not _BETWEEN.fullmatch(text, before.end, span.start):
                return False
            if before.entity in _ORGANIZED:
                return True
            if before.entity not in _OF_ADDRESS:
                return False
        return False

    def is_of_staff(self, index: int) -> bool:
        """Whether a telephone is that of the clinician or the place named last before it, and not of the patient's people."""
        spans = self._spans
        start = spans[index].start
        for here in range(index - 1, -1, -1):
            before = spans[here]
            if start - before.end > _REACH_PHONE or "\n\n" in self._text[before.end : start]:
                break
            if before.entity in {Entity.PATIENT, Entity.RELATIVE}:
                return False
            if before.entity is Entity.PROVIDER or before.entity in _ORGANIZED:
                return True
        return spans[index].entity in {Entity.FAX, Entity.PAGER}

    @cached_property
    def clinicians(self) -> frozenset[str]:
        """Every word, folded, of the names of clinicians in the note."""
        named = (self._text[span.start : span.end] for span in self._spans if span.entity is Entity.PROVIDER)
        return frozenset(fold_name(word) for name in named for _, _, word in name_parts(name) if len(word) > 1)

    def is_beside_name(self, index: int) -> bool:
        """Whether a name, a place or another organization stands right beside span ``index``, on either side."""
        spans, text = self._spans, self._text
        span = spans[index]
        before = spans[index - 1] if index else None
        after = spans[index + 1] if index + 1 < len(spans) else None
        return bool(
            (before and before.entity in _NAMING and text[before.end : span.start] == " ")
            or (after and after.entity in _NAMING and text[span.end : after.start] == " ")
        )

    @cached_property
    def long_names(self) -> tuple[str, ...]:
        """The places that the note names by more than one word: where abbreviations come from."""
        named = (self._text[span.start : span.end] for span in self._spans if span.entity in _ORGANIZED)
        return tuple(dict.fromkeys(name for name in named if " " in name.strip()))


class NoteCue:
    """A ``NameCue`` that looks at the note only when it is asked for a sex."""

    def __init__(self, title: str, around: Surroundings, entity: Entity) -> None:
        self._cue = NameCue(title)
        self._around = around
        self._entity = entity
        self.was_asked = False
        """Whether the answer came from the note, so that it holds in this note alone."""

    def __call__(self, folded: str) -> NameCue:
        """What is known; of the part ``folded`` its sex too, where one is given."""
        if not folded:
            return self._cue
        self.was_asked = True
        return NameCue(self._cue.title, self._around.sex(folded, self._entity))


def join_names(text: str, spans: Sequence[Span]) -> list[tuple[int, int, Entity, int]]:
    """``(start, end, entity, index)`` of what is rewritten as one: each span, but one for a name that two adjacent spans share.

    "Kelly" and "Morgan" with a space between them are one person, whoever they were taken for; so are "Smith" and "John" with a comma,
    where the first word is no usual given name.
    """
    units: list[tuple[int, int, Entity, int]] = []
    for index, span in enumerate(spans):
        if units and span.entity in NAMES:
            start, end, entity, first = units[-1]
            if entity is span.entity:
                if 0 < span.start - end <= 2 and _is_one_name(text, start, end, span):
                    units[-1] = (start, span.end, entity, first)
                    continue
            elif entity in NAMES and text[end : span.start] == " ":
                # Nobody's name stands so beside another's: the detectors were of two minds about the parts of one.
                whole = Entity.PROVIDER if Entity.PROVIDER in {entity, span.entity} else Entity.RELATIVE
                units[-1] = (start, span.end, whole, first)
                continue
        units.append((span.start, span.end, span.entity, index))
    return units


def _is_one_name(text: str, start: int, end: int, span: Span) -> bool:
    gap = text[end : span.start]
    if gap in {" ", "-", ". "}:
        return True
    left, right = text[start:end], text[span.start : span.end]
    if gap not in {", ", ","} or not left.replace("-", "").isalpha():
        return False
    usual = given_names().get(fold_name(left), ("", "", 0.0))[2]
    later = given_names().get(fold_name(right.split()[0] if right.split() else ""), ("", "", 0.0))[2]
    return usual < later and (fold_name(left) in surname_groups() or usual == 0.0)
