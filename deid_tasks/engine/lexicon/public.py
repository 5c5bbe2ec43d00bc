"""The public part of every lexicon: medical terms, everyday words, and the cue words around names."""

import csv
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.lexicon.terms import LexiconTerm

FREQUENT_ZIPF = 5.2
"""Words at least this frequent (on the Zipf scale of van Heuven et al. 2014) often open sentences: will, may, long."""
_CUE_WORDS = Path(__file__).with_name("cue_words.tsv")
_MORE_COMMON_WORDS = Path(__file__).with_name("more_common_words.txt")


def public_terms() -> Iterator[LexiconTerm]:
    """Yield the rows of the public lists.

    Raises:
        InputError: a reference list is missing or damaged.
    """
    for row in read_tsv("medical_terms.tsv"):
        yield LexiconTerm("medical", row["kind"], row["term"])
    for word, zipf in common_word_frequencies().items():
        yield LexiconTerm("common", "word", word)
        if zipf >= FREQUENT_ZIPF:
            yield LexiconTerm("common", "frequent", word)
    for word in more_common_words():
        yield LexiconTerm("common", "word", word)
    for row in csv.DictReader(_lines(_CUE_WORDS), delimiter="\t"):
        yield LexiconTerm("cue", row["kind"], row["word"])
        if row["kind"] == "month":
            yield LexiconTerm("common", "word", row["word"])


@lru_cache(maxsize=1)
def medical_abbreviations() -> frozenset[str]:
    """Return the medical abbreviations, in lower case."""
    return frozenset(fold(row["term"]) for row in read_tsv("medical_terms.tsv") if row["kind"] == "abbreviation")


@lru_cache(maxsize=1)
def common_word_frequencies() -> dict[str, float]:
    """Return the Zipf frequency of each everyday word, in lower case."""
    return {row["word"]: float(row["zipf"]) for row in read_tsv("common_words.tsv")}


@lru_cache(maxsize=1)
def more_common_words() -> tuple[str, ...]:
    """Return everyday words whose frequency is unknown, in lower case."""
    return tuple(_lines(_MORE_COMMON_WORDS))


def _lines(path: Path) -> list[str]:
    """Return the lines of a list, without comments and empty lines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
