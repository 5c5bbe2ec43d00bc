"""Rule features: what patterns and public word lists say of each word, as an input of models that were trained with
them.

The patterns are those that come with the package, never an institution's, so that a model's answer for a sentence
depends on the sentence alone. Source: Lin, MIT 2020, section 4.4 (rule-based features joined to the last hidden state).
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
"""Reference lists by feature name: the file and the column of the terms."""
RULE_NAMES: tuple[str, ...] = (*(f"pattern:{entity}" for entity in Entity), *_LISTS)
"""The names of the features, in the order of their columns."""


class RuleFeatures:
    """Computes a vector for every word of a text; equal texts have equal vectors."""

    names = RULE_NAMES

    def __init__(self) -> None:
        self._patterns = PatternDetector()
        self._columns = {entity: column for column, entity in enumerate(Entity)}
        self._lists = [listed_words(name) for name in _LISTS]

    def of(self, text: str) -> NDArray[np.float32]:
        """Return ``[W, F]``: 1 where a pattern covers the word of ``text.shapes`` or a list holds it, else 0."""
        shaped = shape_words([text])
        starts, ends = shaped.starts, shaped.ends
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
def listed_words(name: str) -> frozenset[str]:
    """Return the folded words of two letters or more of one feature's lists."""
    terms = (fold(row[column]) for file, column in _LISTS[name] for row in read_tsv(file))
    return frozenset(word for term in terms for word in _WORD.findall(term))
