"""What patterns and public word lists say of each word: an input of models that were trained with it.

The rules are those that come with the package, never an institution's: what a model answers for a sentence then depends
on the sentence alone. Method: Lin, MIT 2020, section 4.4 (rule-based features joined to the last hidden state).
"""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.shapes import shape_words

_WORD = re.compile(r"[^\W\d_]{2,}")
_LISTS: dict[str, tuple[tuple[str, str], ...]] = {
    "list:given_name": (("given_names.tsv", "given_name"), ("nicknames.tsv", "nickname")),
    "list:surname": (("surnames.tsv", "surname"),),
    "list:place": (("places.tsv", "city"), ("places.tsv", "county")),
    "list:medical": (("medical_terms.tsv", "term"),),
    "list:eponym": (("eponyms.tsv", "term"),),
    "list:common": (("common_words.tsv", "word"),),
}
RULE_NAMES: tuple[str, ...] = (*(f"pattern:{entity}" for entity in Entity), *_LISTS)
"""The columns, in order."""


class RuleFeatures:
    """Gives every word of a text its vector; two of one text are equal, whatever stands around it."""

    names = RULE_NAMES

    def __init__(self) -> None:
        self._patterns = PatternDetector()
        self._columns = {entity: column for column, entity in enumerate(Entity)}
        self._lists = [list_words(name) for name in _LISTS]

    def of(self, text: str) -> NDArray[np.float32]:
        """``[W, F]``: 1 where a rule knows the word, else 0; the words are those of ``text.shapes.shape_words``."""
        starts, ends, _, _ = shape_words(text)
        found = np.zeros((len(starts), len(RULE_NAMES)), np.float32)
        [spans] = self._patterns.detect([Document("", text)])
        for span in spans:
            first = int(np.searchsorted(ends, span.start, side="right"))
            last = int(np.searchsorted(starts, span.end, side="left"))
            found[first:last, self._columns[span.entity]] = 1.0
        for word, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            if end - start > 1 and text[start].isalpha():
                folded = fold(text[start:end])
                for column, words in enumerate(self._lists, len(Entity)):
                    if folded in words:
                        found[word, column] = 1.0
        return found


@cache
def list_words(name: str) -> frozenset[str]:
    """The folded words of a list, each of two letters or more."""
    terms = (fold(row[column]) for file, column in _LISTS[name] for row in read_tsv(file))
    return frozenset(word for term in terms for word in _WORD.findall(term))
