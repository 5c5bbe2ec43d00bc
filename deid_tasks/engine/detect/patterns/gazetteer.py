"""What the public reference lists say of a word: everyday word, name, town, abbreviation or eponym. Read once, on first use."""

from functools import lru_cache

from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.detect.patterns.words import NOT_NAMES

FREQUENT_NAME = 20.0
"""Of 100,000 people, as many bear a name that is believed in a strong context although it is a word too (Brown, Price, Long)."""


FREQUENT_WORD = 4.7
"""Words at least this frequent on the Zipf scale stand at the end of any sentence; rarer ones of three letters are initials there."""


@lru_cache(maxsize=1)
def common_words() -> dict[str, float]:
    """Everyday words in small letters, and their frequency on the Zipf scale."""
    return {row["word"]: float(row["zipf"]) for row in read_tsv("common_words.tsv")}


@lru_cache(maxsize=1)
def surnames() -> dict[str, float]:
    """Family names in small letters without accents, and how many of 100,000 people bear each."""
    beyond = {fold(row["name"]): 1.0 for row in read_tsv("names_beyond.tsv") if row["part"] == "surname"}
    return beyond | {fold(row["surname"]): float(row["per_100k"]) for row in read_tsv("surnames.tsv")}


@lru_cache(maxsize=1)
def given_names() -> dict[str, float]:
    """Given names in small letters without accents, and how many of 100,000 women or men bear each."""
    beyond = {fold(row["name"]): 1.0 for row in read_tsv("names_beyond.tsv") if row["part"] == "given"}
    return beyond | {
        fold(row["given_name"]): max(float(row["women_per_100k"]), float(row["men_per_100k"]))
        for row in read_tsv("given_names.tsv")
    }


@lru_cache(maxsize=1)
def towns() -> frozenset[str]:
    """Towns of the United States in small letters."""
    return frozenset(fold(row["city"]) for row in read_tsv("places.tsv"))


@lru_cache(maxsize=1)
def towns_in_states() -> frozenset[tuple[str, str]]:
    """Towns of the United States in small letters, each with the code of its state."""
    return frozenset((fold(row["city"]), row["state"]) for row in read_tsv("places.tsv"))


@lru_cache(maxsize=1)
def medical_words() -> frozenset[str]:
    """One-word medical terms, and every word of the hand-written eponyms, procedures and abbreviations, in small letters."""
    found: set[str] = set()
    for row in read_tsv("medical_terms.tsv"):
        words = fold(row["term"]).replace("-", " ").replace("'s", "").replace("’s", "").split()
        if len(words) == 1 or row["source"] == "own":
            found.update(words)
    return frozenset(found)


@lru_cache(maxsize=1)
def abbreviations() -> frozenset[str]:
    """Medical abbreviations in small letters."""
    return frozenset(fold(row["term"]) for row in read_tsv("medical_terms.tsv") if row["kind"] == "abbreviation")


def is_everyday(word: str) -> bool:
    """Whether ``word`` is an everyday word, in any case."""
    low = word.lower().removesuffix("'s")
    return low in common_words() or low in NOT_NAMES


def is_frequent_word(low: str) -> bool:
    """Whether a word in small letters is among the most frequent."""
    return common_words().get(low, 0.0) >= FREQUENT_WORD


def is_plain_name(word: str) -> bool:
    """Whether ``word``, or a half of it, is somebody's name and neither an everyday nor a medical word."""
    low = word.lower().removesuffix("'s")
    if low in medical_words() or is_everyday(low):
        return False
    return any(part in surnames() or part in given_names() for part in (low, *low.split("-")))


def is_frequent_surname(word: str) -> bool:
    """Whether ``word`` is a family name that many bear, whatever else it is."""
    low = word.lower().removesuffix("'s")
    return surnames().get(low, 0.0) >= FREQUENT_NAME and low not in NOT_NAMES


def is_given(word: str) -> bool:
    """Whether ``word`` is a given name and neither an everyday nor a medical word."""
    return is_plain_name(word) and fold(word) in given_names()
