"""A given name and a surname of the public lists side by side, wherever they stand."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    FREQUENT_GIVEN_PER_100K,
    given_name_rates,
    is_everyday_word,
    is_frequent_surname,
    medical_term_words,
    surname_rates,
    us_towns,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_before
from deid_tasks.engine.detect.patterns.word_lists import GENERIC_PLACE_WORDS, NOT_NAMES, alternation
from deid_tasks.engine.lexicon.peoples import is_people

SPELLED_TRIGGER = (
    r"(?i)\b(?:spell(?:ed|ing|s|t)|name is|(?:last|first|sur|maiden) ?name)[^\n]{0,32}?"
    r"\b(?-i:[A-Z](?:(?:-| - |\. ?|, ?| )[A-Z]){3,15})\b"
)
_SPELLED = re.compile(r"(?<![A-Za-z\-])[A-Z](?:(?:-| - |\. ?|, ?| )[A-Z]){3,15}$")


def read_spelled_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read last name spelled O-K-A-F-O-R, as people dictate it."""
    match = _SPELLED.search(text, start, end)
    if match:
        yield Candidate(*match.span(), Entity.PATIENT, Strength.LABELLED)


FULL_NAME_TRIGGER = (
    r"\b[A-Z][a-z]{2,14} (?:[A-Z]\.? |[A-Z][a-z]{2,12} )?"  # Maria, Maria T.
    r"(?:(?:de|De|de la|De La|van|Van|von|Von|St\.|Mc|O') ?)?[A-Z][A-Za-z'\-]{2,20}\b"  # Okafor, de la Cruz
    r"|\b[A-Z]{3,14} (?:[A-Z]\.? )?[A-Z][A-Z'\-]{2,20}\b"  # MARIA OKAFOR
)
_NO_PERSON_AFTER = re.compile(
    rf"['s]{{0,2}} ?(?:[A-Z][a-z]+ )?(?:{alternation('names', 'words_after_a_name_that_is_no_person')})"
)
_OPERATION_BEFORE = re.compile(r"(?:\bs/p|hemi(?:arthroplasty)?|prosthesis|#) $")
"""What makes the eponym of two names an operation: s/p Austin Moore."""
_OPERATIONS = frozenset({"austin moore"})
_CREDENTIAL_AFTER = re.compile(
    r",? {1,2}(?:M\.?D\.?|D\.?O\.?|R\.?N\.?|N\.?P\.?|P\.?A\.?(?:-C)?|Ph\.?D\.?|PharmD|RPh|LPN|LCSW|MSW|DPM|DDS|DMD|CRNA"
    r"|CNM|APRN|FNP|BSN|MSN|MBBS|DPT|RRT)(?![A-Za-z])"
    r"| \((?:surgeon|attending|resident|nurse|pharmacist|therapist|anesthesi\w+|circulator|scrub)\b"
)
_CLINICIAN_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:dr\.?|doctor|attending|surgeon|provider|physician|nurse|resident|pharmacist|therapist|pcp"
    r"|(?:signed|dictated|seen|read|ordered|referred|performed|reviewed) by|d/w|discussed with"
    r"|consult(?:ed|ant)?(?: with)?)[ :]{1,2}$"
)


def read_full_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Maria Okafor, Maria T. Okafor and MARIA OKAFOR."""
    given = text[start : text.find(" ", start)].lower()
    if given not in given_name_rates() or given in NOT_NAMES:
        return
    if is_people(text, start, end) or _is_operation(text, start, end):
        return
    value = text[start:end]
    if value.endswith("'s"):
        end, value = end - 2, value[:-2]
    words = value.replace(".", "").split()
    if not (may_be_name(words[0]) and may_be_name(words[-1])) or _NO_PERSON_AFTER.match(text, end, end + 30):
        return
    is_name = _is_full_name(given, words[-1].lower(), in_capitals=value.isupper())
    if is_name and not any(word.lower() in NOT_NAMES for word in words):
        is_clinician = _CREDENTIAL_AFTER.match(text, end, end + 12) or _CLINICIAN_BEFORE.search(
            text_before(text, start)
        )
        yield Candidate(start, end, Entity.PROVIDER if is_clinician else Entity.PATIENT, Strength.WEAK)


def _is_operation(text: str, start: int, end: int) -> bool:
    if text[start:end].lower() not in _OPERATIONS:
        return False
    return _OPERATION_BEFORE.search(text_before(text, start)) is not None


def _is_full_name(given: str, surname: str, *, in_capitals: bool) -> bool:
    """Whether two words in lower case are a given name and a surname.

    A word that is nothing but a name needs less evidence than a word, a town or a finding that is a name too.
    """
    if surname in GENERIC_PLACE_WORDS or f"{given} {surname}" in us_towns():
        return False
    is_frequent_given = given_name_rates()[given] >= FREQUENT_GIVEN_PER_100K
    is_everyday_given = is_everyday_word(given)
    is_only_given = not (is_everyday_given or given in medical_term_words() or given in us_towns())
    is_everyday_surname = is_everyday_word(surname)
    is_listed = any(part in surname_rates() for part in (surname, *surname.split("-")))
    may_be_surname = is_listed or (is_only_given and not in_capitals)
    if not is_everyday_surname and surname not in medical_term_words() and may_be_surname:
        return is_only_given or is_frequent_given
    has_given = is_only_given or (not is_everyday_given and is_frequent_given)
    return has_given and is_frequent_surname(surname) and not (in_capitals and is_everyday_surname)
