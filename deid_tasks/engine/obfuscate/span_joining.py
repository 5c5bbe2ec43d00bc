"""Pieces of one name that detection found apart: a town in several words, an organization, a name and a short name."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.dates.date_pieces import end_of_date
from deid_tasks.engine.obfuscate.entity_groups import NAMES, ORGANIZATIONS
from deid_tasks.engine.obfuscate.names.short_names import is_short_name
from deid_tasks.engine.obfuscate.organizations.organization_words import UNITS
from deid_tasks.engine.obfuscate.people.name_text import fold_name

_SAINTS_AND_FORTS = frozenset(["st", "ste", "saint", "ft", "fort", "mt", "mount", "pt", "port"])
_LANDMARK_KINDS = frozenset(["beach", "park", "lake", "river", "falls", "creek", "island", "hill", "bay", "road"])
_AREAS = frozenset(["county", "township", "parish", "borough"])
_LEADING_KINDS = frozenset(["scoil", "gaelscoil", "colaiste", "ysgol", "ecole", "lycee", "colegio", "escuela"])
"""Words in front of the names of schools."""
_COUNTY_WORDS = frozenset(["co", "county"])
_IN_TOWN = re.compile(r" (?:im|am|an der|in der|ob der|upon|sur|le|de|de la|del|under) |-(?:upon|on|le|in|sur)-")
"""What stands inside the names of towns: Freiburg im Breisgau."""
_POSTCODE_BEHIND = re.compile(r",? [A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b")
_SHORT_KINDS = frozenset({"St", "Ave", "Rd", "Blvd", "Ln", "Street", "Avenue", "Road"})
_OF_PLACE = frozenset({Entity.CITY, Entity.LOCATION_OTHER})
_SMALL_GAPS = frozenset([" ", ". ", ".", "'", "’", " & "])
IsTreatedAlike = Callable[[Entity, Entity], bool]


class SpanJoiner:
    """The rules by which two spans of one note are one.

    Args:
        text: the note.
        spans: its spans, in order.
        is_treated_alike: whether the policy treats two entities alike.
    """

    def __init__(self, text: str, spans: Sequence[Span], is_treated_alike: IsTreatedAlike) -> None:
        self._text = text
        self._spans = spans
        self._is_treated_alike = is_treated_alike

    def joined(self, before: Span, span: Span) -> Span | None:
        """Return two spans as one where they are pieces of one name."""
        gap = self._text[before.end : span.start]
        one, other = before.entity, span.entity
        if one in NAMES and other in NAMES:
            return self._joined_names(before, span, gap)
        if one is other is Entity.DATE:
            end = end_of_date(self._text, (before.start, before.end), (span.start, span.end))
            return None if end is None else replace(before, end=end)
        if one is other is Entity.CITY and self._is_in_town(gap, span):
            return self._one(before, span, one)
        if one is other is Entity.PROFESSION and gap == " ":
            # "dinner lady"
            return self._one(before, span, one)
        return self._joined_kinds(before, span, gap) if gap in _SMALL_GAPS else None

    def _joined_kinds(self, before: Span, span: Span, gap: str) -> Span | None:
        """Return a name and a word of kind beside it, or two words of one organization or place, as one."""
        one, other = before.entity, span.entity
        is_of_place = one in _OF_PLACE and (other in _OF_PLACE or other in NAMES)
        if is_of_place and fold(self._value(before)) in _COUNTY_WORDS:
            return self._one(before, span, Entity.STATE)
        if self._are_one_organization(before, span, gap):
            return self._one(before, span, other if other in ORGANIZATIONS else Entity.ORGANIZATION)
        if other in _OF_PLACE and one in _OF_PLACE:
            return self._joined_places(before, span, gap)
        if gap == " " and (entity := self._with_kind_behind(one, span)) is not None:
            return self._one(before, span, entity)
        if (
            gap in {"'", "’"}
            and one in ORGANIZATIONS
            and other in ORGANIZATIONS
            and self._value(span)[:2] in {"s", "s "}
        ):
            return self._one(before, span, other)
        return None

    def _is_in_town(self, gap: str, span: Span) -> bool:
        """Whether two towns are one: "Freiburg im Breisgau", "Burley in Wharfedale"."""
        if _IN_TOWN.fullmatch(gap):
            return True
        return gap == " in " and _POSTCODE_BEHIND.match(self._text, span.end) is not None

    def _are_one_organization(self, before: Span, span: Span, gap: str) -> bool:
        """Whether two spans are one organization: "Quail Ridge Pediatrics" & "Family", "Scoil" and "Naomh Bríd"."""
        if span.entity not in ORGANIZATIONS and span.entity not in NAMES:
            return False
        if gap == " " and fold(self._value(before)) in _LEADING_KINDS:
            return True
        if span.entity not in ORGANIZATIONS:
            return False
        return before.entity in ORGANIZATIONS and gap in {" ", " & "} and fold(self._value(span)) not in UNITS

    def _with_kind_behind(self, one: Entity, span: Span) -> Entity | None:
        """Return what a name is with the word of kind behind it: "Lisbon" "St", "Elm" "Trail"; ``None`` for others."""
        value = self._value(span)
        if one is Entity.CITY and value in _SHORT_KINDS:
            return Entity.STREET
        is_landmark = one in ORGANIZATIONS and span.entity in _OF_PLACE and fold(value) in _LANDMARK_KINDS
        return Entity.LOCATION_OTHER if is_landmark else None

    def _joined_places(self, before: Span, span: Span, gap: str) -> Span | None:
        """Return two places as one: "Ft" and "Langdon", "Cambria" and "County"."""
        if gap == " " and fold(self._value(span)) in _AREAS:
            return self._one(before, span, Entity.LOCATION_OTHER)
        if fold(self._value(before)) in _SAINTS_AND_FORTS:
            return self._one(before, span, Entity.CITY)
        if gap == " ":
            whole = fold(self._text[before.start : span.end])
            if any(one.entity is Entity.CITY and fold(self._value(one)) == whole for one in self._spans):
                return self._one(before, span, Entity.CITY)
        return None

    def _joined_names(self, before: Span, span: Span, gap: str) -> Span | None:
        """Return two names as one where the second holds what the first is called: Euphemia ("Effie") Drysdale."""
        value = self._value(span)
        if before.entity is not span.entity and not self._is_treated_alike(before.entity, span.entity):
            return None
        start = self._value(before)
        if gap in {'" ', "” ", '") ', "”) ", ") "} and any(start.count(sign) % 2 for sign in '"“('):
            return replace(before, end=span.end)
        if gap in {' "', " “", ' ("', " (“", ' ["'} and ('"' in value or "”" in value):
            return replace(before, end=span.end)
        if gap in {" (", ' "', " “"} and self._text[span.end : span.end + 1] in {")", '"', "”"}:
            first = fold_name(self._value(before).split()[0])
            if " " not in self._value(before) and is_short_name(fold_name(value), first, is_called=True):
                return replace(before, end=span.end + 1)
        return None

    def _one(self, before: Span, span: Span, entity: Entity) -> Span | None:
        if not (self._is_treated_alike(before.entity, entity) and self._is_treated_alike(span.entity, entity)):
            return None
        return replace(before, end=span.end, entity=entity)

    def _value(self, span: Span) -> str:
        return self._text[span.start : span.end]
