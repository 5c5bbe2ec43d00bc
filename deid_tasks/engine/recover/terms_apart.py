"""Medical terms of several words that are not written as listed: "20 Fr Ponsky" behind "PEG", "IABP Maquet".

The list has "Ponsky PEG" and "Maquet IABP". A capitalised word of such a term is that term, and no name, where
another word of the term stands near it on its line.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from deid_tasks.core.reference import fold, read_tsv

_NEAR = 60
"""Characters on either side of a word in which the other words of its term are looked for."""
_WORD = re.compile(r"[^\W_]{2,}")
_SAYS_NOTHING = frozenset(
    [
        *("of", "the", "and", "for", "in", "with", "to", "by", "on", "no", "not", "per", "or", "at", "is", "as"),
        *("from", "st", "ii", "iii", "iv", "type", "test", "form", "method", "disease", "syndrome", "procedure"),
        *("sign", "score", "scale", "index", "clinic", "hospital", "center", "centre", "health", "medical"),
    ]
)
"""Words of terms that stand beside anything."""


@cache
def companions() -> Mapping[str, frozenset[str]]:
    """Return the words that stand in one term with a capitalised word, all folded."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in read_tsv("eponyms.tsv"):
        words = _WORD.findall(row["term"])
        folded = [fold(word) for word in words]
        for word, own in zip(words, folded, strict=True):
            if len(word) > 2 and word[0].isupper():
                found[own].update(other for other in folded if other != own and other not in _SAYS_NOTHING)
    return {word: frozenset(others) for word, others in found.items() if others}


def is_term_apart(text: str, start: int, end: int) -> bool:
    """Whether another word of a term to which ``text[start:end]`` belongs stands near it on its line."""
    others = companions().get(fold(text[start:end].removesuffix("'s").removesuffix("’s")))
    if others is None or not text[start].isupper():
        return False
    low = max(text.rfind("\n", 0, start) + 1, start - _NEAR)
    line_end = text.find("\n", end)
    high = min(len(text) if line_end < 0 else line_end, end + _NEAR)
    near = (*_WORD.findall(text, low, start), *_WORD.findall(text, end, high))
    return any(fold(word) in others for word in near)
