"""The patient's initials where people sign or are spoken of, and the last four digits of the social security number."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import re2

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.patient_terms import PatientTerms

_CUE = r"(?i:\b(?:initials?|signed|signature|patient|pt|sincerely|name)\b)[^\w\n]{1,4}"
_INITIALS = re.compile(
    rf"""
    {_CUE} ( (?:[A-Z]\.?[ ]?){{1,2}} [A-Z] ) (?!\w)         # "Signed: A. B. C", "patient AB"
    |
    \b ( [A-Z]\.[ ]?[A-Z]\. (?:[ ]?[A-Z]\.)? )              # "A.B. reports"
    (?=[ ](?:is|was|has|had|presents|reports|denies|states)\b)
    """,
    re.VERBOSE,
)
_LAST_FOUR = re.compile(
    r"""
    (?:
        [xX*#]{3} [-\ ]? [xX*#]{2} [-\ ]?                   # "xxx-xx-1234"
        |
        (?i: \blast[ ](?:four|4) | \bending(?:[ ]in)? | \bssn )[^\w\n]{1,3}
        (?: (?i: of[ ]ssn | ssn )[^\w\n]{1,3} )?            # "last four of SSN: 1234", "ending in 1234"
    )
    (\d{4}) \b
    """,
    re.VERBOSE,
)
_EITHER = (
    r"(?i:\b(?:initials?|signed|signature|patient|pt|sincerely|name)\b)[^\w\n]{1,4}[A-Z]\.? ?[A-Z]"
    r"|\b[A-Z]\. ?[A-Z]\."
    r"|[xX*#]{3}"
    r"|(?i:\b(?:last (?:four|4)|ending|ssn))"
)
"""Matches every text in which one of the two expressions above matches; most texts have no match, and RE2 is fast."""


def find_initials(text: str, plain: bytes, terms: PatientTerms, detector: str) -> Iterator[Span]:
    """Yield the spans of the patient's initials and of the last four digits of the social security number.

    Args:
        text: the note.
        plain: the note in ASCII, one byte for each code point.
        terms: the patient's compiled record.
        detector: name of the spans' detector.
    """
    if not prefilter().search(plain):
        return
    for match in _INITIALS.finditer(text):
        group = 1 if match.group(1) else 2
        letters = "".join(letter for letter in match.group(group) if letter.isalpha()).lower()
        if letters in terms.initials:
            yield Span(*match.span(group), Entity.INITIALS, detector)
    if terms.last_four:
        for match in _LAST_FOUR.finditer(text):
            if match.group(1) in terms.last_four:
                yield Span(*match.span(1), Entity.SSN, detector)


@lru_cache(maxsize=1)
def prefilter() -> Any:
    """Return the RE2 expression without which a text holds neither initials nor last four digits."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    return re2.compile(_EITHER.encode("ascii"), options)
