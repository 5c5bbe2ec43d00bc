"""States of the United States: by name, and by their code in front of a licence, a plate or a ZIP code."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_before

STATES = STATE_NAMES | {"PR": "Puerto Rico"}
"""Names of the states by code, with Puerto Rico."""
STATE_CODES = "|".join(STATES)
CREDENTIALS_AND_STATES = frozenset({"MD", "PA", "MA", "MS", "NP"})
"""Codes of states that are credentials too."""

STATE_TRIGGER = rf"\b(?:{'|'.join(name for name in STATES.values())})\b"
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


def read_state_code(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read TN lic MD-0047713, OK tag LRT-905 and N.Y. 10701."""
    dotted = _DOTTED.search(text, start, end)
    if dotted is None:
        state, label = text[start : start + 2], text[start + 3 : start + 6].lower()
        if text[start - 1 : start] == "(" or state not in (
            _WORDS_BEFORE_LICENSE if label == "lic" else _WORDS_BEFORE_PLATE
        ):
            yield Candidate(start, start + 2, Entity.STATE, Strength.LABELLED)
        return
    yield Candidate(*dotted.span(), Entity.STATE, Strength.LABELLED)
    if text[end - 1].isdigit() and text[end : end + 1] != "-":
        yield Candidate(end - 5, end, Entity.ZIP, Strength.LABELLED)
