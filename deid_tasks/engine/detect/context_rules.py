"""Context rules: what an institution writes in its settings about its own notes, without code.

A rule's pattern says what may be an identifier; what must stand before or behind it, and what must not stand near, says whether it
is one. Everything is RE2 over the folded note, the pattern bounded in length and its surroundings bounded by the window: the cost
of a note is linear in its length, whatever the rules.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import re2

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.ascii import fold_to_ascii
from deid_tasks.settings import ContextRule

_WORD = re.compile(r"[A-Za-z0-9]+")
_WORD_CHARACTERS = 24
"""A window of words reaches no further than so many characters a word."""


@dataclass(frozen=True, slots=True)
class _Compiled:
    entity: Entity
    pattern: Any
    prefix: Any
    suffix: Any
    exclude: Any
    window: int
    in_words: bool
    across_lines: bool


class ContextRuleDetector:
    """Finds what the institution's own rules describe."""

    name = "context"

    def __init__(self, rules: Sequence[ContextRule]) -> None:
        """Compile the rules, which the settings have already checked."""
        self._rules = [
            _Compiled(
                rule.entity,
                _compile(rule.pattern),
                _compile(rule.prefix),
                _compile(rule.suffix),
                _compile(rule.exclude),
                rule.window,
                rule.unit == "words",
                rule.across_lines,
            )
            for rule in rules
        ]

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of each document, sorted and disjoint; of two rules that find overlapping stretches the earlier one stands."""
        return [self._detect(document.text) for document in documents]

    def _detect(self, text: str) -> list[Span]:
        note = _Note(fold_to_ascii(text))
        taken = bytearray(len(text))
        found: list[Span] = []
        for rule in self._rules:
            group = 1 if rule.pattern.groups else 0
            for match in rule.pattern.finditer(note.encoded):
                start, end = match.span(group)
                if 0 <= start < end and taken.find(1, start, end) < 0 and _is_told(rule, note, start, end):
                    taken[start:end] = b"\x01" * (end - start)
                    found.append(Span(start, end, rule.entity, self.name))
        return sorted(found)


class _Note:
    """One folded note, its bytes and its words, each made once."""

    def __init__(self, plain: str) -> None:
        self.plain = plain
        self.encoded = plain.encode("ascii")

    @cached_property
    def words(self) -> tuple[list[int], list[int]]:
        """Where each word begins, and where it ends."""
        spans = [match.span() for match in _WORD.finditer(self.plain)]
        return [start for start, _ in spans], [end for _, end in spans]


def _is_told(rule: _Compiled, note: _Note, start: int, end: int) -> bool:
    low, high = _window(rule, note, start, end)
    before, behind = note.encoded[low:start], note.encoded[end:high]
    if rule.prefix is not None and rule.prefix.search(before) is None:
        return False
    if rule.suffix is not None and rule.suffix.search(behind) is None:
        return False
    around = (before, note.encoded[start:end], behind)
    return rule.exclude is None or all(rule.exclude.search(stretch) is None for stretch in around)


def _window(rule: _Compiled, note: _Note, start: int, end: int) -> tuple[int, int]:
    """Where the window before the span begins, and where the one behind it ends."""
    reach = rule.window * (_WORD_CHARACTERS if rule.in_words else 1)
    low, high = max(0, start - reach), min(len(note.plain), end + reach)
    if rule.in_words:
        starts, ends = note.words
        first = bisect_right(ends, start) - rule.window
        last = bisect_left(starts, end) + rule.window - 1
        low = max(low, starts[first]) if 0 <= first < len(starts) else low
        high = min(high, ends[last]) if last < len(ends) else high
    if not rule.across_lines:
        low = note.plain.rfind("\n", low, start) + 1 or low
        line = note.plain.find("\n", end, high)
        high = line if line >= 0 else high
    return low, max(high, end)


def _compile(expression: str | None) -> Any:
    if expression is None:
        return None
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(fold_to_ascii(expression).encode("ascii"), options)
