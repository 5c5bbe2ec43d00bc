"""Words that a model takes for an identifier and that the words around them show to be none, one a row of a table.

Products, devices, services and labels: "Red Dot" behind 3M, "eve" behind a weekday, "Sd" in front of "/-".
"""

import csv
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from deid_tasks.core.span import Span

_TABLE = Path(__file__).with_name("words_in_context.tsv")
_ANY = "-"
_REACH = 80


_OF_PATTERNS = "PATTERNS"
"""Marks the rows that hold for what patterns found, too: their words prove it against any rule."""


class _Row(NamedTuple):
    """A word, and what must stand around it."""

    categories: frozenset[str]
    value: re.Pattern[str]
    before: re.Pattern[str] | None
    behind: re.Pattern[str] | None
    unless: re.Pattern[str] | None


def is_told_by_context(text: str, span: Span, value: str, *, of_patterns: bool = False) -> bool:
    """Whether the table has a row for what a span holds, and the words around it are those of the row.

    Args:
        text: the note.
        span: a span of the note.
        value: what the span holds.
        of_patterns: whether a pattern found it, so that only the rows that hold for patterns count.
    """
    return any(
        span.category.value in row.categories
        and (_OF_PATTERNS in row.categories or not of_patterns)
        and row.value.fullmatch(value) is not None
        and (row.before is None or row.before.search(text[max(0, span.start - _REACH) : span.start]) is not None)
        and (row.behind is None or row.behind.match(text, span.end) is not None)
        and (row.unless is None or row.unless.search(text) is None)
        for row in _rows()
    )


@cache
def _rows() -> tuple[_Row, ...]:
    lines = [line for line in _TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(
        _Row(
            frozenset(row["categories"].split()),
            re.compile(row["value"]),
            *(None if row[name] == _ANY else re.compile(row[name]) for name in ("before", "behind", "unless")),
        )
        for row in rows
    )
