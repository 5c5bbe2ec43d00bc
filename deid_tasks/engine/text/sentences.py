"""Sentence splitting for the layout of clinical notes: headers, bullets, tables, short lines, wrapped lines."""

import re

_ITEM_MARK = r"[-*•·–—+>»#]|o[ ]|\(?\d{1,2}[.)]|\(?[a-hA-H][.)][ ]|[A-Z][A-Za-z /&-]{1,40}:"
"""How a line begins that is an item of a list or holds a header: a bullet, a number, a letter, or words and a colon."""
_BREAK = re.compile(
    rf"""
    \n(?:
        (?:[^\S\n]*+\n)++                      # blank lines
        | (?=[^\S\n]*+(?:{_ITEM_MARK}))        # a bullet, a numbered item or a header follows
        | (?=[^\S\n]*+[A-Z0-9\[(])             # perhaps a new line of a list or of an address
    )
    | (?<=[.!?])(?:
        (?P<close>["')\]]*+)\s++(?=[A-Z0-9"'(\[•*-])    # end of a sentence
        | (?<=[a-z0-9)].)(?=[A-Z][a-z]*+[ ,'])          # the same without a blank: "on 3/4.She was"
    )
    | (?<=:)[^\S\n]*+\n                        # a header on a line of its own
    | \s\|\s                                  # cells of a table
    | [^\S\n]{{3,}}+                           # columns
    | \f                                       # pages
    """,
    re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"""
    (?:
        (?:^|[\s(/])
        (?:
            Drs?|Mrs?|Ms|Mx|Prof|Rev|Fr|Hon|Sgt|Lt|Col|Gen|Maj|Capt|Sen|Jr|Sr     # titles and suffixes of people
            |St|Ste|Mt|Ft|Ave|Blvd|Rd|Ln|Hwy|Pkwy|Bldg|Apt|Rm                     # streets and places
            |Mass|Univ|Hosp|Ctr|Dept|Inc|Bros|Assoc|Corp                          # organizations
            |Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec                        # months
            |Mon|Tues?|Wed|Thurs?|Fri                                             # days of the week
            |No|Nos|vs|Pt|[Tt]el|[Ff]ig|[Aa]pprox|[Ee]xt|e\.g|i\.e                # other words
            |DR|MRS?|MS|ST|AVE|APT                                                # in capitals
            |[A-Z]                                                                # initials
        )\.
        |[:;,]\s\d{1,2}\.                                                         # the number of a list item
    )$
    """,
    re.VERBOSE,
)
"""An abbreviation, an initial or the number of a list item before what may be the end of a sentence."""
_NUMBER = re.compile(r"\s*\d{1,2}\.$")
_ITEM = re.compile(rf"\n[^\S\n]*+(?:{_ITEM_MARK})")
_SHORT_LINE_CHARACTERS = 45
"""A line shorter than this was ended by its writer; a longer one may have been wrapped in the middle of a sentence."""
_MAX_TRAILING_BLANKS = 4
"""White space before a line break that is skipped to find the line's last character."""
_ABBREVIATION_CHARACTERS = 12
"""Characters before a break in which an abbreviation is looked for."""
MAX_CHARACTERS = 2_000
"""A longer stretch without a break is cut at white space, so that the length of a sentence is bounded."""


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of each sentence without surrounding white space, sorted and disjoint.

    The cost is linear in the length of ``text``.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        if _is_inside_sentence(text, start, match):
            continue
        _add(text, start, max(match.start(), match.end("close")), spans)
        start = match.end()
    _add(text, start, len(text), spans)
    return spans


def _is_inside_sentence(text: str, start: int, found: re.Match[str]) -> bool:
    """Whether a possible break lies inside the sentence that starts at ``start``."""
    end, gap = found.start(), found.group()
    if "\n" in gap:
        return gap.count("\n") == 1 and _is_wrapped(text, end + gap.index("\n"))
    before = text[max(0, end - _ABBREVIATION_CHARACTERS) : end]
    if not before.endswith("."):
        return False
    is_number = end - start < 8 and _NUMBER.match(text, start, end)
    return bool(_ABBREVIATION.search(before) or is_number)


def _is_wrapped(text: str, newline: int) -> bool:
    """Whether the line that ends at ``newline`` may continue on the next line.

    It is long and does not end a sentence, or it ends with an abbreviation; and no list item or header follows.
    """
    end = newline
    while end and newline - end < _MAX_TRAILING_BLANKS and text[end - 1] in " \t\r":
        end -= 1
    last = text[end - 1 : end]
    if last == ".":
        if not _ABBREVIATION.search(text, max(0, end - _ABBREVIATION_CHARACTERS), end):
            return False
    elif last in {"!", "?", ":"} or _is_short_line(text, end):
        return False
    return not _ITEM.match(text, newline, newline + 80)


def _is_short_line(text: str, end: int) -> bool:
    return end < _SHORT_LINE_CHARACTERS or text.rfind("\n", end - _SHORT_LINE_CHARACTERS, end) >= 0


def _add(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    """Append ``text[start:end]`` without surrounding white space, cut into stretches of at most ``MAX_CHARACTERS``."""
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
