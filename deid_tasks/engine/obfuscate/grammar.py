"""Grammar around a surrogate: the article before it, the possessive behind it, what a removed name leaves."""

import re

from deid_tasks.core.entities import Entity

_ARTICLE = re.compile(r"(?<![^\s(\[\"'“/-])(?P<article>[Aa]n?|AN?) $")
_NUMBER = re.compile(r"\d+")
_WORD_AT_START = re.compile(r"[\w.&'’-]*")
_AN_NUMBER = re.compile(r"8\d{0,2}(?!\d)|1[18](?!\d)|8\d{3,}")
_VOWELS = frozenset("aeiou")
_LETTERS_WITH_AN = frozenset("AEFHILMNORSX")
_NO_AN = re.compile(r"(?:uni(?!n)|use|usu|eu|ewe|one\b|once|u\.?s|ut[aei]|ukr|uru)", re.IGNORECASE)
_AN = re.compile(r"(?:hour|honest|honor|heir)", re.IGNORECASE)
_APOSTROPHES = frozenset("'’")
_TITLES_BEFORE = re.compile(r"(?:\b(?:Drs?|Mr|Mrs|Ms|Miss|Prof|Doctor)\b\.?[ \t]+)$", re.IGNORECASE)
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">", '"': '"', "“": "”"}
_CREDENTIALS_AFTER = re.compile(
    r",?[ \t]+(?:M\.?D|D\.?O|R\.?N|N\.?P|PA(?:-C)?|Ph\.?D|Pharm\.?D|L\.?C\.?S\.?W|Jr|Sr)\b\.?"
)
WITH_ARTICLE = frozenset(
    {
        Entity.AGE,
        Entity.PROFESSION,
        Entity.FACILITY,
        Entity.ORGANIZATION,
        Entity.CITY,
        Entity.STATE,
        Entity.COUNTRY,
        Entity.LOCATION_OTHER,
    }
)
"""Entities that may have an article before them."""


def takes_an(value: str) -> bool:
    """Whether the article before ``value`` is "an"."""
    if number := _NUMBER.match(value):
        return bool(_AN_NUMBER.match(number.group()))
    word = _WORD_AT_START.match(value)
    text = word.group() if word else ""
    if len(text) > 1 and text.isupper() and len(text) <= 4 and not any(char in "AEIOU" for char in text[1:]):
        return text[0] in _LETTERS_WITH_AN
    if _NO_AN.match(text):
        return False
    return text[:1].lower() in _VOWELS or bool(_AN.match(text))


def mend_article(text: str, start: int, position: int, original: str, surrogate: str) -> str:
    """Return the article that ``surrogate`` needs, with its space; empty where the text has none or it need not change.

    Only an article that was right for ``original`` is mended, and none before ``position``.

    Args:
        text: the note.
        start: where the original begins.
        position: where the text that is not yet rewritten begins.
        original: the original.
        surrogate: its surrogate.
    """
    if start < 2 or text[start - 1] != " " or text[start - 2] not in "aAnN":
        return ""
    found = _ARTICLE.search(text, max(position, start - 4), start)
    if found is None or (found.start() and found.start() == position and text[position - 1].isalnum()):
        return ""
    article = found["article"]
    was_an, is_an = takes_an(original), takes_an(surrogate)
    if was_an == is_an or was_an != (len(article) == 2):
        return ""
    if is_an:
        return ("AN" if surrogate.isupper() and article == "A" and original.isupper() else article + "n") + " "
    return article[0] + " "


def mend_possessive(text: str, end: int, original: str, surrogate: str) -> tuple[str, int]:
    """Return the possessive ending that ``surrogate`` needs, and how many characters of ``text`` it replaces.

    "Williams' knee" becomes "Brown's knee". The ending is empty, and replaces nothing, where none stands or none must
    change.
    """
    mark = text[end : end + 1]
    if mark not in _APOSTROPHES or not mark or original[-1:] not in "sS" or surrogate[-1:] in "sS":
        return "", 0
    following = text[end + 1 : end + 2]
    if following.isalnum() or text[max(0, end - len(original) - 1) : end - len(original)] in _APOSTROPHES:
        return "", 0
    return mark + ("S" if original.isupper() and len(original) > 1 else "s"), 1


def widen_removal(text: str, start: int, end: int, position: int, *, is_name: bool) -> tuple[int, int]:
    """Return ``start`` and ``end`` of what is removed with a span.

    That is the title, the credentials, the brackets and the doubled space that would be left without what they belong
    to.
    """
    if is_name:
        title = _TITLES_BEFORE.search(text, max(position, start - 12), start)
        if title:
            start = title.start()
        while found := _CREDENTIALS_AFTER.match(text, end):
            end = found.end()
        if text[end : end + 2] in {"'s", "’s"}:
            end += 2
    while start > position and end < len(text) and _BRACKETS.get(text[start - 1]) == text[end]:
        start, end = start - 1, end + 1
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before in {"", " ", "\t", "\n"} and after in {" ", "\t"}:
        end += 1
    elif before in {" ", "\t"} and start > position and (after in {"", ",", ".", ";", ":", ")", "\n"}):
        start -= 1
    return start, end
