"""Other ways of cutting a text into the words that are counted, than the headline's runs of letters and digits.

Lin 2020 (chapter 4.6) compares three: at space alone, at space and punctuation, which is our headline (``deid_tasks.engine.text.word_labels``), and
as the Penn Treebank is cut. Relaxed scoring ignores the punctuation at a token's ends.
"""

import re
from collections.abc import Callable, Mapping, Sequence

Bounds = list[tuple[int, int]]
"""Start and end of each word, in code points."""

_SPACE = re.compile(r"\S+")
_APART = (
    r"\.\.\.|--|``|''"
    r"|[\]\[(){}<>;@#$%&?!\"“”«»]"
    r"|[:,](?!\d)"
    r"|(?<=\w)(?i:n['’]t)(?!\w)"
    r"|(?<=\w)['’](?i:s|m|d|ll|re|ve)(?!\w)"
    r"|(?<=\w)['’](?!\w)"
    r"|\.(?=\s*(?:\n|\Z))"
)
"""What the Treebank's tokenizer cuts from its neighbours; a line's last full stop stands for a sentence's."""
_TREEBANK = re.compile(rf"{_APART}|(?:(?!{_APART})\S)+")
_CORE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)


def at_space(text: str) -> Bounds:
    """Whatever stands between white space, as the i2b2 challenges count."""
    return [match.span() for match in _SPACE.finditer(text)]


def treebank(text: str) -> Bounds:
    """As the Penn Treebank is cut (MacIntyre's script): most punctuation apart, clitics apart, dates and hyphened words whole."""
    return [match.span() for match in _TREEBANK.finditer(text)]


def core_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds without the punctuation at either end; unchanged where there is nothing else between them."""
    if text[start : start + 1].isalnum() and text[end - 1 : end].isalnum():
        return start, end
    core = _CORE.search(text, start, end)
    return core.span() if core else (start, end)


def relaxed(text: str, bounds: Sequence[tuple[int, int]]) -> Bounds:
    """The words without the punctuation at their ends; those that are nothing else are dropped."""
    kept = []
    for start, end in bounds:
        if text[start].isalnum() and text[end - 1].isalnum():
            kept.append((start, end))
        elif core := _CORE.search(text, start, end):
            kept.append(core.span())
    return kept


TOKENIZERS: Mapping[str, Callable[[str], Bounds]] = {"space": at_space, "treebank": treebank}
"""By the name that a view carries."""
