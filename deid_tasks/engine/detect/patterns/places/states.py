"""States of the United States: by name, and by their code in front of a licence, a plate or a ZIP code."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before

STATES = STATE_NAMES | {"PR": "Puerto Rico"}
"""Names of the states by code, with Puerto Rico."""
STATE_CODES = "|".join(STATES)
CREDENTIALS_AND_STATES = frozenset({"MD", "PA", "MA", "MS", "NP"})
"""Codes of states that are credentials too."""

_TERRITORIES = ("American Samoa", "Guam", "U.S. Virgin Islands", "US Virgin Islands", "Northern Mariana Islands")
STATE_TRIGGER = rf"\b(?:{'|'.join((*STATES.values(), *_TERRITORIES))})\b"
_NAMES_TOO = frozenset({"Virginia", "Georgia", "Washington", "Montana", "Dakota", "Carolina"})
_AREA_BEFORE = re.compile(r"(?:in|from|to|of|,|near|through|outside)\s$")
_NAME_OF_SOMETHING_ELSE = re.compile(
    r"['’]s\b| (?:[A-Z][a-z]+ )?(?:University|Hospital|Scale|Verbal|Virus|Ave|Avenue|St|Street|Road|Rd)\b"
    r"| (?:brace|AFO|orthosis|collar|pouch|dissectors?|graspers?|forceps|bipolar|clamps?)\b"
    r"|(?: and| &|/|,) ?(?:hook|harmonic|bovie|cautery|[Ll]iga[Ss]ure|scissors)\b"
)


def read_state_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the name of a state; not Virginia, who is a patient, nor Ohio Street."""
    if text[start:end] in _NAMES_TOO and not _AREA_BEFORE.search(text_before(text, start, 12)):
        return
    if not _NAME_OF_SOMETHING_ELSE.match(text[end : end + 24]):
        yield Candidate(start, end, Entity.STATE)


STATE_CODE_TRIGGER = (
    rf"\b(?:{STATE_CODES}) (?:[Tt]ags?|TAG|[Pp]lates?|PLATE|DL|(?:[Dd]river'?s? )?[Ll]ic(?:ense)?\.?)"
    r"(?: (?:[Nn]o\.?|#))?[ :#]{1,3}[A-Z0-9]"
    r"|\b(?:N\. ?[YJHMCD]|S\. ?[CD]|R\. ?I|D\. ?C|W\. ?Va)\.,? [0-9]{5}\b"  # N.Y. 10701
    r"|\b[A-Z][a-z]{2,15}, (?:N\. ?[YJH]|R\. ?I)\."  # Yonkers, N.Y.
)
_DOTTED = re.compile(r"(?:N\. ?[YJHMCD]|S\. ?[CD]|R\. ?I|D\. ?C|W\. ?Va)\.")
_WORDS_BEFORE_LICENSE = frozenset({"OR", "DC", *CREDENTIALS_AND_STATES})
_WORDS_BEFORE_PLATE = frozenset({"OR", "ID", "IN"})
_FIELD_BEFORE = re.compile(r"[ \t]{2}$|[A-Z],? ?[|/(] ?$")
"""A wide gap behind a credential, in front of the state of a licence that is a word too: DPT   OR lic 62117."""


def read_state_code(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read TN lic MD-0047713, OK tag LRT-905 and N.Y. 10701."""
    dotted = _DOTTED.search(text, start, end)
    if dotted is None:
        state, label = text[start : start + 2], text[start + 3 : start + 6].lower()
        is_field = _FIELD_BEFORE.search(text[max(0, start - 8) : start]) is not None and label == "lic"
        if (
            is_field
            or text[start - 1 : start] == "("
            or state not in (_WORDS_BEFORE_LICENSE if label == "lic" else _WORDS_BEFORE_PLATE)
        ):
            yield Candidate(start, start + 2, Entity.STATE, Strength.LABELLED)
        return
    yield Candidate(*dotted.span(), Entity.STATE, Strength.LABELLED)
    if text[end - 1].isdigit() and text[end : end + 1] != "-":
        yield Candidate(end - 5, end, Entity.ZIP, Strength.LABELLED)


BODY_OF_STATE_TRIGGER = (
    rf"\b(?:{STATE_CODES}) (?:[Cc]risis (?:[Ll]ine|[Ss]ervices|[Hh]otline)|[Qq]uit ?[Ll]ine"
    r"|[Pp]oison (?:[Cc]ontrol|[Cc]enter)"
    r"|[Ww]arm ?[Ll]ine|[Ss]tate [Pp]olice|[Hh]ighway [Pp]atrol|DMV|BMV"
    r"|[Bb]oard of (?:[Nn]ursing|[Mm]edicine|[Pp]harmacy)"
    r"|[Ww]aiver|[Uu]nemployment|[Ww]orkers'? [Cc]omp)\b"
)
_WORDS_BEFORE_BODY = frozenset({"OR", "IN", "ME", "HI", "OK", "OH", "ID", "AL"})


def read_state_of_body(text: str, start: int, _end: int) -> Iterator[Candidate]:
    """Read the state of a line or an authority: 988, CO Crisis line."""
    if text[start : start + 2] not in _WORDS_BEFORE_BODY:
        yield Candidate(start, start + 2, Entity.STATE, Strength.LABELLED)


_LISTED_CODES = rf"(?:{STATE_CODES})(?:(?:, ?| ?/ ?| ?& ?| and )(?:{STATE_CODES})){{0,4}}"
LICENSED_TRIGGER = (
    r"\b(?:(?i:licen[sc]ed|certified|registered)(?: only| also| to practice)?|(?i:licen[sc]e)(?: is)?)"
    rf" in {_LISTED_CODES}\b"  # licensed in OR
    r"|\b(?i:physically|residing|domiciled|travell?ing|vacationing|currently|presently|located)(?i: present)? in "
    rf"{_LISTED_CODES}\b"  # physically in OR
    r"|\b(?i:PMP|PDMP|out[ -]of[ -]state)"
    r"(?i: scripts?| rxs?| meds| fills?| coverage| plan| records?| queried| checked| licen[sc]e)?"
    rf":? ?\(?{_LISTED_CODES}\b"  # out of state scripts (ME, NH)
    rf"|\(?\b{_LISTED_CODES}\)? (?:on |per |in |by )?(?:the )?(?:PMP|PDMP)\b"  # VT PDMP
)
_CODES = re.compile(rf"(?<![A-Za-z])(?:{STATE_CODES})(?![A-Za-z])")
_WORDS_AND_STATES = frozenset({"OR", "IN", "OK", "HI", "ME"})
_KINDS_OF_CARE = frozenset({"OR", "AL", "CT", "ID", "PA", "MS", "IN", "OK", "SC", "PR", "NH", "AR"})
"""Codes of states that are a part of a hospital, a home or a finding too: currently in OR, in AL."""
_FAR_AWAY = re.compile(r"licen|tele|video|virtual|state|visit")
_WORD_BEHIND_CODE = re.compile(r"[ /\-]?(?:nurse|rn\b|tech|staff|suite|table|room|\d)")


def read_state_of_license(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a nurse licensed in OR, out of state scripts (ME, NH) and physically in OR today; not PDMP OK."""
    codes = list(_CODES.finditer(text, start, end))
    if not codes or _WORD_BEHIND_CODE.match(text_after(text, end)):
        return
    value = text[start:end].lower()
    is_bare_word = len(codes) == 1 and "(" not in value and codes[0].group() in _WORDS_AND_STATES
    if is_bare_word and value.startswith(("pmp", "pdmp")):
        return
    if value.startswith(("phys", "resid", "domi", "trav", "vaca", "curr", "pres", "loca")):
        is_far = _FAR_AWAY.search(text_before(text, start, 80) + text_after(text, end, 60)) is not None
        if codes[0].group() in _KINDS_OF_CARE and not (is_far and value.startswith("phys")):
            return
    for code in codes:
        yield Candidate(*code.span(), Entity.STATE, Strength.LABELLED)


_ABBREVIATED = (
    r"(?:Ala|Ariz|Ark|Calif|Cal|Colo|Conn|Del|Fla|Ga|Ill|Ind|Kan|Kans|Ky|La|Mass|Md|Me|Mich|Minn|Miss|Mo|Mont|Neb|Nebr"
    r"|Nev|Okla|Ore|Oreg|Pa|Penna?|Tenn|Tex|Vt|Va|Wash|Wis|Wisc|Wyo)"
)
ABBREVIATED_TRIGGER = (
    r"\b(?:(?:[Ii]n|[Ff]rom|[Tt]o|[Oo]f|[Nn]ear|[Tt]hroughout|PMP|PDMP) |[Oo]ut[ -]of[ -]state:? ?\(|[Oo]f [Ss]tate \()"
    rf"{_ABBREVIATED}\."
)
_NAME_OR_LETTER_BEHIND = re.compile(r"[A-Za-z0-9]|\s?[0-9]")
_MUST_BE_PLACE = frozenset(
    {"Me", "La", "Del", "Miss", "Pa", "Mass", "Md", "Mo", "Va", "Ill", "Ind", "Colo", "Cal", "Ga", "Kan"}
)
"""Abbreviations that are words, titles or signs too: they need a word that says where somebody is, or brackets."""
_PLACE_BEFORE = re.compile(
    r"(?:summers?|winters?|lives?|lived|living|born|raised|grew up|moved?|resident|native|travel(?:l?ed|l?ing)?|trip"
    r"|family|home|house|cabin|camp|vacation(?:ed|ing)?|records|fill(?:ed|s)?|state|drove|visit(?:ed|ing)?|stay(?:ed|ing)?"
    r"|stays|moves|works?|worked|seen|treated|surgery|hospitalized|daughter|son|sister|brother|pmp|pdmp) ?(?:back )?$"
)


def read_abbreviated_state(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Summers in Me., out of state (Miss.) and a resident of Wash.; not from Miss Okafor."""
    low = max(text.rfind(" ", start, end), text.rfind("(", start, end)) + 1
    if _NAME_OR_LETTER_BEHIND.match(text, end):
        return
    is_certain = text[low - 1] == "(" or text[start:low].startswith(("PMP", "PDMP"))
    if text[low : end - 1] in _MUST_BE_PLACE and not is_certain and not _PLACE_BEFORE.search(text_before(text, start)):
        return
    if text[low : end - 1] == "Miss" and text[end : end + 2].strip()[:1].isupper():
        return
    yield Candidate(low, end - 1, Entity.STATE, Strength.WEAK)
