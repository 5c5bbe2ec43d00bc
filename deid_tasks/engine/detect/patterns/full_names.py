"""A given name and a family name side by side, of the public lists, wherever they stand."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    given_name_rates,
    is_everyday_word,
    is_frequent_surname,
    medical_term_words,
    surname_rates,
    us_towns,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_before
from deid_tasks.engine.detect.patterns.word_lists import GENERIC_PLACE_WORDS, NOT_NAMES

_GIVEN_PER_100K = 30.0
"""Of 100,000 women or men, as many bear a given name that is believed although it is a word, a town or a finding too."""
_PAIR = r"\b[A-Z][a-z]{2,14} (?:[A-Z]\.? |[A-Z][a-z]{2,12} )?(?:(?:de|De|de la|De La|van|Van|von|Von|St\.|Mc|O') ?)?[A-Z][A-Za-z'\-]{2,20}\b|\b[A-Z]{3,14} (?:[A-Z]\.? )?[A-Z][A-Z'\-]{2,20}\b"
_NO_PERSON_AFTER = re.compile(
    r"['s]{0,2} ?(?:[A-Z][a-z]+ )?(?:Hospital|Clinic|Medical|Center|Street|St\b|Avenue|Ave|Road|Rd|Drive|University|College|School|Memorial|Health|Institute|Pharmacy|Church|House|Inn|Foundation|County|High|Middle|Elementary|Park"
    r"|disease|syndrome|sign|score|scale|test|criteria|classification|procedure|maneuver|catheter|tube|stent|murmur|fracture|lymphoma|sarcoma|reflex|law|line|node|bodies|body|cells|stain|method|index|phenomenon|palsy|drain|clamp|retractor|valve|ring)",
)

_CREDENTIAL_AFTER = re.compile(
    r",? {1,2}(?:M\.?D\.?|D\.?O\.?|R\.?N\.?|N\.?P\.?|P\.?A\.?(?:-C)?|Ph\.?D\.?|PharmD|RPh|LPN|LCSW|MSW|DPM|DDS|DMD|CRNA|CNM|APRN|FNP|BSN|MSN|MBBS|DPT|RRT)(?![A-Za-z])"
    r"| \((?:surgeon|attending|resident|nurse|pharmacist|therapist|anesthesi\w+|circulator|scrub)\b"
)
_CLINICIAN_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:dr\.?|doctor|attending|surgeon|provider|physician|nurse|resident|pharmacist|therapist|pcp|(?:signed|dictated|seen|read|ordered|referred|performed|reviewed) by|d/w|discussed with|consult(?:ed|ant)?(?: with)?)[ :]{1,2}$"
)


def read_pair(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Maria Okafor; Maria T. Okafor; MARIA OKAFOR."""
    given = text[start : text.find(" ", start)].lower()
    if given not in given_name_rates() or given in NOT_NAMES:
        return
    value = text[start:end]
    if value.endswith("'s"):
        end, value = end - 2, value[:-2]
    words = value.replace(".", "").split()
    first, last = words[0], words[-1]
    family = last.lower()
    if (
        family in GENERIC_PLACE_WORDS
        or f"{given} {family}" in us_towns()
        or not (may_be_name(first) and may_be_name(last))
    ):
        return
    if _NO_PERSON_AFTER.match(text, end, end + 30):
        return
    in_capitals = value.isupper()
    plain_given = not (is_everyday_word(given) or given in medical_term_words() or given in us_towns())
    plain_family = not (is_everyday_word(family) or family in medical_term_words())
    is_known = any(part in surname_rates() for part in (family, *family.split("-")))
    if plain_family and (is_known or (plain_given and not in_capitals)):
        believed = plain_given or given_name_rates()[given] >= _GIVEN_PER_100K
    else:
        is_usual = not is_everyday_word(given) and given_name_rates()[given] >= _GIVEN_PER_100K
        believed = (
            (plain_given or is_usual) and is_frequent_surname(family) and not (in_capitals and is_everyday_word(family))
        )
    if believed and not any(word.lower() in NOT_NAMES for word in words):
        is_clinician = _CREDENTIAL_AFTER.match(text, end, end + 12) or _CLINICIAN_BEFORE.search(
            text_before(text, start)
        )
        yield Candidate(start, end, Entity.PROVIDER if is_clinician else Entity.PATIENT, Strength.WEAK)


RULES = (Rule("given and family name", _PAIR, read_pair),)
