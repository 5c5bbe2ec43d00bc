"""Words that a model takes for a place and that are a ward, a room, a choice or a credential."""

import re

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.recover.word_lists import words_of_list

_WARDS = frozenset(
    {"OR", "ER", "ED", "ICU", "PACU", "SICU", "MICU", "CCU", "NICU", "PICU", "CVICU", "AMU", "MAU", "SAU", "EAU", "CDU"}
)
"""Wards that every hospital has, without a number."""
_PLACES = frozenset((Category.LOCATION, Category.ORGANIZATION))
_TO_WARD_BEFORE = re.compile(r"(?:in|to|from|the|via|into|[>→]) $")
_LABEL_OF_WARD_BEFORE = re.compile(r"(?:location|loc|unit|dept):[ \t]{0,6}$", re.IGNORECASE)
_FIELD_ENDS = re.compile(r"[ \t]*(?:\n|$)|[ \t]{2,}|[,;]")
_ROOM_WORDS = frozenset(
    ("rm", "room", "chair", "station", "bed", "or", "unit", "ward", "floor", "bay", "bldg", "suite")
)
_DAY_AFTER_OPERATION = re.compile(r"POD ?#?\d{1,2}")
_EMERGENCY_BAY = re.compile(r"bed[ :#]{0,2}\d")
"""A bed of an emergency department; beds of a ward have two digits or a letter."""
_ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)
_CHOICE_BEHIND = re.compile(r" [A-Z][a-z]+ [A-Z]")
"""Behind an ordinal that counts choices: "1st Lakeshore Rehab, 2nd Hillcrest Manor"."""
_BEFORE_LANDMARKS = frozenset(("near", "opp", "opposite", "behind", "beside", "next to"))
_AUTHORIZATION_BEHIND = re.compile(r" (?:pending|approved|denied|needed|submitted|request|required|form|ref)\b")
"""Behind PA for a prior authorization."""
_NOT_STATES = frozenset(("Tx", "Rx", "Dx", "Hx", "Dist", "Tq", "Tal"))
_STATE_LIKE_CREDENTIALS = frozenset(("pa", "md", "ma", "do", "pt", "ot", "rn", "np", "id", "ms"))
"""Credentials and their like, some of which are codes of states too."""
_NUMBER_OF_STATE = re.compile(r":? ?\d{10}(?!\d)")
_LABELS_LIKE_STATES = frozenset(("CHI", "NHS", "NHI", "HCN"))
_ROOM_NUMBER = re.compile(r" #?\d{1,2}(?!\d)(?![-/])")
"""The number of an operating room; a ZIP code has five digits."""
_HOSPITAL_BEFORE = re.compile(r"\b[B-DF-HJ-NP-TV-XZ]{2,5} $")
_ZIP_BEHIND = re.compile(r",? \d{5}")
_COUNTY = frozenset(("Co", "Co.", "CO."))
_NAME_OF_COUNTY = re.compile(r"\.? [A-Z][a-z]{3,}")
"""What stands behind the word county: Co. Galway."""
_MARGIN = 8


def is_ward(text: str, span: Span, value: str) -> bool:
    """Whether a place is a ward that every hospital has: taken to the OR."""
    if value not in _WARDS or span.category not in _PLACES or span.entity is Entity.STATE:
        return False
    if _LABEL_OF_WARD_BEFORE.search(text[max(0, span.start - 16) : span.start]) and _FIELD_ENDS.match(text, span.end):
        return True
    return _TO_WARD_BEFORE.search(text[max(0, span.start - 6) : span.start]) is not None


def is_no_place(text: str, span: Span, value: str) -> bool:
    """Whether a room, a street or a state is an everyday word, a choice that is counted, or no state."""
    low = value.lower()
    match span.entity:
        case Entity.LOCATION_OTHER:
            return (
                _DAY_AFTER_OPERATION.fullmatch(value) is not None
                or low in _ROOM_WORDS
                or bool(_EMERGENCY_BAY.fullmatch(low))
                or value in words_of_list("everyday_places.txt")
            )
        case Entity.STREET:
            is_choice = _ORDINAL.fullmatch(value) and _CHOICE_BEHIND.match(text, span.end)
            return bool(is_choice) or low in _BEFORE_LANDMARKS
        case Entity.STATE:
            return _is_not_state(text, span, value)
    return False


def _is_not_state(text: str, span: Span, value: str) -> bool:
    """Whether a state code is a short word, an operating room, a county, or a credential in brackets."""
    if value == "PA" and _AUTHORIZATION_BEHIND.match(text, span.end):
        return True
    if value in _NOT_STATES or (value in _LABELS_LIKE_STATES and _NUMBER_OF_STATE.match(text, span.end)):
        return True
    if value == "OR" and (_ROOM_NUMBER.match(text, span.end) or _is_of_hospital(text, span)):
        return True
    if value in _COUNTY and _NAME_OF_COUNTY.match(text, span.end):
        return True
    brackets = text[max(0, span.start - 1) : span.start], text[span.end : span.end + 1]
    return value.lower() in _STATE_LIKE_CREDENTIALS and brackets == ("(", ")")


def _is_of_hospital(text: str, span: Span) -> bool:
    """Whether OR is the operating room of a hospital whose letters stand before it: "Loc: BMH OR"."""
    before = _HOSPITAL_BEFORE.search(text[max(0, span.start - _MARGIN) : span.start])
    return before is not None and not _ZIP_BEHIND.match(text, span.end)
