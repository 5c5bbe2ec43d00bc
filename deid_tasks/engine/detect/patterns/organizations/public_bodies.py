"""Prisons, schools by number, unions, military units and shops: organizations that say where somebody was or works."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, as_word_set

PRISON_TRIGGER = (
    r"\b(?:FCI|FPC|FCC|FDC|FTC|USP|MDC|MCC|SCI|TDCJ?|CDCR|HMP|MCF|DCI) [A-Z][a-z]{3,15}(?: [A-Z][a-z]{3,15})?\b"
    r"|\b(?:TDCJ|CDCR|DOCCS|NYSDOCS)\b"
    r"|\bTDC (?:pt|inmate|unit|offender|custody|transport|officers?|guards?|infirmary)\b"
)
_ALWAYS_PRISONS = ("FCI", "FPC", "TDCJ", "CDCR", "HMP")
_CUSTODY = re.compile(
    r"inmate|prison|incarcerat|custody|offender|officer|shackle|released|parole|guards?\b|felon|sentence|jail|\bdoc\b|cuff"
)
_LETTERS = re.compile(r"[A-Z]{3,7}")


def read_prison(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read FCI Bastrop; letters that are medical too, as those of a catheter, only where somebody is in custody."""
    letters = _LETTERS.match(text, start, end)
    if letters is None:
        return
    words = text[letters.end() : end].split()
    if words and words[0][0].islower():
        yield Candidate(start, letters.end(), Entity.ORGANIZATION)
        return
    if words and words[0].lower() in NOT_NAMES:
        words = []
    is_certain = letters.group() in _ALWAYS_PRISONS
    if not is_certain and not _CUSTODY.search(text_before(text, start) + text_after(text, end, 50)):
        return
    if len(words) > 1 and words[1].lower() in NOT_NAMES:
        words.pop()
    if words or is_certain or letters.group() in {"DOCCS", "NYSDOCS"}:
        stop = letters.end() + len(" ".join(["", *words]))
        yield Candidate(start, stop, Entity.FACILITY if words else Entity.ORGANIZATION)


_STATE = (
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]"
    r"|W[AIVY]|Cal|Penn|Tx|Mass|Conn)"
)
STATE_BODY_TRIGGER = (
    rf"\b{_STATE}(?:DMV|BMV|DOT|Trans|DHHS|DHS|DCFS?|DPS|DOC|DOH|DPH|DNR|DVA|DSS|OSHA)\b"
    r"|\b(?:[ACFGIKMNOUV]|Mo|Mn|WS|NYS|Ark|Wis)DOT\b|\b(?:M|NYS|WS)(?:DHHS|DOH|DPH|DOC)\b"  # MDOT, NYSDOH
)
_SCALES = frozenset({"CADSS", "CATrans", "MATrans", "MSTrans", "NEDSS"})
"""Letters of scales and registers with the form of a state's authority."""


def read_state_body(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the authority of a state by its letters: a form for SCDMV, works for TxDOT."""
    value = text[start:end]
    if value not in _SCALES and (not value.endswith("Trans") or value == "CalTrans"):
        yield Candidate(start, end, Entity.ORGANIZATION)


MONITOR_TRIGGER = r"\b(?:CURES(?: 2\.0)?|e?KASPER|INSPECT|MAPS|SCRIPTS|CSRS|CSMD|CSMP|VPMS|ILPMP)\b"
_LOOKED_UP_BEFORE = re.compile(
    r"\b(?:check(?:ed)?|ck'?d|review(?:ed)?|ran|quer(?:y|ied)|pulled|per|accessed|searched|nc|ky|tn|in) (?:the )?$"
)
_LOOKED_UP_BEHIND = re.compile(
    r" ?(?:report|review(?:ed)?\b|check(?:ed)?\b|ck'?d|chkd|quer(?:y|ied)|pulled|run\b|database|rev'?d"
    r"|: ?(?:no (?:early|entr|record|fills?|rx)|last (?:fill|rx)|reviewed|checked))"
)
_SAYS_BEHIND = re.compile(r",? (?:consistent|appropriate|c/w|shows\b|ok\b|no (?:early|other|entr|fills?))")
_WORDS_TOO = frozenset({"INSPECT", "MAPS", "SCRIPTS"})


def read_monitor(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a state's register of prescriptions whose letters are a word or a name too: CURES reviewed, checked MAPS."""
    after = text_after(text, end)
    is_sure = text[start:end] not in _WORDS_TOO
    if _LOOKED_UP_BEHIND.match(after) or (
        is_sure and (_SAYS_BEHIND.match(after) or _LOOKED_UP_BEFORE.search(text_before(text, start)))
    ):
        yield Candidate(start, end, Entity.ORGANIZATION)


_INSURER = (
    r"(?:Anthem|UHC|BCBS(?:[A-Z]{2})?|Molina|Centene|Oscar|Medica|Optum|Magellan|Carelon|Beacon|[Ee]vi[Cc]ore|EVICORE"
    r"|Oxford|Healthfirst|Fidelis|Superior|Sunshine|Buckeye|Peach State|Meridian|McLaren|Kaiser|Pinnacol|Sedgwick"
    r"|Gallagher Bassett|Travelers|The Hartford)"
)
INSURER_TRIGGER = (
    rf"\b{_INSURER} (?:has |had |have |again )?(?:denied|denies|denying|approved|approves|authorized|covers|covered"
    r"|reversed|upheld|wo(?:n't|nt)|will not|requires?|required|PA\b|appeal|denial|auth|adjuster|case manager)"
)
_INSURER_AT = re.compile(_INSURER)


def read_insurer(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read an insurer whose name is a word too, where it decides: Molina denied the scan."""
    if match := _INSURER_AT.match(text, start, end):
        yield Candidate(*match.span(), Entity.ORGANIZATION, Strength.WEAK)


SCHOOL_TRIGGER = r"\b(?:P\.?S\.?|I\.S\.|J\.?H\.?S\.?|M\.S\.|Public School|School No\.?) ?#?[0-9]{1,3}\b"
_SCHOOL_AROUND = re.compile(
    r"\bgr(?:\b|ade)|grader|kindergart|school|student|teacher|iep|504|attends|class|pre-?k|principal|kids?\b|recess"
)
_PRESSURE_BEHIND = re.compile(r"\s?(?:/|cm|over|mmhg|%|,? ?peep|\+|\.[0-9])")


def read_school(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read 5th gr PS 118; PS 10 is the pressure support of a ventilator, PS 50 the score of a questionnaire."""
    if _PRESSURE_BEHIND.match(text_after(text, end)):
        return
    if _SCHOOL_AROUND.search(text_before(text, start) + text_after(text, end)):
        yield Candidate(start, end, Entity.ORGANIZATION)


UNION_TRIGGER = (
    r"\b(?:(?:UAW|IBEW|SEIU|[Tt]eamsters?|AFSCME|UFCW|IATSE|IUPAT|LIUNA|USW|IUOE|AFT|NALC|APWU|ILWU|ILA|IAFF|UNITE HERE"
    r"|[Ii]ronworkers|[Cc]arpenters|[Ss]teamfitters|[Pp]ipefitters|[Ll]aborers|[Uu]nion|[Pp]lumbers),? )?"
    r"Local ?#?[0-9]{1,4}\b"
    r"|\b(?:UAW|IBEW|SEIU|AFSCME|UFCW|IATSE|IUPAT|LIUNA|IUOE|1199 ?SEIU)(?: [0-9]{1,4})?\b"
)
_DOSE_BEHIND = re.compile(r"\s?(?:%|ml|cc|mg|mcg|units?|x\b|[.,/][0-9])")


def read_union(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Local 79 and IBEW Local 3; not Local 1% lidocaine."""
    if not _DOSE_BEHIND.match(text_after(text, end)):
        yield Candidate(start, end, Entity.ORGANIZATION)


_KIND_OF_UNIT = (
    r"(?:Airborne|Infantry|Inf|Cav(?:alry)?|Marines|Armou?r(?:ed)?|Field Artillery|PIR|Rangers|Aviation|AVN"
    r"|Fighter Wing|Airlift Wing|Air Wing|Special Forces|SFG|Mountain Div(?:ision)?)"
)
_GUARD = r"(?i:nat(?:iona|')?l|army|air)(?i: nat(?:iona|')?l)?(?i: guard),?"
MILITARY_TRIGGER = (
    rf"\b(?:{_GUARD} )?[0-9]{{1,2}}[\-/][0-9]{{1,4}}(?:st|nd|rd|th)? {_KIND_OF_UNIT}\b"  # 2-519 PIR
    rf"|\b{_GUARD} [0-9]{{1,2}}[\-/][0-9]{{1,4}}(?:st|nd|rd|th)\b"  # Natl Guard 1-178th
    rf"|\b[0-9]{{1,3}}(?:st|nd|rd|th) {_KIND_OF_UNIT}"
    r"(?: (?:Division|Div|Regiment|Rgt|Bn|Battalion|Brigade|Bde|Squadron))?\b"  # 101st Airborne Division
)


def read_military_unit(_text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Natl Guard 1-178th and 101st Airborne."""
    yield Candidate(start, end, Entity.ORGANIZATION)


SHOP_TRIGGER = (
    r"\b(?i:scripts?|rxs?|refills?|e-?scribed|called in|prescriptions?)"
    r"(?: (?:sent|called(?: in)?|faxed|e-?scribed|transferred|phoned))? (?:to|at|from) [A-Z][a-z]{2,14}'s\b"
    r"|\b(?i:ate|eaten|oysters?|sushi|dinner|lunch|brunch|buffet|drinks?|drinking|works?|worked|working|waitress(?:es)?"
    r"|server|cook|bartends?|bartender|cashier|shift|hostess|tends bar)(?: [a-z]{2,12}){0,2} at [A-Z][a-z]{2,14}'s\b"
)
_RELATIVES = as_word_set(
    "grandma grandpa granny grandmother grandfather nana papa mama auntie aunt uncle nonna abuela oma"
)
_HOME_BEHIND = re.compile(
    r" (?:house|home|place|apt|apartment|birthday|wedding|party|request|bedside|school|funeral|parents)"
)


def read_shop(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a shop or a restaurant by its owner: scripts to Kinney's, ate oysters at Pappy's; not at Mom's."""
    low = text.rindex(" ", start, end) + 1
    owner = text[low : end - 2].lower()
    if owner not in NOT_NAMES | _RELATIVES and not _HOME_BEHIND.match(text_after(text, end)):
        yield Candidate(low, end, Entity.ORGANIZATION, Strength.WEAK)
