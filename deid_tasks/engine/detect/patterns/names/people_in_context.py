"""Names that are words or clipped, where the words around them prove a person: pt and Hal, Sky signed ROI, IR Pak."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    given_name_rates,
    is_everyday_word,
    medical_term_words,
    surname_rates,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation, as_word_set

_GIVEN = r"[A-Z][a-z]{2,12}"
_RELATION = (
    r"(?:wife|husband|spouse|partner|daughter|dtr|son|sister|sis|brother|bro|mother|mom|father|dad|niece|nephew|aunt"
    r"|uncle|cousin|friend|neighbou?r|roommate|caregiver|HCP|POA|NOK)"
)
_NAMES_FOR_KIN = r"(?:Tia|Mimi|Gigi|Bibi|Lola|Bud|Buddy|Sonny|Junior|Dolly|Queen|King|Prince|Duke|Earl)"
"""Given names that are words for kin or titles too; not forms of address: friend Sister Odessa."""
KIN_TRIGGER = (
    rf"\b(?i:{_RELATION}) {_NAMES_FOR_KIN} [A-Z][a-z]{{2,14}}(?: [A-Z][a-z]{{2,16}}(?:-[A-Z][a-z]{{2,16}})?)?\b"
)


def read_kin_with_name_of_kin(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read wife Lola Jean Combs, whose given name is a word for kin or a title too."""
    yield Candidate(text.index(" ", start, end) + 1, end, Entity.RELATIVE, Strength.LABELLED)


COMPANION_TRIGGER = (
    rf"\b(?:[Pp]t|PT|[Pp]atient)(?: and|&| &| \+|,) {_GIVEN}"
    r"(?:[.,;)\n]| (?:verbali[sz]e|demonstrat|agree|understand|state|report|deni|educat|instruct)[a-z]{0,4})"
)
_GIVEN_BEHIND = re.compile(rf"(?:and|&|\+|,) (?P<name>{_GIVEN})")


def read_companion(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read pt and Hal, where a given name stands beside the patient."""
    match = _GIVEN_BEHIND.search(text, start, end)
    if match and _is_called_so(match["name"]) and not is_everyday_word(match["name"]):
        yield Candidate(*match.span("name"), Entity.RELATIVE, Strength.LABELLED)


VOLUNTEER_TRIGGER = (
    rf"\b(?:VOL|Vol|VOLUNTEER|Volunteer|[Vv]igil volunteer|Sitter|SITTER|Companion|Doula|Homemaker|HHA|Aide): {_GIVEN}"
    r"(?:[.,;\n]| \(| (?:visits|sits|comes|will|to|on)\b)"
)
_GIVEN_OF_LABEL = re.compile(rf": (?P<name>{_GIVEN})")


def read_volunteer(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the given name of who sits with a patient: VOL: Bunny, sits Thursday; not VOL: Declined."""
    match = _GIVEN_OF_LABEL.search(text, start, end)
    if match and _is_called_so(match["name"]):
        yield Candidate(*match.span("name"), Entity.RELATIVE, Strength.LABELLED)


SIGNED_TRIGGER = (
    rf"(?m)(?:^[ \t]{{0,4}}|[.;:!?)] {{1,2}}|, )(?:and )?{_GIVEN} signed (?:the |an? |his |her |their )?"
    r"(?:ROI|releases?|consents?|AMA|DNR|MOLST|POLST|HIPAA|contract|safety plan|forms?|paperwork|waiver"
    r"|advance directive|treatment plan|tx plan|agreement|lease)\b"
)
_SIGNER = re.compile(rf"(?P<name>{_GIVEN}) signed ")


def read_signer(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the given name of who signed a form, although it is a word: Sky signed ROI; not Mother signed consent."""
    match = _SIGNER.search(text, start, end)
    if match and _is_called_so(match["name"]):
        yield Candidate(*match.span("name"), Entity.PATIENT, Strength.LABELLED)


FROM_SERVICE_TRIGGER = (
    rf"\({_GIVEN},? (?:from|RN from|NP from|with|RT|RN|PCT|CNA|charge|our)"
    r"(?: (?:the )?(?:[a-z]{2,14}|[A-Z&]{2,5}))?\b"
)
_GIVEN_IN_BRACKET = re.compile(rf"\((?P<name>{_GIVEN})")


def read_helper_from_service(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read who lent a hand, in brackets with the ward: suprapubic (Pam, from maternal L)."""
    match = _GIVEN_IN_BRACKET.match(text, start, end)
    if match and given_name_rates().get(fold(match["name"]), 0.0) > 1 and not is_everyday_word(match["name"]):
        yield Candidate(*match.span("name"), Entity.PROVIDER, Strength.LABELLED)


_DEPARTMENT = (
    rf"(?:{alternation('names', 'departments')}|[Gg]en [Ss]urg|[Vv]asc|CT [Ss]urg|NSGY|EP|CCM|[Tt]rauma|MICU|SICU)"
)
CONSULTANT_TRIGGER = (
    rf"(?:\b(?:[Cc]all(?:ed)?|d/w|D/w|per|[Pp]aged|[Ww]ith|w/|[Bb]y|[Aa]sk|[Pp]ing|[Tt]ext|[Nn]otify|via) |[+&,/] ?)"
    rf"{_DEPARTMENT}"
    r" [A-Z][a-z]{1,15}(?:[.,;)\n]| (?:aware|paged|called|agrees?|recs?|ok|cell|pager)\b)"
)
_CONSULTANT = re.compile(r" (?P<name>[A-Z][a-z]{1,15})(?:[.,;)\n]$| [a-z]+$)")


def read_consultant(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the surname behind a service that is to be called: call Traverso cell + IR Pak."""
    match = _CONSULTANT.search(text, start, end)
    if match is None:
        return
    low = match["name"].lower()
    is_word = is_everyday_word(low) or low in medical_term_words()
    if fold(low) in surname_rates() and not is_word and may_be_name(match["name"]):
        yield Candidate(*match.span("name"), Entity.PROVIDER, Strength.LABELLED)


BRACKET_TRIGGER = (
    rf"\b{_DEPARTMENT} \([A-Z][a-z]{{1,15}}\)"
    r"(?: (?:to|recs?|following|follows|aware|will|for|agrees?|on board|consult(?:ed|s)?|plan(?:s|ned)?|OR"
    r"|ok|signed off|saw|lap|lvl|[0-9]{1,2}/[0-9]|s/o)\b|[:;.,])"
)
_IN_BRACKET = re.compile(r"\((?P<name>[A-Z][a-z]{1,15})\)(?P<behind> [A-Za-z])?")


def read_consultant_in_bracket(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the surname in brackets behind a service that acts: Gen surg (Hartmann) lap chole; not GI (bleed)."""
    match = _IN_BRACKET.search(text, start, end)
    if match is None:
        return
    low = match["name"].lower()
    is_medical = low in medical_term_words() and match["behind"] is None
    if fold(low) in surname_rates() and not is_medical and not is_everyday_word(low) and may_be_name(match["name"]):
        yield Candidate(*match.span("name"), Entity.PROVIDER, Strength.LABELLED)


STAFF_OF_TRIGGER = (
    r"\b[A-Z][a-z]{2,15}'s (?:nurse|office|MA\b|RN\b|NP\b|secretary|scheduler|answering service|front desk|receptionist"
    r"|medical assistant|assistant|staff|practice|pager|cell|voicemail)"
)
_NOT_EMPLOYERS = as_word_set(
    "today yesterday tomorrow tonight patient mother father doctor nurse school women men children veteran family"
    " hospital clinic surgeon employer lawyer attorney"
    " parkinson huntington crohn alzheimer hodgkin behcet sjogren barrett"
)
"""Words and diseases with nurses and offices of their own: Parkinson's nurse."""


def read_employer_of_nurse(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the surname of a clinician whose nurse or office was told, although it is an eponym: Gleason's nurse."""
    stop = text.index("'", start, end)
    low = text[start:stop].lower()
    if fold(low) in surname_rates() and low not in _NOT_EMPLOYERS and not is_everyday_word(low):
        yield Candidate(start, stop, Entity.PROVIDER, Strength.LABELLED)


def _is_called_so(word: str) -> bool:
    """Whether somebody has the given name, whatever else it means."""
    return fold(word) in given_name_rates() and may_be_name(word)
