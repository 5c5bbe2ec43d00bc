"""States behind a town: in "Oakland MD" the list of towns says that MD is no degree."""

import re
from collections.abc import Sequence
from functools import cache

from deid_tasks.core.detectors import SHORT_NAMES
from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold, read_columns
from deid_tasks.core.span import Span

_CODE_BEHIND = re.compile(r",? (?P<code>[A-Z]{2})(?![\w-])")


def mark_states(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with the codes of states behind their towns, sorted and disjoint. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    found = list(spans)
    for index, span in enumerate(spans):
        code = _CODE_BEHIND.match(text, span.end) if span.entity is Entity.CITY else None
        if code is None or (index + 1 < len(spans) and spans[index + 1].start < code.end()):
            continue
        if (fold(text[span.start : span.end]), code["code"]) in _towns():
            found.append(Span(*code.span("code"), Entity.STATE, SHORT_NAMES, span.score))
    return sorted(found)


@cache
def _towns() -> frozenset[tuple[str, str]]:
    return frozenset((fold(city), state) for city, state in read_columns("places.tsv", "city", "state"))
