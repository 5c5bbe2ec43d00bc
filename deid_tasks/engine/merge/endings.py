"""Facilities and organizations grow over the end of their name: of "Roseville Kidney Center" a model marks the town
alone.

A town, a state or a facility with such an ending behind one blank is one facility with it, and the same holds for
organizations. A name of a person is left alone, because the letters behind it may be a credential.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold, read_columns
from deid_tasks.core.span import Span

_AREAS = frozenset({Entity.CITY, Entity.STATE})
_NOT_NAMES_BEHIND = r"(?![\w'’]|[ -](?:[Cc]ourse|[Dd]ay|[Ss]tay|[Pp]roblem|[Ff]ollow|[Nn]ote|[Cc]onsult|[Rr]eport))"
"""What makes an ending the heading of what follows: Springfield Hospital Course."""
_LONGEST = 72
_PHARMACY = re.compile(r" (?:Drugs?|Pharmacy|Apothecary|Rx)$")
_BRANCH = re.compile(r" ?[-–] ?(?P<town>[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?![\w'’])")
_ENDINGS = (
    (Entity.FACILITY, "facility_endings.txt", frozenset({Entity.FACILITY, Entity.CITY, Entity.STATE})),
    (Entity.ORGANIZATION, "organization_endings.txt", frozenset({Entity.ORGANIZATION, Entity.CITY, Entity.STATE})),
)
"""What a span becomes with one of the endings of a file, and the entities that it may be of."""


def grow_over_endings(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the spans with facilities and organizations grown over the ends of their names, sorted and disjoint.

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    grown: list[Span] = []
    for span in spans:
        last = grown[-1] if grown else None
        if last is not None and span.start < last.end:
            if span.end > last.end:
                grown[-1] = replace(last, end=span.end)
            continue
        entity, end = _ending(text, span)
        if end == span.end:
            grown.append(span)
            continue
        start = span.start
        if last is not None and last.entity in _AREAS and text[last.end : start] == " ":
            start = grown.pop().start
        grown.append(replace(span, start=start, end=end, entity=entity))
    return grown


def _branch(text: str, end: int, name: str) -> int:
    """Return the end of a pharmacy with the town of its branch behind a dash: Okafor Drug - Akron."""
    match = _BRANCH.match(text, end) if _PHARMACY.search(name) else None
    return match.end() if match and fold(match["town"]) in _towns() else end


@cache
def _towns() -> frozenset[str]:
    return frozenset(fold(city) for (city,) in read_columns("places.tsv", "city"))


def is_ending_of_name(word: str) -> bool:
    """Whether a word ends the names of facilities or organizations: Hospital, Clinic, Trust."""
    return any(_expression(file).fullmatch(word) for _, file, _ in _ENDINGS)


def _ending(text: str, span: Span) -> tuple[Entity, int]:
    """Return what a span becomes with the ending behind it, and where that ends; what it is where there is none."""
    following = text[span.end : span.end + 2]
    if len(following) == 2 and following[0] == " " and following[1].isupper() and text[span.start].isupper():
        of_university = span.entity is Entity.ORGANIZATION and text.endswith("University", span.start, span.end)
        for entity, file, heads in _ENDINGS:
            is_head = span.entity in heads or (of_university and entity is Entity.FACILITY)
            match = _expression(file).match(text, span.end + 1, span.end + _LONGEST) if is_head else None
            if match:
                return entity, match.end()
    if span.entity is Entity.ORGANIZATION:
        return span.entity, _branch(text, span.end, text[span.start : span.end])
    return span.entity, span.end


@cache
def _expression(file: str) -> re.Pattern[str]:
    lines = Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()
    return re.compile(
        rf"(?:{'|'.join(line for line in lines if line and not line.startswith('#'))}){_NOT_NAMES_BEHIND}"
    )
