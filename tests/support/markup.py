"""Inline markup of spans in test cases: ``seen by [PROVIDER:Okafor] on [DATE:3/14]``."""

import re

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

_MARK = re.compile(r"\[([A-Z_]+):([^\]]*)\]")


def read_markup(marked: str) -> tuple[str, list[Span]]:
    """Return the text without its markup, and the marked spans."""
    text, spans, position = "", [], 0
    for match in _MARK.finditer(marked):
        text += marked[position : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), Entity(match[1])))
        text += match[2]
        position = match.end()
    return text + marked[position:], spans


def write_markup(text: str, spans: list[Span]) -> str:
    """Return the text with its spans marked, the reverse of ``read_markup``."""
    shown, position = "", 0
    for span in spans:
        shown += f"{text[position : span.start]}[{span.entity}:{text[span.start : span.end]}]"
        position = span.end
    return shown + text[position:]


def both(gold: str, predicted: str) -> tuple[str, list[Span], list[Span]]:
    """Return one text, its gold spans and its predicted spans from two markups of it."""
    text, truth = read_markup(gold)
    same, found = read_markup(predicted)
    assert text == same
    return text, truth, found
