"""Towns without their state, where the words in front say that somebody lives there or went there."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.reference_words import (
    given_name_rates,
    is_everyday_word,
    medical_term_words,
    us_towns,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import GENERIC_PLACE_WORDS, NOT_NAMES, alternation, word_set

_ABROAD = word_set("places", "towns_abroad")
TOWN_TRIGGER = (
    rf"\b(?:(?:{alternation('places', 'words_before_a_town')})"
    r"(?: (?:alone|now|here|back|together|currently|with (?:his|her) [a-z]{3,12}))?"
    r" (?:in|from|to|of|near|outside|outside of)"  # lives alone in
    r"|[Vv]isit(?:ed|ing)|[Ff]rom|[Ii]n|[Nn]ear|[Hh]ometown:?|[Bb]irthplace:?|[Cc]ity:|CITY:) {1,3}[A-Z][A-Za-z]"
)
_FORM_OF_TOWN = re.compile(
    r"(?:North|South|East|West|New|Lake|Port|Fort|Mount) [A-Z][a-z]{2,16}"
    r"|[A-Z][a-z]{2,12}(?:furt|mouth|borough|boro|ville|chester|berg|shire|bury|burgh|burg|haven|stad|town|view|field"
    r"|wood|ford)"
)
"""The form of towns that are not in the lists."""
_LIVES = re.compile(
    r"(?:liv|resid|born|raised|grew|mov|relocat|native|hometown|birthplace|apartment|house|drove|flew)", re.IGNORECASE
)
_NAME = re.compile(r"(?:(?:St|Ft|Mt)\. ?)?[A-Z][A-Za-z'\-]{1,20}(?: [A-Z][a-z'\-]{1,20}){0,2}")


def read_town(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read lives in Worcester, moved from Lagos and a woman from Akron."""
    match = _NAME.match(text, end - 2, end + 62)
    if match is None:
        return
    name = _longest_town(match.group().split(" "))
    if name is None:
        return
    is_bare = " " not in text[start : end - 3].strip()
    if not _is_word(name, is_bare=is_bare, says_lives=_LIVES.match(text, start) is not None):
        yield Candidate(match.start(), match.start() + len(name.removesuffix("'s")), Entity.CITY, Strength.WEAK)


def _longest_town(words: list[str]) -> str | None:
    """Return the longest beginning of capitalised words that is a town, or ``None``."""
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        low = fold(name).removesuffix("'s")
        if low not in NOT_NAMES and low not in GENERIC_PLACE_WORDS and _is_town(name, low):
            return name
    return None


def _is_town(name: str, low: str) -> bool:
    if low in us_towns() or low in _ABROAD:
        return True
    return (" " in name or not is_everyday_word(low)) and _FORM_OF_TOWN.fullmatch(name) is not None


def _is_word(name: str, *, is_bare: bool, says_lives: bool) -> bool:
    """Whether a town is more likely a word.

    Args:
        name: the town.
        is_bare: whether a preposition alone stands in front: in Normal.
        says_lives: whether the words in front say that somebody lives there.
    """
    low = fold(name).removesuffix("'s")
    if " " not in name:
        is_word = low in medical_term_words() or (is_bare and is_everyday_word(low))
        if name.isupper() or (is_word and not says_lives):
            return True
    return is_bare and low not in us_towns() and _FORM_OF_TOWN.fullmatch(name) is not None


MISREAD_TRIGGER = (
    r"\b(?:(?:North|South|East|West|New|Fort|Grand|Lake|Port|Mount|San|Santa|St\.) )?[A-Z][a-z]{0,12}[10][a-z]{2,14}\b"
)


def read_misread_town(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a town in which a scanner took l for 1 or o for 0: North P1atte."""
    words = fold(text[start:end]).replace("1", "l").replace("0", "o").split(" ")
    for first in range(len(words)):
        name = " ".join(words[first:])
        if name in us_towns() and name not in given_name_rates() and not (first == len(words) - 1 and _is_term(name)):
            yield Candidate(end - len(name), end, Entity.CITY, Strength.WEAK)
            return


def _is_term(word: str) -> bool:
    return is_everyday_word(word) or word in medical_term_words()
