"""Sentence splitting for clinical layout: headers, bullets, tables, short lines, run-on lines."""

import re

_BREAK = re.compile(
    r"""
    \n(?:[^\S\n]*+\n)++                       # blank lines
    | \n(?=[^\S\n]*+(?:[-*•]|\d{1,2}[.)]|[A-Z][A-Za-z /&-]{1,40}:))   # a bullet, a numbered item or a header follows
    | (?<=:)[^\S\n]*+\n                       # a header that stands on its own line
    | \n(?=[^\S\n]*+[A-Z0-9\[(])              # perhaps a new line of a list or of an address
    | (?<=[.!?])["')\]]*+\s++(?=[A-Z0-9"'(\[•*-])  # sentence end
    | \s\|\s                                  # cells of a table
    | [^\S\n]{3,}+                            # columns
    """,
    re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:Dr|Drs|Mr|Mrs|Ms|Prof|St|Mt|Ft|Ave|Blvd|Jr|Sr|No|vs|Pt|approx|Inc|Dept|Rm|Ext|ext|e\.g|i\.e|[A-Z])\.$"
)
_ITEM = re.compile(r"\n[^\S\n]*+(?:[-*•]|\d{1,2}[.)]|[A-Z][A-Za-z /&-]{1,40}:)")
_SHORT_LINE_CHARACTERS = 45
"""A line shorter than this was ended by its writer; a longer one may have been wrapped in the middle of a sentence."""
MAX_CHARACTERS = 2_000
"""A longer run without a break is cut at white space, so that no sentence grows without bound."""


def split_sentences(text: str) -> list[tuple[int, int]]:
    """``(start, end)`` of each sentence; blank stretches belong to none. Linear in the length of ``text``."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        end = match.start()
        before = text[max(0, end - 12) : end]
        if "\n" not in match.group():
            if before.endswith(".") and _ABBREVIATION.search(before):
                continue
        elif match.group() == "\n" and _is_wrapped(text, end):
            continue
        _add(text, start, end, spans)
        start = match.end()
    _add(text, start, len(text), spans)
    return spans


def _is_wrapped(text: str, end: int) -> bool:
    """Whether the line that ends at ``end`` may go on in the next: it is long, ends no sentence, and no item or header follows."""
    if text[end - 1 : end] in {".", "!", "?", ":"} or text.rfind("\n", max(0, end - _SHORT_LINE_CHARACTERS), end) >= 0:
        return False
    if end < _SHORT_LINE_CHARACTERS:
        return False
    return not _ITEM.match(text, end, end + 80)


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
