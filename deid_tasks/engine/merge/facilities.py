"""Facilities grow over the end of their name: of "Roseville Kidney Center" a model marks the town alone.

A town, a state or a facility with such an ending behind one blank is one facility with it. A name of a person is left
alone, because the letters behind it may be a credential.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

_HEADS = frozenset({Entity.FACILITY, Entity.CITY, Entity.STATE})
_AREAS = frozenset({Entity.CITY, Entity.STATE})
_NOT_NAMES_BEHIND = r"(?![\w'’]|[ -](?:[Cc]ourse|[Dd]ay|[Ss]tay|[Pp]roblem|[Ff]ollow|[Nn]ote|[Cc]onsult|[Rr]eport))"
"""What makes an ending the heading of what follows: Springfield Hospital Course."""
_LONGEST = 72


def grow_facilities(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the spans with facilities grown over the ends of their names, sorted and disjoint.

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
        end = _end_of_tail(text, span) if span.entity in _HEADS else span.end
        if end == span.end:
            grown.append(span)
            continue
        start = span.start
        if last is not None and last.entity in _AREAS and text[last.end : start] == " ":
            start = grown.pop().start
        grown.append(replace(span, start=start, end=end, entity=Entity.FACILITY))
    return grown


def _end_of_tail(text: str, span: Span) -> int:
    """Return where the ending behind a span ends; the span's own end where there is none."""
    following = text[span.end : span.end + 2]
    if len(following) < 2 or following[0] != " " or not following[1].isupper() or not text[span.start].isupper():
        return span.end
    match = _tail().match(text, span.end + 1, span.end + _LONGEST)
    return match.end() if match else span.end


@cache
def _tail() -> re.Pattern[str]:
    lines = Path(__file__).with_name("facility_tails.txt").read_text(encoding="utf-8").splitlines()
    return re.compile(
        rf"(?:{'|'.join(line for line in lines if line and not line.startswith('#'))}){_NOT_NAMES_BEHIND}"
    )
