"""Texts with inline markup, as test tables hold them."""

import re

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

_MARK = re.compile(r"\[([A-Z_]+):([^\]]*)\]")


def marked(markup: str) -> tuple[str, list[Span]]:
    """``seen by [PROVIDER:Okafor]`` as text and spans."""
    text, spans, last = "", [], 0
    for match in _MARK.finditer(markup):
        text += markup[last : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), Entity(match[1])))
        text += match[2]
        last = match.end()
    return text + markup[last:], spans


def both(gold: str, predicted: str) -> tuple[str, list[Span], list[Span]]:
    """The same text marked twice."""
    text, truth = marked(gold)
    same, found = marked(predicted)
    assert text == same
    return text, truth, found
