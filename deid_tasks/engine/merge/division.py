"""Spans of models that hold two identifiers: a person and the weekday behind, an organization and its letters in
brackets, two hospitals.
"""

import re
from dataclasses import replace

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.merge.repair import NAMES

_WEEKDAY_BEHIND = re.compile(r"[a-z]{2}(?P<blank> )(?:Mon|Tues?|Weds?|Thurs?|Thu|Fri|Sat)$")
"""Not Sun, which is a surname; and behind small letters, since capitals say nothing."""
_ORGANIZATIONS = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_UNITS = frozenset({Entity.FACILITY, Entity.LOCATION_OTHER})
_AND_SAINT = re.compile(r"(?<=[a-z]) (?:and|&) (?=(?:St|Mt)\.? [A-Z])")
"""Between two hospitals, of which the second is a saint's: Good Sam and St V's."""
_LETTERS_AND_NAME = re.compile(r"(?P<letters>[A-Z]{2,3})/(?:[A-Z]\. ?)?[A-Z][a-z]+(?:[ -][A-Z][a-z]+)?")
"""Initials and a name with a slash between, who are two people: KT/P. Okafor."""
_TWO_PEOPLE = re.compile(r"(?P<first>[A-Z][a-z]+), (?P<second>[A-Z][a-z]+)")
_TOLD_BEFORE = re.compile(r"\b(?:charge|per|d/w|discussed with|ask|asked|told|w/|tech|aide|by) $")
_CLAUSE_BEHIND = re.compile(r" (?:is|was|has|had|will|remains|to|says|said|states|wants|tolerat\w+|denies|ate|slept)\b")
"""What makes the second of two names the subject of what follows: ask charge Nneka, Santi is next."""
_UNIT_AND_BED = re.compile(r"[\w .-]*\w(?P<label>,? (?:[Bb]ed|BED|[Rr]m|RM|[Rr]oom) #?)[A-Z]?-?\d{1,4}[A-Z]?")
"""A unit and the number of a bed there: 7 Tower bed 22."""
_REACH = 16
_OPEN_BRACKET = re.compile(r"(?P<bracket> ?\()[A-Z][A-Za-z&]{1,7}$")


def divide(text: str, span: Span) -> tuple[Span, ...]:
    """Return the identifiers that a span of a model holds: Okafor Tues is a person and a day.

    Args:
        text: the note.
        span: a span as the model returned it.
    """
    if span.entity in NAMES and (day := _WEEKDAY_BEHIND.search(text, span.start, span.end)):
        return (
            replace(span, end=day.start("blank")),
            replace(span, start=day.end("blank"), entity=Entity.DATE),
        )
    if span.entity in NAMES and (two := _LETTERS_AND_NAME.fullmatch(text, span.start, span.end)):
        first = two.end("letters")
        return replace(span, end=first, entity=Entity.INITIALS), replace(span, start=first + 1)
    if span.entity in NAMES and (two := _TWO_PEOPLE.fullmatch(text, span.start, span.end)):
        is_told = _TOLD_BEFORE.search(text, max(0, span.start - _REACH), span.start)
        if is_told and _CLAUSE_BEHIND.match(text, span.end):
            return replace(span, end=two.end("first")), replace(span, start=two.start("second"))
    if span.entity in _UNITS and (place := _UNIT_AND_BED.fullmatch(text, span.start, span.end)):
        low, high = place.span("label")
        return replace(span, end=low), replace(span, start=high, entity=Entity.LOCATION_OTHER)
    if span.entity is Entity.FACILITY and (saint := _AND_SAINT.search(text, span.start, span.end)):
        return replace(span, end=saint.start()), replace(span, start=saint.end())
    if span.entity in _ORGANIZATIONS and text[span.end : span.end + 1] == ")":
        letters = _OPEN_BRACKET.search(text, span.start, span.end)
        if letters and letters.start() > span.start:
            return (
                replace(span, end=letters.start("bracket")),
                replace(span, start=letters.end("bracket")),
            )
    return (span,)
