"""The forms of full names as arrays: ``terms.name_variants`` for hundreds of thousands of names at once.

A form is a sequence of the name's own words and initials, and its hash is computed from theirs. Names are therefore
grouped by shape (how many given and family words, with a comma or without), and each form of a shape is a few
operations on columns of hashes. Beginnings that forms share are hashed once.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from deid_tasks.engine.lexicon.scan import I64, U64, Flags, Hasher, Scan
from deid_tasks.engine.lexicon.terms import MAX_TOKENS

MAX_NAME_WORDS = 6
"""Names of more words are expanded by ``terms.variants``."""
_COMMA = 44
_Symbol = str
"""A column of hashes: ``g0``, ``g1`` … for the given words, ``f0`` … for the family words, ``a`` and ``b`` for the
initials of the first two given words."""


class Shape(NamedTuple):
    """The traits of a name that decide its forms."""

    given: int
    family: int
    has_comma: bool
    is_short: bool
    """Whether the family name has one or two letters: it is then never combined with initials."""


class Node(NamedTuple):
    """One beginning of forms: its last column, whether a form ends here, and the nodes that continue it."""

    symbol: _Symbol
    ends: bool
    following: tuple["Node", ...]


def shapes_of(scan: Scan) -> tuple[I64, I64, Flags]:
    """Return, for each text, its words, those before its first comma (0 without one), and whether it has a comma."""
    count = len(scan.bases)
    words = np.bincount(scan.document, minlength=count)
    commas = np.flatnonzero(scan.codes == _COMMA)
    owner = np.searchsorted(scan.bases, commas, side="right") - 1
    has_comma = np.zeros(count, np.bool_)
    before = np.zeros(count, np.int64)
    if len(commas):
        first = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
        owner, commas = owner[first], commas[first]
        has_comma[owner] = True
        begins = np.cumsum(words) - words
        before[owner] = np.searchsorted(scan.starts, commas) - begins[owner]
    return words, before, has_comma


def name_forms(scan: Scan, hasher: Hasher) -> Iterator[tuple[U64, bool, bool]]:
    """Yield the hashes of all beginnings of all forms of full names.

    Args:
        scan: the names, one a text.
        hasher: computes the hashes.

    Yields:
        Hashes of one beginning for all names of one shape, whether a form ends there, and whether a form continues.
    """
    words, before, has_comma = shapes_of(scan)
    family = np.where(has_comma, before, np.minimum(words, 1))
    given = words - family
    begins = np.cumsum(words) - words
    plain = (given < 1) | (family < 1)
    last = np.maximum(begins + words - 1, 0)
    only = np.where(has_comma, begins, last)
    lengths = scan.lengths if len(scan) else np.zeros(1, np.int64)
    is_short = (family == 1) & (lengths[np.minimum(only, len(lengths) - 1)] < 3)
    initials = hasher.initials(scan)
    keys = ((words * 16 + family) * 2 + has_comma) * 2 + is_short
    keys = np.where(plain, words * 64, keys)
    keys[words == 0] = -1
    for key in np.unique(keys[(words > 0) & (words <= MAX_NAME_WORDS)]).tolist():
        rows = np.flatnonzero(keys == key)
        if len(rows) == 0:
            continue
        row = int(rows[0])
        count = int(words[row])
        columns: dict[_Symbol, I64] = {}
        if plain[row]:
            tree = plain_tree(count)
            columns = {f"g{i}": begins[rows] + i for i in range(count)}
        else:
            shape = Shape(int(given[row]), int(family[row]), bool(has_comma[row]), bool(is_short[row]))
            tree = tree_of(shape)
            g = begins[rows] + (shape.family if shape.has_comma else 0)
            f = begins[rows] + (0 if shape.has_comma else shape.given)
            columns = {f"g{i}": g + i for i in range(shape.given)} | {f"f{i}": f + i for i in range(shape.family)}
        hashes = {name: scan.hashes[column] for name, column in columns.items()}
        if not plain[row]:
            hashes["a"] = initials[columns["g0"]]
            if "g1" in columns:
                hashes["b"] = initials[columns["g1"]]
        yield from _walk(tree, hashes, hasher, None)


def _walk(
    nodes: tuple[Node, ...], hashes: dict[_Symbol, U64], hasher: Hasher, grams: U64 | None
) -> Iterator[tuple[U64, bool, bool]]:
    for node in nodes:
        words = hashes[node.symbol]
        longer = hasher.begin(words) if grams is None else hasher.extend(grams, words)
        yield longer, node.ends, bool(node.following)
        if node.following:
            yield from _walk(node.following, hashes, hasher, longer)


@lru_cache(maxsize=256)
def plain_tree(words: int) -> tuple[Node, ...]:
    """Return the tree of a name that has no other form than its own."""
    return _tree({tuple(f"g{i}" for i in range(words))})


@lru_cache(maxsize=256)
def tree_of(shape: Shape) -> tuple[Node, ...]:
    """Return the tree of the forms that ``terms.name_variants`` yields for one shape, and of the name itself."""
    given = tuple(f"g{i}" for i in range(shape.given))
    family = tuple(f"f{i}" for i in range(shape.family))
    middle = given[1:]
    forms = {family + given if shape.has_comma else given + family, ("g0", *family), (*family, "g0")}
    if not shape.is_short:
        forms |= {("a", *family), (*family, "a")}
    if middle:
        forms |= {given + family, family + given, ("g0", "b", *family), (*family, "g0", "b"), ("a", "b", *family)}
    return _tree({form for form in forms if len(form) <= MAX_TOKENS})


def _tree(forms: set[tuple[_Symbol, ...]]) -> tuple[Node, ...]:
    heads = sorted({form[0] for form in forms if form})
    return tuple(
        Node(head, (head,) in forms, _tree({form[1:] for form in forms if form[0] == head and len(form) > 1}))
        for head in heads
    )
