"""Sentence splitting for clinical layout: headers, bullets, tables, short lines, run-on lines."""

import re

_ITEM_MARK = r"[-*•·–—+>»#]|o[ ]|\(?\d{1,2}[.)]|\(?[a-hA-H][.)][ ]|[A-Z][A-Za-z /&-]{1,40}:"
"""How a line begins that is an item of a list or holds a header: a bullet, a number, a letter, words and a colon."""
_BREAK = re.compile(
    rf"""
    \n(?:
        (?:[^\S\n]*+\n)++                      # blank lines
        | (?=[^\S\n]*+(?:{_ITEM_MARK}))        # a bullet, a numbered item or a header follows
        | (?=[^\S\n]*+[A-Z0-9\[(])             # perhaps a new line of a list or of an address
    )
    | (?<=[.!?])(?:
        (?P<close>["')\]]*+)\s++(?=[A-Z0-9"'(\[•*-])    # sentence end
        | (?<=[a-z0-9)].)(?=[A-Z][a-z]*+[ ,'])          # the same without a blank: "on 3/4.She was"
    )
    | (?<=:)[^\S\n]*+\n                        # a header that stands on its own line
    | \s\|\s                                  # cells of a table
    | [^\S\n]{{3,}}+                           # columns
    | \f                                       # pages
    """,
    re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"(?:(?:^|[\s(/])(?:Drs?|Mrs?|Ms|Mx|Prof|Rev|Fr|Hon|Sgt|Lt|Col|Gen|Maj|Capt|Sen|Jr|Sr"
    r"|St|Ste|Mt|Ft|Ave|Blvd|Rd|Ln|Hwy|Pkwy|Bldg|Apt|Rm|Mass|Univ|Hosp|Ctr|Dept|Inc|Bros|Assoc|Corp"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tues?|Wed|Thurs?|Fri"
    r"|No|Nos|vs|Pt|[Tt]el|[Ff]ig|[Aa]pprox|[Ee]xt|e\.g|i\.e|DR|MRS?|MS|ST|AVE|APT|[A-Z])\.|[:;,]\s\d{1,2}\.)$"
)
"""An abbreviation, an initial, or the number of an item in a list that runs on, at the end of what may be a sentence."""
_NUMBER = re.compile(r"\s*\d{1,2}\.$")
_ITEM = re.compile(rf"\n[^\S\n]*+(?:{_ITEM_MARK})")
_SHORT_LINE_CHARACTERS = 45
"""A line shorter than this was ended by its writer; a longer one may have been wrapped in the middle of a sentence."""
_BLANKS = 4
"""White space in front of a line break that is looked past."""
MAX_CHARACTERS = 2_000
"""A longer run without a break is cut at white space, so that no sentence grows without bound."""


def split_sentences(text: str) -> list[tuple[int, int]]:
    """``(start, end)`` of each sentence; blank stretches belong to none. Linear in the length of ``text``."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        end = match.start()
        before = text[max(0, end - 12) : end]
        gap = match.group()
        if "\n" not in gap:
            if before.endswith(".") and (
                _ABBREVIATION.search(before) or (end - start < 8 and _NUMBER.match(text, start, end))
            ):
                continue
        elif gap.count("\n") == 1 and _is_wrapped(text, end + gap.index("\n")):
            continue
        _add(text, start, max(end, match.end("close")), spans)
        start = match.end()
    _add(text, start, len(text), spans)
    return spans


def _is_wrapped(text: str, newline: int) -> bool:
    """Whether the line that ends at ``newline`` may go on in the next.

    It is long and ends no sentence, or it ends with an abbreviation; and no item or header follows.
    """
    end = newline
    while end and newline - end < _BLANKS and text[end - 1] in " \t\r":
        end -= 1
    last = text[end - 1 : end]
    if last == ".":
        if not _ABBREVIATION.search(text, max(0, end - 12), end):
            return False
    elif (
        last in {"!", "?", ":"}
        or end < _SHORT_LINE_CHARACTERS
        or text.rfind("\n", end - _SHORT_LINE_CHARACTERS, end) >= 0
    ):
        return False
    return not _ITEM.match(text, newline, newline + 80)


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
