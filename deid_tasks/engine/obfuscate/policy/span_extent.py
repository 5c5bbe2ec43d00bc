"""Titles of names and units of ages, in spans or out of them.

Annotation guides differ: that of i2b2 2014 marks ``Okafor`` of "Dr. Okafor, MD" and ``54`` of "54-year-old", others
mark the whole. Scores compare only where both sides are marked alike.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.entity_groups import NAMES

Extent = Literal["found", "in", "out"]
"""As found, with what belongs to it, or without."""

_TITLE_WORD = r"(?:Drs?|Doctor|Prof|Professor|Mr|Mrs|Ms|Miss|Mx|Sir|Madam|Rev|Reverend|Sister|Nurse)\b\.?"
_TITLES = re.compile(rf"(?:{_TITLE_WORD}\s*)+(?=\w)", re.IGNORECASE)
_TITLES_BEFORE = re.compile(rf"(?:(?<!\w){_TITLE_WORD}[ \t]+)+$", re.IGNORECASE)
_CREDENTIALS = re.compile(
    r"(?:,?[ \t]*\b(?:M\.?D|D\.?O|R\.?N|N\.?P|P\.?A(?:-C)?|Ph\.?D|LPN|LVN|CRNA|DPM|DDS|PharmD|MPH|MSN|BSN)\b\.?)+"
)
_UNIT = re.compile(
    r"[\s-]*(?:(?:years?|yrs?|months?|mos?|weeks?|wks?|days?)\b(?:[\s-]*(?:olds?\b|of[\s-]age\b))?|y\.?/?o\.?(?!\w)|yo\b)",
    re.IGNORECASE,
)
_REACH = 40


def with_extent(text: str, spans: Sequence[Span], titles: Extent, age_units: Extent) -> list[Span]:
    """Return each span with its title or unit taken in or out; never over another span, and never empty.

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
        titles: of names: titles before them and credentials behind them.
        age_units: of ages: ``-year-old`` and its like.
    """
    made: list[Span] = []
    for index, span in enumerate(spans):
        low = spans[index - 1].end if index else 0
        high = spans[index + 1].start if index + 1 < len(spans) else len(text)
        if span.entity in NAMES and titles != "found":
            span = _without_titles(text, span) if titles == "out" else _with_titles(text, span, low, high)
        elif span.entity is Entity.AGE and age_units != "found":
            span = _without_unit(text, span) if age_units == "out" else _with_unit(text, span, high)
        made.append(span)
    return made


def _without_titles(text: str, span: Span) -> Span:
    found = _TITLES.match(text, span.start, span.end)
    start = found.end() if found else span.start
    ends = [one.start() for one in _CREDENTIALS.finditer(text, start, span.end) if one.end() == span.end]
    end = ends[0] if ends else span.end
    return replace(span, start=start, end=end) if start < end else span


def _with_titles(text: str, span: Span, low: int, high: int) -> Span:
    found = _TITLES_BEFORE.search(text, max(low, span.start - _REACH), span.start)
    behind = _CREDENTIALS.match(text, span.end, min(high, span.end + _REACH))
    return replace(span, start=found.start() if found else span.start, end=behind.end() if behind else span.end)


def _without_unit(text: str, span: Span) -> Span:
    ends = [one.start() for one in _UNIT.finditer(text, span.start, span.end) if one.end() == span.end]
    return replace(span, end=ends[0]) if ends and ends[0] > span.start else span


def _with_unit(text: str, span: Span, high: int) -> Span:
    found = _UNIT.match(text, span.end, min(high, span.end + _REACH))
    return replace(span, end=found.end()) if found else span
