"""People named in passing, without a title: told Maria, Maria called, Okafor is a pleasant 45 y/o woman."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    given_name_rates,
    is_frequent_surname,
    is_plain_name,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength

_WORD = r"[A-Za-z][A-Za-z'\-]{2,24}"
TOLD_TRIGGER = rf"(?i)\b(?:told|informed|notified|paged|phoned|texted|advised|reminded|thanked) {_WORD}"
_TOLD_TAIL = re.compile(r"(?:[.,;:)\n]|$| (?:to|that|of|about|on|at|signs|he|she|we|by|and|if|not|in)\b)")


def read_person_who_was_told(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read told Maria to call and told okafor."""
    begin = text.rfind(" ", start, end) + 1
    word = text[begin:end]
    if not is_plain_name(word) or not may_be_name(word):
        return
    if word[0].isupper() or (len(word) > 3 and _TOLD_TAIL.match(text, end, end + 10)):
        yield Candidate(begin, end, Entity.RELATIVE, Strength.WEAK)


CALLS_TRIGGER = rf"(?i)\b{_WORD} (?:called|phoned|texted|ok'?d|okayed|sober|states|says)\b"


def read_person_who_called(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Maria called and okafor ok'd."""
    stop = text.find(" ", start, end)
    word = text[start:stop]
    if not is_plain_name(word) or not may_be_name(word):
        return
    if word[0].isupper() or fold(word) in given_name_rates():
        yield Candidate(start, stop, Entity.RELATIVE, Strength.WEAK)


DESCRIBED_TRIGGER = (
    r"\b[A-Z][a-z'\-]{2,20} (?:is|was) an? (?:very |quite |most )?"
    r"(?:(?:pleasant|delightful|lovely|nice|unfortunate|healthy|elderly|young),? ){0,2}[0-9]{1,3}[ \-yYmMfF]"
)


def read_described_patient(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Okafor is a pleasant 45 y/o woman."""
    word = text[start : text.find(" ", start, end)]
    if not may_be_name(word):
        return
    if is_plain_name(word) or (is_frequent_surname(word) and word.lower() not in medical_term_words()):
        yield Candidate(start, start + len(word), Entity.PATIENT, Strength.WEAK)
