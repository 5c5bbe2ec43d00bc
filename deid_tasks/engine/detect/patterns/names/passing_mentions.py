"""People named in passing, without a title: told Maria, Maria called, Okafor is a pleasant 45 y/o woman."""

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
    surname_rates,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation, as_word_set

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


ANSWERED_TRIGGER = (
    r"(?m)^[ \t]{0,4}[A-Z][a-z'\-]{1,20}: (?:STOP|START|HOLD|INCREASE|DECREASE|CONTINUE|RESUME|RESTART|OK to|Ok to|OK,"
    r"|Agree\b|Agreed|Approved|Please (?:call|tell|let|schedule|have|inform|send)|Tell (?:him|her|pt|patient)|Noted)"
)


def read_clinician_who_answered(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the surname in front of an answer to a message: Ong: STOP chlorthalidone; not Plan: STOP."""
    stop = text.index(":", start, end)
    begin = start + len(text[start:stop]) - len(text[start:stop].lstrip())
    word = text[begin:stop]
    is_word = is_everyday_word(word.lower()) or word.lower() in medical_term_words()
    if fold(word) in surname_rates() and not is_word and may_be_name(word):
        yield Candidate(begin, stop, Entity.PROVIDER, Strength.WEAK)


QUOTED_TRIGGER = (
    r"\"[A-Z][a-z]{1,11}\" (?:for|=|is|means) (?:his |her |the |my )?"
    r"(?:big |little |baby |older |younger |twin )?"
    r"(?:sister|brother|sibling|sis|bro|cousin|aunt|auntie|uncle|grandma|grandpa|grandmother|grandfather|nanny)\b"
)
_WORDS_FOR_KIN = as_word_set(
    "mama dada papa nana baba sissy sister brother bubba bubby bro sis auntie aunt uncle grandma grandpa nanny baby"
    " tata dede titi tete gaga gigi pawpaw mimi nonna tia tio abuela abuelo didi bhai kaka mimi oma opa tutu popo gong"
)


def read_word_for_sibling(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the name that a child says: "Zozo" for sister; not "Nana" for grandma."""
    stop = next(i for i in range(start + 1, end) if text[i] == '"')
    if text[start + 1 : stop].lower() not in _WORDS_FOR_KIN:
        yield Candidate(start + 1, stop, Entity.RELATIVE)


SEEN_BY_TRIGGER = (
    rf"\b(?:{alternation('names', 'departments')}|[Pp]odiatry|[Rr]heum(?:atology)?|[Ee]ndo(?:crinology)?|[Oo]phtho"
    r"|[Oo]ptometry|[Dd]ental|[Aa]llergy|[Aa]udiology|[Ww]ound [Cc]are|[Pp]ain|PT|OT|PCP) [A-Z][a-z]{2,15} "
    r"(?:q ?[0-9]{1,2}(?:-[0-9]{1,2})? ?(?:d|w|wk|wks|mo|mos|m|y|yr|months|weeks)\b|annually|yearly|monthly"
    r"|next (?:wk|week|mo|month|visit)|in [0-9]{1,2} ?(?:d|w|wk|wks|mo|mos|weeks|months)\b)"
)
_SURNAME = re.compile(r" (?P<name>[A-Z][a-z]{2,15}) (?=[a-z])")
_NO_SURNAMES = as_word_set(
    "clinic consult consults follow visit visits office labs appt team surgery medicine check checks screen exam eval"
    " recheck follows sees device nurse foot care wound pain lab center"
)


def read_department_and_surname(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the surname behind a department in front of when it sees the patient: Podiatry Waters q2mo."""
    match = _SURNAME.search(text, start, end)
    if match is None or match["name"].lower() in _NO_SURNAMES:
        return
    word = match["name"]
    is_word = is_everyday_word(word.lower()) or word.lower() in medical_term_words()
    if may_be_name(word) and (is_frequent_surname(word) or (fold(word) in surname_rates() and not is_word)):
        yield Candidate(*match.span("name"), Entity.PROVIDER)


COACH_TRIGGER = (
    r"\b(?:[Cc]oach|[Bb]abysitter|[Nn]anny|[Rr]oommate|[Ff]oreman|[Ss]coutmaster|[Tt]rainer) [A-Z][a-z]{2,15} "
    r"(?:may|will|can|could|would|called|calls|says|said|told|texted|wants|asked|asks|is|was|has|and|drove|took|saw)\b"
)


def read_coach(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read who trains or looks after somebody: coach Fitz may call."""
    begin = text.index(" ", start, end) + 1
    stop = text.index(" ", begin, end)
    if may_be_name(text[begin:stop]):
        yield Candidate(begin, stop, Entity.RELATIVE)
