"""Which of many triggers stand in a text at all: a few passes over the text instead of one for each trigger."""

from collections.abc import Iterator, Sequence
from typing import Any

import re2

_GROUP = 12
"""Triggers of one automaton. All in one take one pass, but its states multiply: it grows for ever on new text, and out of the processor's cache."""
_GROUP_BYTES = 48 << 20
"""Memory of one automaton, whose states are made as texts need them; what is full begins anew."""


def compile_trigger(expression: str, *, captures: bool = False) -> Any:
    """An RE2 over folded text; raises ``re2.error`` where it is none."""
    return re2.compile(expression.encode("ascii"), _options(captures=captures))


class Prefilter:
    """Tells which triggers match somewhere in a text, neighbours together: rules of one subject share most of their states."""

    def __init__(self, triggers: Sequence[str]) -> None:
        self._sets: list[tuple[int, Any]] = []
        options = _options()
        options.max_mem = _GROUP_BYTES
        for first in range(0, len(triggers), _GROUP):
            one = re2.Set.SearchSet(options)
            for trigger in triggers[first : first + _GROUP]:
                one.Add(trigger.encode("ascii"))
            one.Compile()
            self._sets.append((first, one))

    def fires(self, texts: Sequence[bytes]) -> Iterator[tuple[int, list[int]]]:
        """The place, in the order given, of each trigger that matches in any of ``texts``, and the places of those texts, ascending.

        One automaton reads all texts before the next one begins: its states stay in the processor's cache.
        """
        for first, one in self._sets:
            where: list[list[int]] = [[] for _ in range(_GROUP)]
            for index, text in enumerate(texts):
                for place in one.Match(text) or ():
                    where[place].append(index)
            for place, those in enumerate(where):
                if those:
                    yield first + place, those


def _options(*, captures: bool = False) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = not captures
    options.log_errors = False
    return options
