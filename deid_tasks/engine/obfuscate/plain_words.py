"""Words of addresses, user names and file names that name nobody: roles, services, parts of a web site."""

import re
from functools import cache

from deid_tasks.core.reference import fold, read_columns
from deid_tasks.engine.obfuscate.organizations.organization_words import KINDS
from deid_tasks.engine.obfuscate.people.public_names import given_name_table, surname_groups
from deid_tasks.engine.obfuscate.word_lists import read_word_list

_MIN_LETTERS = 2
_OF_SERVICE = re.compile(
    r"(?:bmt|cf|chf|copd|dm|ed|ent|gi|gyn|hcv|hd|hf|hiv|ibd|icd|icu|ms|ob|onc|pd|peds|pain|renal|stoma|stroke|tb|wound)"
    r"(?:nurses?|clinic|team|admin|office|desk)"
)
"""A role behind its service."""


@cache
def mailbox_roles() -> frozenset[str]:
    """Return what stands before the @ of a mailbox that belongs to a role."""
    return frozenset(read_word_list("identifiers/mailbox_roles.txt"))


@cache
def _path_words() -> frozenset[str]:
    return frozenset(read_word_list("identifiers/url_words.txt")) | mailbox_roles() | KINDS


@cache
def _compound() -> re.Pattern[str]:
    words = sorted((word for word in mailbox_roles() | KINDS if len(word) > _MIN_LETTERS and word.isalpha()), key=len)
    return re.compile(rf"(?:{'|'.join(reversed(words))}){{2,4}}")


def is_role(letters: str) -> bool:
    """Whether letters name a role or a service: ``frontdesk``, ``svc``, ``gyntumorboard``, ``hfnurse``."""
    folded = fold(letters)
    is_whole = folded in mailbox_roles() or _OF_SERVICE.fullmatch(folded) is not None
    return is_whole or _compound().fullmatch(folded) is not None


def is_path_word(letters: str) -> bool:
    """Whether a part of a path or of a file name says what lies there, and not whose it is: ``reports``, ``avs``."""
    folded = fold(letters)
    return folded in _path_words() or folded in _everyday_words() or is_role(letters)


def is_everyday(folded: str) -> bool:
    """Whether a folded word is one of general text, and no name."""
    return folded in _everyday_words()


@cache
def _everyday_words() -> frozenset[str]:
    """Return the words of general text that are no names: ``tonsils`` in ``/handouts/tonsils``."""
    words = (word for (word,) in read_columns("common_words.tsv", "word") if len(word) > _MIN_LETTERS)
    return frozenset(word for word in words if word not in surname_groups() and word not in given_name_table())
