"""Labels before a name: which words of a note are given names and surnames by what announces them."""

import re
from collections.abc import Mapping, Sequence

_GIVEN_LABEL = re.compile(
    r"(?:\b(?:fore|first|given|christian|preferred|nick)[ _-]?names?|\bgiven|\bnick|\bforename)\W{1,4}$", re.IGNORECASE
)
_SURNAME_LABEL = re.compile(
    r"(?:\bn[ée]e|\bformerly|\bsurname|\b(?:last|family|maiden)[ _-]?names?|<family)\W{1,4}$", re.IGNORECASE
)
_COLUMN = re.compile(r"\b(?:(?P<given>first)|last)\s*[:|=]\s*$", re.IGNORECASE)
"""The label of a column or a field."""
_RELATION = re.compile(
    r"\b(?:wife|husband|son|daughter|brother|sister|children|nephew|niece|grandson|granddaughter|partner|fianc[eé]e?"
    r"|boyfriend|girlfriend|twin|step(?:son|daughter))[\s:,]{1,3}[(\"“'‘]?$",
    re.IGNORECASE,
)
"""Relations whom notes call by their given names."""
_CALLED = re.compile(
    r"(?:\bgoes by|\bknown(?: to [a-z ]{2,24})? as|\bprefers(?: to be called)?"
    r"|\bcall(?:s|ed|ing)?(?: her| him)?(?:self)?|\bnick-?named?|\bpreferred name|\ba\.?k\.?a\.?"
    r"|\bask(?:s|ing|ed)? for|\banswers to)[\s:,]*[\"“'‘(]?$",
    re.IGNORECASE,
)
"""What announces the name by which somebody is called."""
_CHILD_BEHIND = re.compile(r"\s*[ds]/o\b", re.IGNORECASE)
_CHILD_BEFORE = re.compile(r"\b[ds]/o\s$", re.IGNORECASE)
"""Between the given names of a child and of the father: Letchumi d/o Ramanathan."""
_LABEL_REACH = 40
_BEFORE_NAME = " \t\n\"'“‘(:,>=.|"
_LABEL_ENDS = (
    *(
        "name",
        "names",
        "surname",
        "forename",
        "given",
        "nick",
        "nickname",
        "nicknamed",
        "family",
        "née",
        "nee",
        "formerly",
    ),
    *(
        "goes by",
        " as",
        "prefers",
        "be called",
        "call",
        "calls",
        "called",
        "calling",
        " her",
        " him",
        "self",
        "a.k.a",
        "aka",
        " for",
        "answers to",
    ),
    *("first", "last"),
)
"""How labels and announcements of a name end; an expression costs more to find that there is none."""


_RELATION_ENDS = (
    *("wife", "husband", "son", "daughter", "brother", "sister", "children", "nephew", "niece", "grandson"),
    *("partner", "fiance", "fiancee", "fiancé", "fiancée", "boyfriend", "girlfriend", "twin", "stepson"),
)


def labelled_words(text: str, alone: Mapping[str, Sequence[int]]) -> dict[str, bool]:
    """Return whether a word is a surname, for words that a label or "known as" stands before."""
    found: dict[str, bool] = {}
    has_child = "/o" in text or "/O" in text
    for word, starts in alone.items():
        for start in starts:
            if has_child and (
                _CHILD_BEHIND.match(text, start + len(word)) or _CHILD_BEFORE.search(text, max(0, start - 5), start)
            ):
                found.setdefault(word, False)
                continue
            first = max(0, start - _LABEL_REACH)
            before = text[first:start].rstrip(_BEFORE_NAME).lower()
            if before.endswith(_RELATION_ENDS):
                if _RELATION.search(text, first, start):
                    found.setdefault(word, False)
                continue
            if not before.endswith(_LABEL_ENDS):
                continue
            if _SURNAME_LABEL.search(text, first, start):
                found[word] = True
            elif column := _COLUMN.search(text, first, start):
                found.setdefault(word, column["given"] is None)
            elif _GIVEN_LABEL.search(text, first, start) or is_called_so(text, start):
                found.setdefault(word, False)
    return found


def is_called_so(text: str, start: int) -> bool:
    """Whether the note says before ``start`` that somebody is called what follows: "goes by", "known as"."""
    return _CALLED.search(text, max(0, start - _LABEL_REACH), start) is not None
