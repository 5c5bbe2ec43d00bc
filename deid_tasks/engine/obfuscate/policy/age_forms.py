"""The form of an age: up to the highest that stays, higher, or not to be read."""

import re

from deid_tasks.core.forms import IdentifierForm
from deid_tasks.engine.obfuscate.dates.ages import cap_age
from deid_tasks.engine.obfuscate.word_lists import read_word_list

_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty"
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_YOUNG_WORDS = re.compile(
    rf"""\b(?:
        (?:{_TENS})(?:[\s-]?(?:{_ONES}))? | {_ONES} | ten | eleven | twelve
        | (?:thir|four|fif|six|seven|eigh|nine)teen
        | twenties | thirties | forties | fifties | sixties | seventies | eighties
        | newborn | neonate | infant | toddler | teens? | teenager | teenaged? | adolescent
        | septuagenarian | octogenarian | sexagenarian
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ALREADY_CAPPED = re.compile(r"(?:>|≥|over|above|older than|more than)[\s-]*(?P<over>\d+)|(?P<plus>\d+)\s?\+", re.I)
_AGE_WORDS = frozenset(read_word_list("policy/age_words.txt"))
"""Words beside an age that name nothing else."""
_HIPAA_MAX_AGE = 89
"""Words are read for this limit; of a lower one they do not tell on which side of it they are."""
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+")
_MISREAD_DIGIT = re.compile(r"(?<![a-z])[OIl]\d|\d[OIl](?![a-z])")
"""A letter that may be a digit: 9O is ninety."""


def form_of_age(value: str, max_age_years: int) -> IdentifierForm:
    """Return the form of the text of an age.

    Args:
        value: the text.
        max_age_years: the highest age that is not an identifier.
    """
    if cap_age(value, max_age_years) != value:
        return IdentifierForm.AGE_90_OR_OVER
    if any(int(found["over"] or found["plus"]) >= max_age_years for found in _ALREADY_CAPPED.finditer(value)):
        return IdentifierForm.AGE_90_OR_OVER
    has_number = bool(_NUMBER.search(value))
    is_read = has_number or (max_age_years >= _HIPAA_MAX_AGE and _YOUNG_WORDS.search(value))
    rest = {word.casefold() for word in _WORD.findall(_YOUNG_WORDS.sub(" ", value))} - _AGE_WORDS
    return (
        IdentifierForm.AGE_UNCLEAR
        if rest or not is_read or _MISREAD_DIGIT.search(value)
        else IdentifierForm.AGE_UNDER_90
    )
