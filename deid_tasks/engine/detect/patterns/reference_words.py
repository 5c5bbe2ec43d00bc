"""What the public reference lists say of a word: everyday word, name, town, abbreviation or eponym.

Each list is read once, on first use.
"""

from functools import lru_cache

from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES
from deid_tasks.engine.lexicon.public import common_word_frequencies

FREQUENT_SURNAME_PER_100K = 20.0
"""Bearers of a surname among 100,000 people from which it counts as a name although it is a word too (Brown, Long)."""
FREQUENT_GIVEN_PER_100K = 30.0
"""Bearers of a given name among 100,000 women or men from which it counts as a name although it is a word too."""
FREQUENT_WORD_ZIPF = 4.7
"""Zipf frequency of a word that may end any sentence; a rarer word of three letters there is somebody's initials."""


@lru_cache(maxsize=1)
def surname_rates() -> dict[str, float]:
    """Return the bearers per 100,000 people of each surname, in lower case without accents."""
    rare = {fold(row["name"]): 1.0 for row in read_tsv("names_beyond.tsv") if row["part"] == "surname"}
    return rare | {fold(row["surname"]): float(row["per_100k"]) for row in read_tsv("surnames.tsv")}


@lru_cache(maxsize=1)
def given_name_rates() -> dict[str, float]:
    """Return the bearers per 100,000 women or men of each given name, in lower case without accents."""
    rare = {fold(row["name"]): 1.0 for row in read_tsv("names_beyond.tsv") if row["part"] == "given"}
    return rare | {
        fold(row["given_name"]): max(float(row["women_per_100k"]), float(row["men_per_100k"]))
        for row in read_tsv("given_names.tsv")
    }


@lru_cache(maxsize=1)
def us_towns() -> frozenset[str]:
    """Return the towns of the United States, in lower case."""
    return frozenset(fold(row["city"]) for row in read_tsv("places.tsv"))


@lru_cache(maxsize=1)
def us_towns_with_states() -> frozenset[tuple[str, str]]:
    """Return the towns of the United States in lower case, each with the code of its state."""
    return frozenset((fold(row["city"]), row["state"]) for row in read_tsv("places.tsv"))


@lru_cache(maxsize=1)
def towns_with_provinces() -> frozenset[tuple[str, str]]:
    """Return the towns abroad in lower case, each with the code of its province or state, where it has one."""
    return frozenset((fold(row["town"]), row["region_code"]) for row in read_tsv("towns.tsv") if row["region_code"])


@lru_cache(maxsize=1)
def medical_term_words() -> frozenset[str]:
    """Return the medical terms of one word, and each word of the terms that the project wrote itself, in lower case."""
    found: set[str] = set()
    for row in read_tsv("medical_terms.tsv"):
        words = fold(row["term"]).replace("-", " ").replace("'s", "").replace("’s", "").split()
        if len(words) == 1 or row["source"] == "own":
            found.update(words)
    return frozenset(found)


@lru_cache(maxsize=1)
def words_of_terms() -> frozenset[str]:
    """Return every word of the medical terms and the eponyms, in lower case: what may bear somebody's name."""
    found: set[str] = set()
    for name in ("medical_terms.tsv", "eponyms.tsv"):
        for row in read_tsv(name):
            found.update(fold(row["term"]).replace("-", " ").replace("'s", "").replace("’s", "").split())
    return frozenset(found)


def is_everyday_word(word: str) -> bool:
    """Whether ``word`` is an everyday word, in any case."""
    low = word.lower().removesuffix("'s")
    return low in common_word_frequencies() or low in NOT_NAMES


def is_frequent_word(low: str) -> bool:
    """Whether a word in lower case is among the most frequent."""
    return common_word_frequencies().get(low, 0.0) >= FREQUENT_WORD_ZIPF


def is_plain_name(word: str) -> bool:
    """Whether ``word`` or one half of it is a name, and it is neither an everyday nor a medical word."""
    low = word.lower().removesuffix("'s")
    if low in medical_term_words() or is_everyday_word(low):
        return False
    return any(part in surname_rates() or part in given_name_rates() for part in (low, *low.split("-")))


def is_frequent_surname(word: str) -> bool:
    """Whether ``word`` is a surname that many bear, whatever else it is."""
    low = word.lower().removesuffix("'s")
    return surname_rates().get(low, 0.0) >= FREQUENT_SURNAME_PER_100K and low not in NOT_NAMES


def is_given_name(word: str) -> bool:
    """Whether ``word`` is a given name and neither an everyday nor a medical word."""
    return is_plain_name(word) and fold(word) in given_name_rates()


@lru_cache(maxsize=1)
def languages() -> frozenset[str]:
    """Return the languages, in lower case."""
    return frozenset(row["language"].lower() for row in read_tsv("languages.tsv"))
