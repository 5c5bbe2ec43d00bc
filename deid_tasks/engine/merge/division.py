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
_AND_SAINT = re.compile(r"(?<=[a-z]) (?:and|&) (?=(?:St|Mt)\.? [A-Z])")
"""Between two hospitals, of which the second is a saint's: Good Sam and St V's."""
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
