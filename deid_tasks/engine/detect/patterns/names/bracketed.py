"""Names in brackets behind a department, a referral or a role, and of interpreters behind their language.

Surgery (Brand-Nakano) favours the first; OT referral (Bronwen); Interp: Hmong, Pa V., ID 4071.
"""

from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    given_name_rates,
    is_everyday_word,
    is_plain_name,
    languages,
    medical_term_words,
    surname_rates,
    us_towns,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation

_DEPARTMENT = alternation("names", "departments")
DEPARTMENT_TRIGGER = rf"\b(?:{_DEPARTMENT}) \([A-Z][a-z]{{2,15}}-[A-Z][a-z]{{2,15}}\)"


def read_surname_behind_department(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a double surname in brackets, of which one half is a surname and none a word: Surgery (Brand-Nakano)."""
    begin = text.index("(", start, end) + 1
    halves = text[begin : end - 1].lower().split("-")
    if any(half in medical_term_words() or is_everyday_word(half) for half in halves):
        return
    if any(half in surname_rates() for half in halves):
        yield Candidate(begin, end - 1, Entity.PROVIDER)


REFERRAL_TRIGGER = (
    r"\b(?:OT|PT|SLT|SLP|SW|MSW|CNS|CNM|physio|Physio|dietitian|podiatry|DN|HV|CPN|CMHN) "
    r"(?:ref|referral|review|input|assessment|visit|contact)? ?\([A-Z][a-z]{2,15}\)"
)


def read_name_behind_referral(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a name alone in brackets behind a referral: OT ref (Bronwen). A word or a town is none."""
    begin = text.index("(", start, end) + 1
    word = text[begin : end - 1]
    low = word.lower()
    is_word = is_everyday_word(low) or low in medical_term_words() or low in languages()
    is_unknown = not is_word and low not in us_towns() and may_be_name(word)
    if is_plain_name(word) or (is_unknown and low not in given_name_rates()):
        yield Candidate(begin, end - 1, Entity.PROVIDER)


INTERPRETER_TRIGGER = (
    r"\b(?i:interp(?:reter)?)[:.]{0,2} {1,2}[A-Z][a-z]{2,14}[,:] [A-Z][a-z]{1,15} [A-Z][a-z'\-]{0,20}\b\.?"
)


def read_interpreter(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the name of an interpreter behind the language: Interp: Hmong, Pa V."""
    label, language, given, *_ = text[start:end].split()
    is_initial = text[end - 1] == "." and text[end - 3] == " "
    if language.strip(",:-").lower() not in languages() or not (is_initial or may_be_name(given)):
        return
    begin = text.index(f" {given} ", start + len(label) + len(language), end) + 1
    yield Candidate(begin, end if is_initial or text[end - 1] != "." else end - 1, Entity.PROVIDER, Strength.LABELLED)
