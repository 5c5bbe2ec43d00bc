"""Streets, rooms, landmarks and countries: another of the same kind."""

import datetime
import re
from itertools import count

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import rewrite_words
from deid_tasks.engine.obfuscate.places.street_names import ADDRESS_WORDS, COUNTRIES, LANDMARKS, STREETS

_LONGEST_CODE = 3
_YEAR = re.compile(r"(?:19|20)\d\d(?=, [^\W\d])")
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LEADING = frozenset(
    ["lake", "mount", "mt", "fort", "ft", "camp", "port", "cape", "interstate", "highway", "hwy", "route", "the"]
)


def replace_street(value: str, scope: NameScope) -> str:
    """Another number and another street; its kind, its unit's kind and its directions stay."""
    parts = ("street", scope.patient_id, fold(re.sub(r"\W+", " ", value)))
    folded = fold(value)
    name = next(
        made
        for attempt in count()
        if fold(made := scope.keyed.choice(STREETS, *parts, "name", str(attempt))) not in folded
    )
    named = False

    def rewrite(word: str) -> str | None:
        nonlocal named
        if any(char.isdigit() for char in word):
            return _other_number(word, parts, scope)
        if not named and fold(word) in _NUMBER_WORDS:
            new = scope.keyed.choice([number for number in _NUMBER_WORDS if number != fold(word)], *parts)
            return match_case(new.capitalize() if word[0].isupper() else new, word)
        if fold(word) in ADDRESS_WORDS:
            return word if len(word) > 1 or fold(word) in "nsewpo" else scope.keyed.like(word, *parts)
        if named:
            return None
        named = True
        return match_case(name, word)

    if year := _YEAR.match(value):
        # "removed 2004, Edge Hill": a year before a place, and no house number.
        moved = datetime.date(int(year.group()), 7, 1) + datetime.timedelta(days=scope.shift_days)
        return str(moved.year) + rewrite_words(value[year.end() :], rewrite)
    made_street = rewrite_words(value, rewrite)
    return made_street if made_street != value else scope.keyed.like(value, *parts)


def _other_number(word: str, parts: tuple[str, ...], scope: NameScope) -> str:
    """Other figures, with a letter or an ordinal ending that fits behind them."""
    ordinal = re.fullmatch(r"(\d+)(st|nd|rd|th)", word, re.IGNORECASE)
    made = re.sub(r"^0", "1", scope.keyed.like(ordinal[1] if ordinal else word, *parts))
    if made == word:
        made = "2" + made[1:]
    if not ordinal:
        return made
    ending = "th" if made[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(made[-1], "th")
    return made + match_case(ending, ordinal[2])


def replace_country(value: str, scope: NameScope) -> str:
    """Another country."""
    folded = fold(value)
    draws = (scope.keyed.choice(COUNTRIES, "country", scope.patient_id, folded, str(attempt)) for attempt in count())
    made = next(name for name in draws if fold(name) not in folded)
    # Letters that stand for a country (U.K., USA) give way to a name, which is not written in capitals.
    return made if sum(map(str.isalpha, value)) <= _LONGEST_CODE and value.isupper() else match_case(made, value)


def replace_landmark(value: str, scope: NameScope) -> str:
    """A room keeps its shape with other digits; a park, river or road keeps its last word and gets another name."""
    parts = ("place", "" if any(char.isdigit() for char in value) else scope.patient_id, fold(value))
    if any(char.isdigit() for char in value):
        return re.sub(r"\d+(?:st|nd|rd|th)?\b|\d+", lambda match: _other_number(match.group(), parts, scope), value)
    words = value.split()
    name = scope.keyed.choice([name for name in LANDMARKS if fold(name) not in fold(value)], *parts)
    # "the Ozark Trail" and "Lake Erie" keep the word that says what they are.
    if len(words) > 1 and fold(words[0]) in _LEADING:
        return match_case(f"{words[0]} {name}", value)
    if len(words) > 2 and words[0].casefold() == "the":
        return match_case(f"{words[0]} {name} {words[-1]}", value)
    return match_case(f"{name} {words[-1]}" if len(words) > 1 else name, value)
