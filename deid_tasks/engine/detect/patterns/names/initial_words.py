"""What distinguishes initials from the abbreviations, units and headings that look like them."""

import re

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.reference_words import is_frequent_word
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, word_set
from deid_tasks.engine.lexicon.public import medical_abbreviations

DAY = r"(?:(?:0?[1-9]|1[0-2])[/.\-](?:0?[1-9]|[12][0-9]|3[01])(?:[/.\-][0-9]{2,4})?|[0-9]{4}-[0-9]{2}-[0-9]{2})"
CLOCK = r"(?:[0-9]{1,2}:[0-9]{2}(?: ?[AaPp][Mm])?|[0-2][0-9][0-5][0-9])"
PAIR = r"/{0,2}[A-Za-z]{2,4}(?:(?:[:/]{1,2}|:/)[A-Za-z]{2,4})?"
"""Initials, or those of an author and a typist: MTO, /mto, MTO:jd."""
LETTERS = re.compile(r"[A-Za-z]{2,4}(?![A-Za-z])")
HEADINGS = word_set("names", "headings")
UNITS = word_set("names", "units_and_findings")
NEVER = word_set("names", "never_initials")


def initials_candidate(start: int, end: int, strength: Strength = Strength.FORMAT) -> Candidate:
    """Return a candidate of the entity INITIALS."""
    return Candidate(start, end, Entity.INITIALS, strength)


def line_around(text: str, start: int) -> str:
    """Return the line that ``start`` stands in, at most 120 characters to either side."""
    low, high = text.rfind("\n", max(0, start - 120), start) + 1, text.find("\n", start, start + 120)
    return text[max(low, start - 120) : high if high >= 0 else start + 120]


def is_in_capitals(line: str) -> bool:
    """Whether a line is written in capitals, which then say nothing of a word in it."""
    letters = [character for character in line if character.isalpha()]
    return len(letters) > 12 and sum(character.isupper() for character in letters) > 0.8 * len(letters)


def is_abbreviation(low: str) -> bool:
    """Whether letters in lower case are a medical abbreviation, a unit or a heading."""
    return low in medical_abbreviations() or low in UNITS or low in HEADINGS


def may_sign(word: str, *, in_capitals: bool) -> bool:
    """Whether letters behind a sentence or alone on a line may be somebody's initials."""
    low = word.lower()
    if len(word) > 3 or is_abbreviation(low):
        return False
    return (word.isupper() and not in_capitals) or not (is_frequent_word(low) or low in NOT_NAMES)
