"""Numbers by which a state knows a person: Aadhaar, SIN, NRIC, PPS, national insurance, identity cards."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength

_BETWEEN = r"\b[^0-9\n]{0,24}?"
"""From a label to its number: "SIN on EI form"."""
CIVIL_NUMBER_TRIGGER = (
    rf"(?i)\b(?:aadhaa?r|uidai){_BETWEEN}\b[2-9][0-9]{{3}}[ \-]?[0-9]{{4}}[ \-]?[0-9]{{4}}\b"
    rf"|(?i)\bsin{_BETWEEN}\b[0-9]{{3}}[ \-]?[0-9]{{3}}[ \-]?[0-9]{{3}}\b"  # Canada
    rf"|(?i)\bpps(?:n| ?no\.?| number)?{_BETWEEN}\b[0-9]{{7}}[a-w][a-iw]?\b"  # Ireland
    rf"|(?i)\b(?:sa id|rsa id|id (?:no|number)){_BETWEEN}\b[0-9]{{6}} ?[0-9]{{4}} ?[0-9]{{3}}\b"  # South Africa
    rf"|(?i)\b(?:nino|ni (?:no|number)|national insurance(?: no| number)?){_BETWEEN}"  # United Kingdom
    r"\b[a-z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d]\b"
    r"|\b[STFGM][0-9]{7}[A-Z]\b"  # Singapore
)
_LETTERS_BEFORE = re.compile(r"(?<![A-Za-z])[A-Za-z]{1,2} ?$")
"""Letters that the number begins with: S1234567D, QQ 12 34 56 C."""


def read_civil_number(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the number at the end of a match: behind its label, or by its form alone."""
    first = next(index for index in range(start, end) if text[index].isdigit())
    letters = _LETTERS_BEFORE.search(text, start, first) if text[end - 1].isalpha() else None
    begin = first - len(letters.group()) if letters else first
    yield Candidate(begin, end, Entity.SSN, Strength.FORMAT if begin == start else Strength.LABELLED)
