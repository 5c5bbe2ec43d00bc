"""Sentence splitting for clinical layout: headers, bullets, tables, run-on lines."""

import re

_BREAK = re.compile(
    r"""
    \n\s*\n                                   # blank line
    | \n(?=\s*(?:[-*•]|\d{1,2}[.)]|[A-Z][A-Za-z /&-]{1,40}:))   # the next line is a bullet, a numbered item or a header
    | (?<=[.!?])["')\]]*\s+(?=[A-Z0-9"'(\[•*-])  # sentence end
    | (?<=:)\s*\n                             # a header that stands on its own line
    | \s\|\s                                  # cells of a table
    | \s{3,}(?=\S)                            # columns
    """,
    re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:Dr|Drs|Mr|Mrs|Ms|Prof|St|Mt|Ft|Ave|Blvd|Jr|Sr|No|vs|Pt|approx|Inc|Dept|Rm|Ext|ext|e\.g|i\.e|[A-Z])\.$"
)
MAX_CHARACTERS = 2_000
"""A longer run without a break is cut at white space, so that no sentence grows without bound."""


def split_sentences(text: str) -> list[tuple[int, int]]:
    """``(start, end)`` of each sentence; blank stretches belong to none. Linear in the length of ``text``."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        end = match.start()
        if (
            text[end - 1 : end] == "."
            and "\n" not in match.group()
            and _ABBREVIATION.search(text[max(0, end - 12) : end])
        ):
            continue
        _add(text, start, end, spans)
        start = match.end()
    _add(text, start, len(text), spans)
    return spans


def _add(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > MAX_CHARACTERS:
        cut = text.rfind(" ", start, start + MAX_CHARACTERS)
        cut = cut if cut > start else start + MAX_CHARACTERS
        spans.append((start, cut))
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if end > start:
        spans.append((start, end))
