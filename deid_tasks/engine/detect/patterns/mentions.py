"""People named in passing, without a title: told Maria, Maria called, MD Okafor."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    given_name_rates,
    is_everyday_word,
    is_frequent_surname,
    is_plain_name,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength

_WORD = r"[A-Za-z][A-Za-z'\-]{2,24}"
_TOLD = rf"(?i)\b(?:told|informed|notified|paged|phoned|texted|advised|reminded|thanked) {_WORD}"
_TOLD_TAIL = re.compile(r"(?:[.,;:)\n]|$| (?:to|that|of|about|on|at|signs|he|she|we|by|and|if|not|in)\b)")


def read_told(text: str, start: int, end: int) -> Iterator[Candidate]:
    """told Maria to call; told okafor."""
    begin = text.rfind(" ", start, end) + 1
    word = text[begin:end]
    if (
        is_plain_name(word)
        and may_be_name(word)
        and (word[0].isupper() or (len(word) > 3 and _TOLD_TAIL.match(text, end, end + 10)))
    ):
        yield Candidate(begin, end, Entity.RELATIVE, Strength.WEAK)


_CALLS = rf"(?i)\b{_WORD} (?:called|phoned|texted|ok'?d|okayed|sober|states|says)\b"


def read_calls(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Maria called; okafor ok'd."""
    stop = text.find(" ", start, end)
    word = text[start:stop]
    if not is_plain_name(word) or not may_be_name(word):
        return
    if word[0].isupper() or fold(word) in given_name_rates():
        yield Candidate(start, stop, Entity.RELATIVE, Strength.WEAK)


_CREDENTIAL_FIRST = rf"\b(?:MD|RN|NP|PA) {_WORD}(?:[^A-Za-z]|$)"


def read_credential_first(text: str, start: int, end: int) -> Iterator[Candidate]:
    """day 2  MD Okafor; BEDSIDE MD OKAFOR CALLED."""
    begin = start + 3
    match = re.compile(_WORD).match(text, begin, end)
    if match is None or not match.group()[0].isupper() or not may_be_name(match.group()):
        return
    word = match.group()
    if is_plain_name(word) or is_frequent_surname(word):
        yield Candidate(*match.span(), Entity.PROVIDER)
    elif word[1:].islower() and not is_everyday_word(word) and word.lower() not in medical_term_words():
        yield Candidate(*match.span(), Entity.PROVIDER, Strength.WEAK)


_SITE = r"(?i)\b(?:site|facility|campus|hospital|clinic|where)(?:: ?| {0,4}\| ?| )(?-i:[A-Z]{3,5})(?:[;,.:)\n]| {2}|$)"


def read_site(text: str, start: int, end: int) -> Iterator[Candidate]:
    """SITE: RMH; clinic RPC; a hospital's letters behind what it is."""
    match = re.compile(r"[A-Z]{3,5}(?=[^A-Za-z]*$)").search(text, start, end)
    if match is None or (text[start:end].isupper() and ":" not in text[start:end]):
        return
    low = match.group().lower()
    if low not in medical_term_words() and may_be_name(low) and not is_everyday_word(low):
        yield Candidate(*match.span(), Entity.FACILITY)


_IS_AGED = r"\b[A-Z][a-z'\-]{2,20} (?:is|was) an? (?:very |quite |most )?(?:(?:pleasant|delightful|lovely|nice|unfortunate|healthy|elderly|young),? ){0,2}[0-9]{1,3}[ \-yYmMfF]"


def read_is_aged(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Okafor is a pleasant 45 y/o woman."""
    word = text[start : text.find(" ", start, end)]
    if may_be_name(word) and (
        is_plain_name(word) or (is_frequent_surname(word) and word.lower() not in medical_term_words())
    ):
        yield Candidate(start, start + len(word), Entity.PATIENT, Strength.WEAK)


RULES = (
    Rule("name and age", _IS_AGED, read_is_aged),
    Rule("told", _TOLD, read_told),
    Rule("calls", _CALLS, read_calls),
    Rule("credential first", _CREDENTIAL_FIRST, read_credential_first),
    Rule("site", _SITE, read_site),
)
