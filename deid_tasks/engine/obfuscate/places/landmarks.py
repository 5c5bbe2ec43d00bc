"""Rooms, landmarks and countries: another of the same kind."""

import re
from itertools import count

from deid_tasks.core.reference import fold
from deid_tasks.engine.lexicon.public import common_word_frequencies
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.organizations.organization_words import UNITS, is_kind
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.streets import (
    NUMBER_WORDS,
    STREET_KINDS,
    other_number,
    replace_interstate,
    replace_street,
)
from deid_tasks.engine.obfuscate.places.town_table import HOME
from deid_tasks.engine.obfuscate.word_lists import read_folded_list, read_word_list

_MAX_CODE_LENGTH = 3
_CODES = {
    **dict.fromkeys(("us", "usa", "united states", "united states of america"), HOME),
    **dict.fromkeys(("uk", "united kingdom", "great britain", "england", "scotland", "wales"), "GB"),
    "ireland": "IE",
    "canada": "CA",
    "australia": "AU",
    "new zealand": "NZ",
    "nz": "NZ",
    "india": "IN",
    "singapore": "SG",
    "germany": "DE",
    "france": "FR",
    "spain": "ES",
    "south africa": "ZA",
}
"""Names of the countries that the surrogates have addresses of, folded and without full stops."""
_BED_DIGITS, _MAX_BEDS = 2, 30
_WITH_LETTER = re.compile(r"[A-Za-z](?: [A-Za-z]+)?|[A-Za-z]+ [A-Za-z]")
_CAPITALIZED = re.compile(r"(?<![^\W_])[A-Z][a-z]{3,}(?![^\W_])")
_STREET = re.compile(rf"[^\W\d_]{{3,}} (?:st|{'|'.join(sorted(STREET_KINDS))})\.?(?: [NSEW])?$", re.IGNORECASE)
"""A street without a number: ``Dundas St W``."""
_AT_CORNER = re.compile(r"[A-Z][a-z]+ (?:and|&) \d+(?:st|nd|rd|th)\b|\d+(?:st|nd|rd|th) (?:and|&) [A-Z][a-z]")
"""A corner of a street with a name and one with a number: Pike and 3rd."""
_ADDRESS_WORDS = frozenset(read_word_list("places/address_words.txt"))
_LEADING_KINDS = frozenset(
    [
        "brgy",
        "barangay",
        "purok",
        "sitio",
        "taman",
        "kampung",
        "kg",
        "desa",
        "village",
        "lake",
        "mount",
        "mt",
        "fort",
        "ft",
        "camp",
        "port",
        "cape",
        "interstate",
        "highway",
        "hwy",
        "route",
        "the",
    ]
)
"""Words that say what a landmark is and stand before its name."""


def country_named(value: str) -> str:
    """Return the code of the country that ``value`` names or abbreviates; empty for others, and for most countries."""
    return _CODES.get(fold(value).replace(".", ""), "")


def replace_country(value: str, scope: NameScope, own: str) -> str:
    """Return another country; the note's own stays, since its addresses tell it.

    Args:
        value: the original.
        scope: whose country it is.
        own: code of the country whose addresses and numbers the note has; empty where nothing tells.
    """
    folded = fold(value)
    if own and country_named(value) == own:
        return value
    countries = read_word_list("places/countries.txt")
    draws = (scope.keyed.choice(countries, "country", scope.patient_id, folded, str(attempt)) for attempt in count())
    country = next(name for name in draws if fold(name) not in folded)
    # An abbreviation (U.K., USA) is replaced by a name, which is not written in capitals.
    if sum(map(str.isalpha, value)) <= _MAX_CODE_LENGTH and value.isupper():
        return country
    return match_case(country, value)


def replace_landmark(value: str, scope: NameScope) -> str:
    """Return another place of the same kind.

    A room keeps its shape and gets other digits. A park, a river or a road gets another name beside the word that says
    what it is.
    """
    if all(fold(word) in _ADDRESS_WORDS or fold(word) in UNITS for word in re.findall(r"[^\W_]+", value)):
        # "Rm" of "Rm 7A": the number was detected by itself.
        return value
    if _WITH_LETTER.fullmatch(value) and all(
        len(word) == 1 or fold(word) in _ADDRESS_WORDS for word in re.findall(r"[^\W_]+", value)
    ):
        # "C Wing", "bed B", and "C" of "pod C": the letter names it.
        other = scope.keyed.like
        return re.sub(
            r"(?<![^\W_])[A-Za-z](?![^\W_])", lambda found: other(found.group(), "wing", upper="ABCDEF"), value
        )
    if _STREET.search(value) or _AT_CORNER.search(value):
        return replace_street(value, scope)
    if (interstate := replace_interstate(value, scope)) is not None:
        return interstate
    has_digits = any(char.isdigit() for char in value)
    parts = ("place", "" if has_digits else scope.patient_id, fold(value))
    if has_digits:
        value = _CAPITALIZED.sub(lambda match: _other_proper_word(match.group(), parts, scope), value)
        return re.sub(r"\d+(?:st|nd|rd|th)?\b|\d+", lambda match: _other_room(match.group(), parts, scope), value)
    words = value.split()
    if len(words) == 2 and fold(words[0]) in _ADDRESS_WORDS and fold(words[1]) in NUMBER_WORDS:
        # "room six"
        number = scope.keyed.choice([one for one in NUMBER_WORDS if one != fold(words[1])], *parts)
        return f"{words[0]} {match_case(number, words[1])}"
    folded = fold(value)
    landmarks = read_folded_list("places/landmarks.txt")
    name = scope.keyed.choice([name for name, its_folded in landmarks if its_folded not in folded], *parts)
    if len(words) > 2 and fold(words[1]) == "of":
        names = [
            one for one, its_folded in read_folded_list("organizations/single_names.txt") if its_folded not in folded
        ]
        return match_case(f"{words[0]} {words[1]} {scope.keyed.choice(names, *parts)}", value)
    if len(words) > 1 and fold(words[0]).rstrip(".") in _LEADING_KINDS:
        return match_case(f"{words[0]} {name}", value)
    if len(words) > 2 and words[0].casefold() == "the":
        return match_case(f"{words[0]} {name} {words[-1]}", value)
    return match_case(f"{name} {words[-1]}" if len(words) > 1 and _is_kind(fold(words[-1])) else name, value)


def _other_proper_word(word: str, parts: tuple[str, ...], scope: NameScope) -> str:
    """Return the surrogate of a word of a room; the proper name in it becomes another: "Wrightfield 3rd floor"."""
    if _is_kind(fold(word)):
        return word
    names = [one for one in read_word_list("organizations/single_names.txt") if fold(one) != fold(word)]
    return match_case(scope.keyed.choice(names, *parts, fold(word)), word)


def _is_kind(folded: str) -> bool:
    """Whether the last word of a place says what it is: the Park of "Canal Park", and not a name."""
    is_common = folded in common_word_frequencies() or folded.removesuffix("s") in common_word_frequencies()
    return is_common or is_kind(folded) or folded in _ADDRESS_WORDS or folded in STREET_KINDS or folded in UNITS


def _other_room(number: str, parts: tuple[str, ...], scope: NameScope) -> str:
    """Return another number; two digits below thirty stay below it, since no unit has bed 91.

    A room of three figures or more is the same with each of its beds: 204-1 and 204-2.
    """
    if len(number) > _BED_DIGITS and number.isdecimal():
        return other_number(number, (*parts[:2], number), scope)
    if len(number) != _BED_DIGITS or not number.isdecimal() or int(number) >= _MAX_BEDS:
        return other_number(number, parts, scope)
    options = [one for one in range(1, _MAX_BEDS) if one != int(number) and (one > 9) == (number[0] != "0")]
    return f"{scope.keyed.choice(options, 'bed', *parts, number):02d}"
