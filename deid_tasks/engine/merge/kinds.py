"""Kinds that agree: what is a part of a person's full name in a note is no organization in it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.merge.propagate import everyday_words
from deid_tasks.engine.merge.repair import NAMES

_WORD = re.compile(r"[^\W\d_]+")
_ORGANIZATIONS = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_MIN_LETTERS = 4
"""Shorter words are parts of names and abbreviations of organizations alike."""


def follow_full_names(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with organizations that consist of words of one full name marked as that person is.

    Models read "per Balcazar:" as an organization although "Jose Balcazar, MD" signs the note. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    if not any(span.entity in _ORGANIZATIONS for span in spans):
        return list(spans)
    people: dict[str, Span] = {}
    for span in spans:
        if span.entity in NAMES and len(words := _WORD.findall(text, span.start, span.end)) > 1:
            for word in map(fold, words):
                if len(word) >= _MIN_LETTERS and word not in everyday_words():
                    people.setdefault(word, span)
    return [_followed(text, span, people) if span.entity in _ORGANIZATIONS else span for span in spans]


def _followed(text: str, span: Span, people: dict[str, Span]) -> Span:
    owners = [people.get(fold(word)) for word in _WORD.findall(text, span.start, span.end)]
    person = owners[0] if owners else None
    if person is None or any(one is not person for one in owners):
        return span
    return replace(span, entity=person.entity)
