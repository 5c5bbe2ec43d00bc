"""Clinics, works, charities, insurers and stations by a short name that the words around them prove.

(Fallon Cards), else UMass ER, the Mulberry walk-in, from the Rouge plant, # for Roberta's House, Reviewer Tonya at HAP.
"""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.reference_words import given_name_rates, is_everyday_word, medical_term_words
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import GENERIC_PLACE_WORDS, NOT_NAMES, as_word_set, word_set

_SPECIALTY = (
    r"(?:Cards|Cardiology|Cardio|Neuro|Neurology|GI|Ortho|Renal|Nephro|Nephrology|Pulm|Onc|Oncology|Heme/?[Oo]nc|Rheum"
    r"|Derm|ENT|Uro|Urology|Endo|OB|OB/?GYN|Peds|Pediatrics|Vascular|Podiatry|Eye|Pain|Psych|IM|FM|Primary Care|Retina)"
)
PRACTICE_IN_BRACKET_TRIGGER = rf"(?:\b[A-Z][a-z'\-]{{1,20}},? |\bMD,? )\([A-Z][A-Za-z]{{2,15}} {_SPECIALTY}\)"


def read_practice_in_bracket(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the practice behind the name of a clinician: Dr Quigley (Fallon Cards)."""
    begin = text.index("(", start, end) + 1
    low = text[begin : text.index(" ", begin, end)].lower()
    if not (is_everyday_word(low) or low in medical_term_words() or low in GENERIC_PLACE_WORDS):
        yield Candidate(begin, end - 1, Entity.FACILITY)


UNIVERSITY_TRIGGER = (
    r"\b(?:UMass|UConn|UPenn|UChicago|UMich|UVA|UVM|UNM|UNC|UIC|UTSW|UTMB|UMMC|UCSD|UCI|UCD|OHSU|MUSC|VCU|UAB|UAMS|KUMC"
    r"|UIHC|UWMC|IUH|OSU|PSU|LSU|WVU|SLU|BMC|TMC|CMC)"
    r" (?:Memorial |Health |Medical )?(?:ER|ED|MICU|SICU|NICU|PICU|ICU|CCU|transfer center|Cards|Cardiology|Peds)\b"
)


def read_university_hospital(_text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the emergency department of a university: else UMass ER."""
    yield Candidate(start, end, Entity.FACILITY)


WALK_IN_TRIGGER = (
    r"\b(?:[Tt]he|[Aa]t|[Tt]o|[Ff]rom|[Ii]n) (?:the )?[A-Z][a-z]{3,15}(?: [A-Z][a-z]{3,15})?"
    r" (?:walk-in(?: clinic| center)?|minute clinic|drop-in(?: center)?|urgicare|quick ?care|readycare)\b"
)
_WALK_IN = re.compile(r"[A-Z][a-z]{3,15}(?: [A-Z][a-z]{3,15})? [a-z\- ]+$")


def read_walk_in(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the Mulberry walk-in: a clinic by its street or town."""
    site = _WALK_IN.search(text, start + 2, end)
    if site:
        low = site.group().split(" ")[0].lower()
        if low not in NOT_NAMES | GENERIC_PLACE_WORDS and low not in medical_term_words():
            yield Candidate(*site.span(), Entity.FACILITY, Strength.LABELLED)


WORKS_TRIGGER = (
    r"\b(?:from|at|in|for) the [A-Z][a-z]{3,15} (?:plant|mill|mine|shipyard|foundry|refinery|quarry|cannery|smelter"
    r"|colliery|steelworks|works|yard|depot|packing house|sawmill)\b"
)


def read_works(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read where somebody works by the name of its place: a die setter from the Rouge plant."""
    begin = text.index("the ", start, end) + 4
    low = text[begin : text.index(" ", begin, end)].lower()
    if low not in NOT_NAMES | GENERIC_PLACE_WORDS:
        yield Candidate(begin, end, Entity.ORGANIZATION, Strength.LABELLED)


CHARITY_TRIGGER = (
    r"\b(?:for|at|to|from|via|with|through|called|by) [A-Z][a-z]{2,14}'s (?:House|Place|Haven|Hope|Home|Table|Closet"
    r"|Garden|Harbor|Kitchen|Pantry|Promise|Village|Ranch|Camp|Law Center)\b"
)
_KIN = as_word_set("mom dad mother father grandma grandpa nana papa auntie uncle sister brother grandmother")


def read_charity(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a shelter or a charity that is called after somebody: gave # for Roberta's House; not Mom's House."""
    begin = text.index(" ", start, end) + 1
    low = text[begin : text.index("'", begin, end)].lower()
    if fold(low) in given_name_rates() and low not in _KIN:
        yield Candidate(begin, end, Entity.ORGANIZATION, Strength.LABELLED)


POLICE_TRIGGER = (
    r"\b(?:NYPD|LAPD|SFPD|OPD|DPD|SPD|BPD|CPD|PPD|HPD|APD|MPD|FDNY|LAFD|NJSP|CHP|LASD)"
    r"(?: (?:[0-9]{1,3}(?:st|nd|rd|th)?(?: [Pp]recinct| [Pp]ct)?|[Pp]recinct [0-9]{1,3}))?\b"
)
_ALWAYS_POLICE = ("NYPD", "LAPD", "SFPD", "FDNY", "LAFD", "LASD")
_POLICE_AROUND = re.compile(
    r"\b(?:police|officers?|ofc|det|detective|sgt|deputy|cops?|precinct|arrest\w*|custody)\b", re.IGNORECASE
)
_POLICE_REACH = 40


def read_police(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the police of a city by its letters, with the precinct: det. Brannigan (NYPD 44)."""
    letters = text[start:end].split(" ")[0]
    around = text[max(0, start - _POLICE_REACH) : end + _POLICE_REACH]
    if letters in _ALWAYS_POLICE or _POLICE_AROUND.search(around):
        yield Candidate(start, end, Entity.ORGANIZATION, Strength.LABELLED)


PAYER_TRIGGER = (
    r"\b(?:[Rr]eviewer|[Cc]ase (?:mgr|manager)|CM|UR nurse|UM nurse|[Rr]ep(?:resentative)?|[Aa]djuster|[Aa]gent"
    r"|[Ii]ntake|[Mm]edical director|[Nn]urse reviewer|[Ss]upervisor)(?: [A-Z][a-z]{1,14}(?: [A-Z][a-z]{0,16}\.?)?)?"
    r" (?:at|with|from) "
    r"[A-Z]{3,5}(?:[.,;)\n]|$| (?:fax|ph|phone|tel|at|says|states|denied|approved|ext)\b)"
)
_PAYER = re.compile(r" (?:at|with|from) (?P<letters>[A-Z]{3,5})(?![A-Za-z])")
_GENERIC_SITES = word_set("organizations", "letters_of_any_site")
_HOSPITAL_SITES = as_word_set("icu micu sicu nicu picu ccu pacu snf ltac ltach irf obs osh home ems hosp lab ctr")


def read_payer(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read an insurer by its letters behind who speaks for it: Reviewer Tonya at HAP."""
    payer = _PAYER.search(text, start, end)
    if payer and payer["letters"].lower() not in _GENERIC_SITES | _HOSPITAL_SITES:
        yield Candidate(*payer.span("letters"), Entity.ORGANIZATION, Strength.LABELLED)
