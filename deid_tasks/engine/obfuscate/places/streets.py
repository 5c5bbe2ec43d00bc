"""Streets: another number and another name; the kind of street, the kind of unit and directions stay."""

import datetime
import re
from itertools import count

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.word_lists import read_word_list
from deid_tasks.engine.obfuscate.word_rewriting import rewrite_words

_YEAR = re.compile(r"(?:19|20)\d\d(?=, [^\W\d])")
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ADDRESS_WORDS = frozenset(read_word_list("places/address_words.txt"))
STREET_KINDS = frozenset(
    [
        *(
            "ave",
            "avenue",
            "blvd",
            "boulevard",
            "circle",
            "cir",
            "close",
            "cres",
            "crescent",
            "dr",
            "drive",
            "lane",
            "ln",
        ),
        *(
            "parade",
            "pde",
            "parkway",
            "pkwy",
            "pike",
            "rd",
            "road",
            "street",
            "tce",
            "terrace",
            "way",
            "strasse",
            "str",
        ),
    ]
)
"""Words that say what kind of street a street is and stand behind its name, folded."""


def replace_street(value: str, scope: NameScope) -> str:
    """Return the street line with another number and another street name."""
    if all(fold(word) in _ADDRESS_WORDS for word in re.findall(r"[^\W_]+", value)):
        return value
    parts = ("street", scope.patient_id, fold(re.sub(r"\W+", " ", value)))
    folded = fold(value)
    streets = read_word_list("places/street_names.txt")
    name = next(
        street
        for attempt in count()
        if fold(street := scope.keyed.choice(streets, *parts, "name", str(attempt))) not in folded
    )
    is_named = False

    def rewrite(word: str) -> str | None:
        nonlocal is_named
        if any(char.isdigit() for char in word):
            return other_number(word, parts, scope)
        if not is_named and fold(word) in _NUMBER_WORDS:
            number = scope.keyed.choice([number for number in _NUMBER_WORDS if number != fold(word)], *parts)
            return match_case(number.capitalize() if word[0].isupper() else number, word)
        if fold(word) in _ADDRESS_WORDS:
            return word if len(word) > 1 or fold(word) in "nsewpo" else scope.keyed.like(word, *parts)
        if is_named:
            return None
        is_named = True
        return match_case(name, word)

    if year := _YEAR.match(value):
        # "removed 2004, Edge Hill": a year before a place, not a house number.
        moved = datetime.date(int(year.group()), 7, 1) + datetime.timedelta(days=scope.shift_days)
        return str(moved.year) + rewrite_words(value[year.end() :], rewrite)
    street_line = rewrite_words(value, rewrite)
    return street_line if street_line != value else scope.keyed.like(value, *parts)


def other_number(word: str, parts: tuple[str, ...], scope: NameScope) -> str:
    """Return a number with other digits, and with the letter or the fitting ordinal ending that stands behind it.

    Args:
        word: a number, with letters perhaps.
        parts: what the choice depends on.
        scope: whose number it is.
    """
    ordinal = re.fullmatch(r"(\d+)(st|nd|rd|th)", word, re.IGNORECASE)
    made = re.sub(r"^0", "1", scope.keyed.like(ordinal[1] if ordinal else word, *parts, upper="ABCDEFGH"))
    if made == word:
        made = "2" + made[1:]
    if not ordinal:
        return made
    ending = "th" if made[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(made[-1], "th")
    return made + match_case(ending, ordinal[2])
