"""Words and numbers that the words around them show to be no identifiers, one a row of a table.

Products, devices, services and labels: "Red Dot" behind 3M, "eve" behind a weekday, "Sd" in front of "/-". Numbers:
"9/12" behind "CPT session", "1:05" behind a tourniquet.
"""

import csv
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from deid_tasks.core.span import Span

_TABLES = ("words_in_context.tsv", "numbers_in_context.tsv")
_SHORT = {
    "FRACTION": r"\d{1,3}/\d{1,3}",
    "PART": r"(?:[12]/2|[1-3]/3|[1-4]/4|[1-5]/5|[1-6]/6|[1-7]/7|[1-8]/8|[1-9]/9|(?:[1-9]|10)/1\d"
    r"|1[12]/1[2-9]|1[1-9]/1[5-9]|(?:1?[1-9]|[12]0)/2\d|[12]?\d/3\d)",
    "TRIPLE": r"\d{1,3}/\d{1,3}/\d{1,3}",
    "CLOCK": r"\d{1,2}:[0-5]\d",
    "DIAL": r"(?:1[0-2]|[1-9]):[0-5]0",
}
"""Numbers that rows name by a word."""
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
        (_OF_PATTERNS in row.categories or not of_patterns)
        and row.value.fullmatch(value) is not None
        and (row.before is None or row.before.search(text[max(0, span.start - _REACH) : span.start]) is not None)
        and (row.behind is None or row.behind.match(text, span.end) is not None)
        and (row.unless is None or row.unless.search(text) is None)
        for row in _rows().get(span.category.value, ())
    )


@cache
def _rows() -> dict[str, tuple[_Row, ...]]:
    """Return the rows of both tables by their categories."""
    found: defaultdict[str, list[_Row]] = defaultdict(list)
    for table in _TABLES:
        text = Path(__file__).with_name(table).read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        for cells in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            categories = frozenset(cells["categories"].split())
            around = (
                None if cells[name] == _ANY else re.compile(cells[name]) for name in ("before", "behind", "unless")
            )
            row = _Row(categories, re.compile(_spelled_out(cells["value"])), *around)
            for category in categories - {_OF_PATTERNS}:
                found[category].append(row)
    return {category: tuple(rows) for category, rows in found.items()}


def _spelled_out(value: str) -> str:
    for word, expression in _SHORT.items():
        value = value.replace(word, expression)
    return value
