"""Organizations that are named after saints: another saint, beside the words that say what the organization is."""

import re

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.organizations.organization_words import (
    SMALL_WORDS_AT_END,
    choose_other,
    has_digit,
    is_kind,
)
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.word_lists import read_word_list
from deid_tasks.engine.obfuscate.word_rewriting import rewrite_words

_SAINT = re.compile(r"\b(st\.?|saint|ste\.?)\s+([^\W\d_]+?)(['’]s|['’])?(?![\w])", re.IGNORECASE)
_BLANKS = re.compile(r" {2,}")
_OF = re.compile(r"\s+(?:of|de|du)(?:\s+(?:the|la))?\s+(?P<name>[^\W\d_]+)", re.IGNORECASE)
"""What tells a saint from another, or where the organization is: "of Arc", "of Duluth"."""
_SAINTS = re.compile(
    r"(?P<head>\b(?:sts|ss|saints)\b\.?\s+)?(?P<one>[^\W\d_]+)(?P<and>\s+(?:and|&|\+)\s+)(?P<other>[^\W\d_]+)", re.I
)
"""Two saints: "Sts. Cyril & Methodius"."""
_OUR_LADY = re.compile(r"(?P<head>\bour lady of\s+)(?:the\s+)?(?P<name>[^\W\d_]+)", re.IGNORECASE)
_LADY_NAMES = (
    "Lourdes",
    "Fatima",
    "Guadalupe",
    "Grace",
    "Sorrows",
    "Peace",
    "Hope",
    "Consolation",
    "Loretto",
    "Victory",
)


def replace_two_saints(value: str, context: NoteContext) -> str | None:
    """Return a name that stands behind "Sts." with two other saints; ``None`` where it names no two."""
    found = _SAINTS.match(value)
    if found is None:
        return None
    saints = read_word_list("organizations/saints.txt")
    one = choose_other(saints, fold(found["one"]), context.staff.keyed, "saint")
    rest = [name for name in saints if name != one]
    other = choose_other(rest, fold(found["other"]), context.staff.keyed, "saint", "second")
    head = (found["head"] or "") + match_case(one, found["one"]) + found["and"] + match_case(other, found["other"])
    return head + _replace_beside_saint(value[found.end() :], context.staff)


def _replace_beside_saint(tail: str, staff: NameScope) -> str:
    """Return what stands beside a saint: words of kind stay, a town goes."""

    def rewrite(word: str) -> str | None:
        if is_kind(fold(word)):
            return word
        return staff.keyed.like(word, "organization") if has_digit(word) else None

    tail = _OF.sub(lambda found: found.group() if is_kind(fold(found["name"])) else "", tail)
    # Where a town went, two blanks are left.
    beside = _BLANKS.sub(" ", rewrite_words(tail, rewrite))
    return SMALL_WORDS_AT_END.sub("", beside).rstrip(", -")


def replace_saint(value: str, staff: NameScope) -> str | None:
    """Return a name that holds a saint, or Our Lady, with another; ``None`` for other names."""
    if lady := _OUR_LADY.search(value):
        return _replace_lady(lady, staff)
    saint = _SAINT.search(value)
    before = value[: saint.start()] if saint else ""
    if saint is None or (before and is_kind(fold(saint[2]))):
        return None  # "Oak St Surgery": a street.
    lead = _replace_beside_saint(before, staff)
    head = f"{lead} {saint[1]} " if lead else value[saint.start() : saint.start(2)]
    return head + _replace_saint(saint, staff) + _replace_beside_saint(value[saint.end() :], staff)


def _replace_lady(found: re.Match[str], staff: NameScope) -> str:
    """Return the name of a match of ``_OUR_LADY`` with another of her names."""
    name = choose_other(_LADY_NAMES, fold(found["name"]), staff.keyed, "lady")
    head = found.string[: found.start()] + found["head"] + match_case(name, found["name"])
    return head + _replace_beside_saint(found.string[found.end() :], staff)


def _replace_saint(found: re.Match[str], staff: NameScope) -> str:
    name = choose_other(read_word_list("organizations/saints.txt"), fold(found[2]), staff.keyed, "saint")
    ending = found[3] or ""
    if ending in {"'", "’"}:
        # "St Columbanus' Hospital", whose name ends in s.
        ending += "" if name.endswith("s") else "S" if found[2].isupper() else "s"
    return match_case(name, found[2]) + ending
