"""States behind a town: in "Oakland MD" the list of towns says that MD is no degree."""

import re
from collections.abc import Sequence
from functools import cache

from deid_tasks.core.detectors import SHORT_NAMES
from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold, read_columns
from deid_tasks.core.span import Span
from deid_tasks.core.us_states import STATE_NAMES

_CODE_BEHIND = re.compile(r",? (?P<code>[A-Z]{2}|(?!in|or|me|ok|hi|oh)[a-z]{2})(?![\w'-])")
"""In small letters only what is no everyday word: eunice la."""


def mark_states(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with the codes of states behind their towns, sorted and disjoint. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    found = dict(enumerate(spans))
    added: list[Span] = []
    for index, span in enumerate(spans):
        code = _CODE_BEHIND.match(text, span.end) if span.entity is Entity.CITY else None
        if code is None or not _is_state_of(text, spans, index, code["code"]):
            continue
        state = Span(*code.span("code"), Entity.STATE, SHORT_NAMES, span.score)
        following = spans[index + 1] if index + 1 < len(spans) else None
        if following is None or following.start >= state.end:
            added.append(state)
        elif state.start == following.start and state.end == following.end and following.entity is Entity.STATE:
            found[index + 1] = state  # so that recovery takes la for no word
    return sorted((*found.values(), *added))


def _is_state_of(text: str, spans: Sequence[Span], index: int, code: str) -> bool:
    """Whether a code is that of a town's state; in small letters behind a street of any state: 9 oak st, eunice la."""
    town = spans[index]
    if code.islower() and not text[town.start : town.end].islower():
        return False
    if (fold(text[town.start : town.end]), code.upper()) in _towns():
        return True
    street = spans[index - 1] if index else town
    is_address = street.entity is Entity.STREET and text[street.end : town.start] in {", ", " "}
    return code.islower() and is_address and code.upper() in STATE_NAMES


@cache
def _towns() -> frozenset[tuple[str, str]]:
    return frozenset((fold(city), state) for city, state in read_columns("places.tsv", "city", "state"))
