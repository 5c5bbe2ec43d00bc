"""Chains: a name that is known nationwide is replaced by another of its kind, and neither says where."""

import re
from functools import cache

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.organizations.organization_words import KINDS, SMALL_WORDS
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.states import surrogate_state_name
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list
from deid_tasks.engine.obfuscate.word_rewriting import rewrite_words

_MAX_ABBREVIATION_LENGTH = 4
_KINDS_OF_CARE = ("dialysis", "hospice_chain", "urgent_care_chain", "senior_living")
_ONLY_READ = " read"
"""What stands behind a kind of chains that no surrogate is drawn from."""
_ARTICLE = re.compile(r"the\s+", re.IGNORECASE)
_SEPARATOR = re.compile(r"[\s#(,-]")
_OF_A_STATE = re.compile(
    r"(?P<chain>(?:blue cross(?: ?(?:and|&|/)? ?blue shield)?|blue shield|bcbs|bc/bs) of)"
    r"(?:\s+(?P<state>\w+(?: \w+)?))?",
    re.IGNORECASE,
)
"""Insurers that every state has one of: they stay, and the state becomes another."""
_AFTER_CHAIN = re.compile(
    r"\s*(?:[#(,-]|\d|pharmacy|store|drug|warehouse|supercenter|on\b|at\b|in\b|of\b|health|insurance|bank|distribution"
    r"|ppo\b|hmo\b|epo\b|plan\b|medicare\b|medicaid\b|advantage\b|dialysis\b)",
    re.IGNORECASE,
)
"""What may follow the name of a chain: "Target" is a shop in "Target #12" and is not one in "Target Heart Clinic"."""


def replace_chain(value: str, staff: NameScope) -> str | None:
    """Return another chain of the same kind, with the words and the number behind its name.

    ``None`` where ``value`` names no chain. Examples of values are "CVS #1234" and "Walmart Pharmacy".
    """
    if article := _ARTICLE.match(value):
        surrogate = replace_chain(value[article.end() :], staff)
        return article.group() + surrogate if surrogate else None
    if (of_state := _OF_A_STATE.fullmatch(value)) is not None:
        state = surrogate_state_name(fold(of_state["state"] or ""), staff)
        if state or not of_state["state"]:
            return value[: of_state.end("chain")] + (f" {match_case(state, of_state['state'])}" if state else "")
    found = _chains().get(fold(value)) or _chain_at_start(value)
    if found is None:
        return None
    chain, length = found
    name = value[:length]
    others = [other for other in chain if fold(other) not in fold(value) and fold(name) not in fold(other)]
    surrogate = staff.keyed.choice(others, "chain", fold(name))
    if length > _MAX_ABBREVIATION_LENGTH or name not in chain:
        # The capitals of an abbreviation (CVS) do not say how the chain's name is written.
        surrogate = match_case(surrogate, name)

    def rewrite(word: str) -> str | None:
        if any(char.isdigit() for char in word):
            return staff.keyed.like(word, "chain", fold(value))
        return word if fold(word) in KINDS and fold(word) not in SMALL_WORDS else None

    return surrogate + rewrite_words(value[length:], rewrite).rstrip(" ,-#(")


@cache
def _chains_of_care() -> frozenset[str]:
    groups = read_grouped_list("organizations/chains.tsv")
    return frozenset(fold(name) for kind in _KINDS_OF_CARE for name in groups[kind])


def has_branches(name: str) -> bool:
    """Whether a chain gives care in places that have names of their own: DaVita Northgate."""
    return fold(name) in _chains_of_care()


def split_branch(value: str) -> tuple[str, str] | None:
    """Return the name of a chain and the words behind it, "Boots" and "Otley"; ``None`` where no chain is in front."""
    space = value.find(" ")
    while space >= 0:
        if value[space + 1 : space + 2].isupper() and fold(value[:space]) in _chains():
            return value[:space], value[space + 1 :]
        space = value.find(" ", space + 1)
    return None


def _chain_at_start(value: str) -> tuple[tuple[str, ...], int] | None:
    """Return the chain that ``value`` begins with, where what follows leaves it a chain, and the length of its name."""
    for match in _SEPARATOR.finditer(value):
        known = _chains().get(fold(value[: match.start()]))
        if known and _AFTER_CHAIN.match(value[match.start() :]):
            return known[0], match.start()
    return None


@cache
def _chains() -> dict[str, tuple[tuple[str, ...], int]]:
    """Return for each spelling of a chain's name, folded, the chains of its kind and the length of the spelling."""
    table: dict[str, tuple[tuple[str, ...], int]] = {}
    groups = read_grouped_list("organizations/chains.tsv")
    for kind, names in groups.items():
        chain = groups.get(kind.removesuffix(_ONLY_READ), names)
        for name in names:
            table.setdefault(fold(name), (chain, len(name)))
            for spelling in (
                name.replace("'", ""),
                name.replace(".", ""),
                name.replace("-", ""),
                name.replace("Walmart", "Wal-Mart"),
            ):
                table.setdefault(fold(spelling), (chain, len(spelling)))
    return table
