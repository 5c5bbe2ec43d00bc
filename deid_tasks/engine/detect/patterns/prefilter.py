"""The triggers that match anywhere in a text, found in a few passes instead of one pass for each trigger."""

from collections.abc import Iterator, Sequence
from typing import Any

import re2

_GROUP = 12
"""Triggers of one automaton. More triggers take fewer passes, but the automaton's states multiply: with all triggers in
one it outgrows the processor's cache and grows with every new text."""
_GROUP_BYTES = 48 << 20
"""Memory of one automaton. Its states are made as texts need them; a full automaton starts anew."""


def compile_trigger(expression: str, *, captures: bool = False) -> Any:
    """Return the RE2 of ``expression`` over folded text.

    Raises:
        re2.error: ``expression`` is not a valid RE2 expression.
    """
    return re2.compile(expression.encode("ascii"), _options(captures=captures))


class Prefilter:
    """Finds which triggers match in which texts.

    Triggers that are neighbours share an automaton: rules of one subject have most of their states in common.
    """

    def __init__(self, triggers: Sequence[str]) -> None:
        self._sets: list[tuple[int, Any]] = []
        options = _options()
        options.max_mem = _GROUP_BYTES
        for first in range(0, len(triggers), _GROUP):
            automaton = re2.Set.SearchSet(options)
            for trigger in triggers[first : first + _GROUP]:
                automaton.Add(trigger.encode("ascii"))
            automaton.Compile()
            self._sets.append((first, automaton))

    def fires(self, texts: Sequence[bytes]) -> Iterator[tuple[int, list[int]]]:
        """Yield the index of each trigger that matches in any of ``texts``, with the ascending indices of those texts.

        One automaton reads all texts before the next one begins, so that its states stay in the processor's cache.
        """
        for first, automaton in self._sets:
            texts_of: list[list[int]] = [[] for _ in range(_GROUP)]
            for index, text in enumerate(texts):
                for trigger in automaton.Match(text) or ():
                    texts_of[trigger].append(index)
            for trigger, indices in enumerate(texts_of):
                if indices:
                    yield first + trigger, indices


def _options(*, captures: bool = False) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = not captures
    options.log_errors = False
    return options
