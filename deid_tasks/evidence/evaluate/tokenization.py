"""Tokenizations beside that of the headline, for scores that compare with the literature.

Lin 2020 (chapter 4.6) compares three: at white space; at white space and punctuation, which is our headline
(``deid_tasks.engine.text.word_labels``); and that of the Penn Treebank. Relaxed scoring ignores the punctuation at the
ends of a token.
"""

import re
from collections.abc import Callable, Mapping, Sequence

Bounds = list[tuple[int, int]]
"""Start and end of each word, in code points."""

_SPACE = re.compile(r"\S+")
_SEPARATED = (
    r"\.\.\.|--|``|''"
    r"|[\]\[(){}<>;@#$%&?!\"“”«»]"
    r"|[:,](?!\d)"
    r"|(?<=\w)(?i:n['’]t)(?!\w)"
    r"|(?<=\w)['’](?i:s|m|d|ll|re|ve)(?!\w)"
    r"|(?<=\w)['’](?!\w)"
    r"|\.(?=\s*(?:\n|\Z))"
)
"""What the Treebank tokenizer separates from its neighbours; the last full stop of a line ends a sentence."""
_TREEBANK = re.compile(rf"{_SEPARATED}|(?:(?!{_SEPARATED})\S)+")
_CORE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)


def at_space(text: str) -> Bounds:
    """Return the bounds of the tokens between white space, as the i2b2 challenges count."""
    return [match.span() for match in _SPACE.finditer(text)]


def treebank(text: str) -> Bounds:
    """Return the bounds of Penn Treebank tokens, after MacIntyre's script.

    Most punctuation and clitics are tokens of their own; dates and hyphenated words stay whole.
    """
    return [match.span() for match in _TREEBANK.finditer(text)]


def core_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds without the punctuation at either end; unchanged if they hold nothing else."""
    if text[start : start + 1].isalnum() and text[end - 1 : end].isalnum():
        return start, end
    core = _CORE.search(text, start, end)
    return core.span() if core else (start, end)


def relaxed(text: str, bounds: Sequence[tuple[int, int]]) -> Bounds:
    """Return the bounds without the punctuation at either end; tokens that are nothing else are dropped."""
    cores = []
    for start, end in bounds:
        if text[start].isalnum() and text[end - 1].isalnum():
            cores.append((start, end))
        elif core := _CORE.search(text, start, end):
            cores.append(core.span())
    return cores


TOKENIZERS: Mapping[str, Callable[[str], Bounds]] = {"space": at_space, "treebank": treebank}
"""Each tokenization by the name that a view contains."""
