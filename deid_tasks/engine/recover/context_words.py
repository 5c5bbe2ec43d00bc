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
_REACH = 40


class _Row(NamedTuple):
    """A word, and what must stand around it."""

    categories: frozenset[str]
    value: re.Pattern[str]
    before: re.Pattern[str] | None
    behind: re.Pattern[str] | None
    unless: re.Pattern[str] | None


def is_told_by_context(text: str, span: Span, value: str) -> bool:
    """Whether the table has a row for what a span holds, and the words around it are those of the row."""
    return any(
        span.category.value in row.categories
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
