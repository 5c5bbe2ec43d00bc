"""The word lists of the rules: text files in the folder ``lists`` of each room, one entry a line.

A line that starts with ``#`` and a blank is a comment. The entries of an alternation may be regular expressions. They
stay in the order of the file, because the first branch that matches wins.
"""

from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parent


@cache
def list_entries(room: str, name: str) -> tuple[str, ...]:
    """Return the entries of ``<room>/lists/<name>.txt`` in the order of the file.

    Lists that several rooms share stand in no room: ``room`` is empty.
    """
    path = _ROOT / room / "lists" / f"{name}.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("# "))


@cache
def word_set(room: str, name: str) -> frozenset[str]:
    """Return the entries of a list as a set."""
    return frozenset(list_entries(room, name))


@cache
def alternation(room: str, name: str) -> str:
    """Return the entries of a list as the branches of a regular expression, without a group around them."""
    return "|".join(list_entries(room, name))


def as_word_set(listed: str) -> frozenset[str]:
    """Return the words of ``listed`` as a set: for lists that are short enough to stand beside their rule."""
    return frozenset(listed.split())


MEDICAL_ENDINGS = list_entries("", "medical_endings")
"""Endings of medical terms: a word of six letters or more with such an ending is not a name."""
NOT_NAMES = word_set("", "not_names")
"""Words in lower case that are capitalised in notes and are yet not names on their own."""
GENERIC_PLACE_WORDS = word_set("", "generic_place_words")
"""Words in lower case that alone do not make the name of a facility or an organization."""
