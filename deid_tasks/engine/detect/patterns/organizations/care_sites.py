"""Care sites by letters, by a short name or as a branch of a chain, where the words around them say what they are.

Letters alone may be any abbreviation; where somebody was transferred, waits for a bed or has a second opinion, letters
that are none are a hospital.
"""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.initial_words import is_abbreviation, is_in_capitals, line_around
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import is_everyday_word, medical_term_words
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import (
    GENERIC_PLACE_WORDS,
    NOT_NAMES,
    alternation,
    as_word_set,
    word_set,
)

_LETTERS = r"[A-Z]{3,5}"
SITE_OF_TRANSFER_TRIGGER = (
    r"\b(?i:tx'?d|txf|txf'?d|txfer(?:red|'?d)?|xfer(?:red|'?d)?|transfer(?:red)?|trans(?:f'?d)?|sent|BIBA)"
    rf"(?: from| to| out of| back to)? {_LETTERS} ?(?:->|-->|=>|>|\?) ?[A-Za-z]"  # tx'd UMC -> us
    r"|\b(?:SNF|NH|ALF|OSH|LTACH?|IRF|[Gg]roup [Hh]ome|[Nn]ursing [Hh]ome|[Rr]ehab"
    rf"|[Oo]utside(?: hosp(?:ital)?| facility| ED| clinic)?) \({_LETTERS}\)"  # SNF (OLPH), done outside (NEGMC)
    rf"|\b(?i:back|return(?:ed|ing|s)?|d/?c'?d?|discharged?|dispo|readmit(?:ted)?) to {_LETTERS} "
    r"(?:when|once|if|tomorrow|today|tmrw|tonight|via|by ambulance|for (?:rehab|LTC|hospice)|pending|bed)\b"
    rf"|\b(?i:2nd|second) (?i:opinion)(?: at| from| by| @|:)? {_LETTERS}\b"
    rf"|\b(?i:dispo(?:sition)?|plan) ?[:=\-] ?{_LETTERS} (?:vs\.?|versus|when|once|if|pending|bed)\b"  # Dispo: HSR vs
    r"|\b(?i:records?|films|discs?|disks?|images|imaging)(?: (?:req'?d|requested|obtained|rec'?d|received))?"
    rf" from {_LETTERS}\b"
)
_LETTERS_AT = re.compile(rf"(?<![A-Za-z'&/\-]){_LETTERS}(?![A-Za-z'&/\-])")
_GENERIC_SITES = word_set("organizations", "letters_of_any_site")


def read_site_of_transfer(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the letters of a hospital where somebody was or goes: tx'd UMC -> us, back to GLC when bed avail."""
    if is_in_capitals(line_around(text, start)):
        return
    for match in reversed(list(_LETTERS_AT.finditer(text, start, end))):
        low = match.group().lower()
        is_generic = low in _GENERIC_SITES or is_abbreviation(low) or low in medical_term_words()
        if not is_generic and not is_everyday_word(low) and may_be_name(low):
            yield Candidate(*match.span(), Entity.FACILITY, Strength.WEAK)
            return


SHORT_NAME_TRIGGER = (
    r"\b(?:[Aa]t|[Ff]rom|[Tt]o|[Vv]ia|[Bb]y|[Ii]n|@) "
    r"(?:Women's(?: (?:and|&) (?:Children's|Infants'?))?|Women (?:and|&) (?:Children's|Infants)|Children's|Childrens)\b"
    r"|\b(?:Men's|Women's) Central(?: Jail)?\b"
)
_PREPOSITION = re.compile(r"[A-Za-z@]+ ")
_NO_KIND_BEHIND = re.compile(
    r"[.,;:)/\n]|$| (?:for|w/|with|in|on|via|when|after|before|and|by|then|since|as|is|was|had|has|did|who|where|x|last"
    r"|today|yest(?:erday)?|tonight|accepted|accepts|agrees|transport|ED|ER|PICU|NICU|ICU|[A-Z]?[a-z]+day|\d)"
)


def read_short_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read delivered at Women's, transferred to Children's: not Children's Tylenol."""
    if text[start].isupper() and "Central" in text[start:end]:
        yield Candidate(start, end, Entity.FACILITY)
        return
    preposition = _PREPOSITION.match(text, start, end)
    if preposition and _NO_KIND_BEHIND.match(text, end, end + 24):
        yield Candidate(preposition.end(), end, Entity.FACILITY, Strength.WEAK)


_CHAIN = alternation("organizations", "chains_of_care")
CHAIN_TRIGGER = (
    rf"\b(?:{_CHAIN})(?: Health| Rehab| Hospice)? (?:liaison (?:here )?)?"
    r"(?:declin(?:ed|es|ing)|accept(?:ed|s|ing)|review(?:ed|s|ing)|den(?:ied|ies)|evaluat(?:ed|ing)|eval|screen(?:ed|ing)"
    r"|liaison|bed|beds|has (?:a )?beds?|has accepted|can (?:take|accept)|offer(?:ed|s)?|intake|full"
    r"|out of network|in network|no beds?|admissions|referral|auth|pending|vs)\b"  # Encompass declined
    r"|\b(?:accepted (?:at|by|to)|referrals? (?:sent )?to|d/?c(?:'?d)? to|discharged? to|bed (?:at|offer from)"
    r"|dispo[:=]|[Ll]ives at|[Rr]esides at|[Rr]esident (?:of|at)|[Ss]tays at|[Rr]eturns? to"
    rf"|[Cc]hoices?:|admitted (?:to|from)) (?:{_CHAIN})\b"  # accepted at Kindred
)
_CHAIN_AT = re.compile(rf"(?:{_CHAIN})\b")


def read_chain(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the chains of rehabilitation and of homes whose names are words too: Encompass declined."""
    match = _CHAIN_AT.search(text, start, end)
    if match:
        yield Candidate(*match.span(), Entity.FACILITY, Strength.WEAK)


BRANCH_TRIGGER = (
    r"\b(?:Da ?[Vv]ita|Fresenius|Satellite Dialysis|US Renal|USRC)(?: Kidney Care| Dialysis)?(?: of| at| -|,)? "
    r"[A-Z][a-z]{3,15}(?: [A-Z][a-z]{3,15})?\b"
)
_HEAD_OF_BRANCH = re.compile(
    r"(?:Da ?[Vv]ita|Fresenius|Satellite Dialysis|US Renal|USRC)(?: Kidney Care| Dialysis)?(?: of| at| -|,)? "
)
_NOT_BRANCHES = as_word_set(
    "medical kidney dialysis optiflux machine cyclers home care liberty cycler renal unit center clinic chair labs"
    " rn nurse staff social weekly monday tuesday wednesday thursday friday saturday sunday"
)


def read_branch(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the branch of a chain of dialysis by its town or street: DaVita Palmetto."""
    head = _HEAD_OF_BRANCH.match(text, start, end)
    words = text[head.end() : end].split(" ") if head else []
    if not words or words[0].lower() in _NOT_BRANCHES | NOT_NAMES | GENERIC_PLACE_WORDS:
        return
    stop = end
    if len(words) > 1 and words[1].lower() in _NOT_BRANCHES | NOT_NAMES:
        stop -= len(words[1]) + 1
    yield Candidate(start, stop, Entity.FACILITY)


GUEST_HOUSE_TRIGGER = r"\b(?:Ronald (?:Mc ?D(?:onald|on|s)?(?:'?s)? )?[Hh]ouse|RMHC|Hope Lodge|Fisher House)\b"


def read_guest_house(_text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the houses in which families stay: Ronald McD house, Hope Lodge."""
    yield Candidate(start, end, Entity.FACILITY)


PRACTICE_TRIGGER = (
    r"\b(?:Heme?[/\-]Onc|Hematology[/ &\-]{1,3}Oncology|Oncology|Cardiology|Nephrology|Urology|Pulmonology|Dermatology"
    r"|Gastroenterology|Neurology|Endocrinology|Rheumatology|Allergy|Ophthalmology|Orthopa?edics|Podiatry"
    r"|Radiology|Women's Health|Digestive (?:Health|Disease|Dz)|Pain Management|Family Medicine|Primary Care)"
    r"(?: (?:Associates|Specialists|Consultants|Center|Centers|Group|Partners))? of (?:the )?[A-Z][a-z]{3,15}\b"
)


def read_practice(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a practice by its speciality and its region: Hem/Onc of Tidewater; not Radiology of Chest."""
    low = text[text.rindex(" ", start, end) + 1 : end].lower()
    if low not in medical_term_words() and low not in GENERIC_PLACE_WORDS and may_be_name(low):
        yield Candidate(start, end, Entity.FACILITY)


SUPPLIER_TRIGGER = (
    r"\b(?:Hanger|Ottobock|Ability Prosthetics|Nu[Mm]otion|National Seating|Bulow|SureStep)"
    r"(?: Clinic| Prosthetics| O&P)? (?:appt|appointment|clinic|fitting|casting|orthotist|prosthetist|CPO"
    r"|to (?:fit|cast|eval|see)|casted|on [0-9])\b"
)
_SUPPLIER = re.compile(r"(?:Ability Prosthetics|National Seating|[A-Z][A-Za-z]+)(?: Clinic| Prosthetics| O&P)?")


def read_supplier(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read who makes braces and wheelchairs, where somebody is seen: Hanger appt pending."""
    if match := _SUPPLIER.match(text, start, end):
        yield Candidate(*match.span(), Entity.ORGANIZATION, Strength.WEAK)
