"""Context rules: patterns that an institution writes in its settings for its own notes, without code.

A rule's pattern says what may be an identifier. What must come before or after it, and what must not be near, decides
whether it is one. Everything is RE2 over the folded note; the pattern's length and the window around it are bounded, so
that the cost of a note is linear in its length whatever the rules.
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
_MAX_WORD_CHARACTERS = 24
"""Bounds a window of words: it is at most this many characters long for each word."""


@dataclass(frozen=True, slots=True)
class _CompiledRule:
    """A context rule with its compiled expressions, ``None`` where the rule has none."""

    entity: Entity
    pattern: Any
    prefix: Any
    suffix: Any
    exclude: Any
    window: int
    is_in_words: bool
    crosses_lines: bool


class ContextRuleDetector:
    """Finds what the institution's own rules describe."""

    name = "context"

    def __init__(self, rules: Sequence[ContextRule]) -> None:
        """Compile the rules, which the settings have validated."""
        self._rules = [
            _CompiledRule(
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
        """Return the spans of each document, sorted and disjoint; where two rules overlap, the earlier one wins."""
        return [self._detect(document.text) for document in documents]

    def _detect(self, text: str) -> list[Span]:
        note = _FoldedNote(fold_to_ascii(text))
        taken = bytearray(len(text))
        found: list[Span] = []
        for rule in self._rules:
            group = 1 if rule.pattern.groups else 0
            for match in rule.pattern.finditer(note.encoded):
                start, end = match.span(group)
                if 0 <= start < end and taken.find(1, start, end) < 0 and _holds(rule, note, start, end):
                    taken[start:end] = b"\x01" * (end - start)
                    found.append(Span(start, end, rule.entity, self.name))
        return sorted(found)


class _FoldedNote:
    """One note in ASCII, its bytes and its words, each computed once."""

    def __init__(self, plain: str) -> None:
        self.plain = plain
        self.encoded = plain.encode("ascii")

    @cached_property
    def words(self) -> tuple[list[int], list[int]]:
        """The start and the end of each word."""
        spans = [match.span() for match in _WORD.finditer(self.plain)]
        return [start for start, _ in spans], [end for _, end in spans]


def _holds(rule: _CompiledRule, note: _FoldedNote, start: int, end: int) -> bool:
    """Whether the text around ``start:end`` meets the rule's conditions."""
    low, high = _window(rule, note, start, end)
    before, after = note.encoded[low:start], note.encoded[end:high]
    if rule.prefix is not None and rule.prefix.search(before) is None:
        return False
    if rule.suffix is not None and rule.suffix.search(after) is None:
        return False
    around = (before, note.encoded[start:end], after)
    return rule.exclude is None or all(rule.exclude.search(stretch) is None for stretch in around)


def _window(rule: _CompiledRule, note: _FoldedNote, start: int, end: int) -> tuple[int, int]:
    """Return the start of the window before the span and the end of the window after it."""
    reach = rule.window * (_MAX_WORD_CHARACTERS if rule.is_in_words else 1)
    low, high = max(0, start - reach), min(len(note.plain), end + reach)
    if rule.is_in_words:
        starts, ends = note.words
        first = bisect_right(ends, start) - rule.window
        last = bisect_left(starts, end) + rule.window - 1
        low = max(low, starts[first]) if 0 <= first < len(starts) else low
        high = min(high, ends[last]) if last < len(ends) else high
    if not rule.crosses_lines:
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
