"""What a neural detector alone takes for an identifier although its form says otherwise: figures, fragments, everyday words."""

import re

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span

_FIGURE = re.compile(r"\d{1,3}|\d{2}[6-9]\d|(?:2[4-9]|[3-9]\d)\d\d(?<!19\d\d)(?<!20\d\d)")
"""A reading: up to three figures, or four that are neither a year nor a time of day."""
_UNIT = re.compile(r"\s?(?:%|U/L|IU|units?\b|mg|mcg|g/dL|ml\b|mmol|mEq|ng|pg|mm\b|cm\b|kg\b|bpm|x\s?10)", re.IGNORECASE)
_NO_INITIALS = frozenset(
    [
        "ros",
        "pe",
        "hpi",
        "pmh",
        "psh",
        "fh",
        "sh",
        "cc",
        "gen",
        "heent",
        "cv",
        "ext",
        "neuro",
        "psych",
        "gu",
        "gi",
        "msk",
        "nad",
        "am",
        "pm",
        "est",
        "edt",
        "cst",
        "cdt",
        "mst",
        "mdt",
        "pst",
        "pdt",
        "utc",
        "gmt",
        "wk",
        "wks",
        "mo",
        "mos",
        "yr",
        "yrs",
        "day",
        "days",
        "hr",
        "hrs",
        "min",
        "mins",
        "crp",
        "esr",
        "tsh",
        "cbc",
        "bmp",
        "cmp",
        "odo",
        "the",
        "for",
        "and",
        "next",
        "see",
        "loss",
        "bcps",
        "bcop",
        "sgd",
    ]
)
"""Headings of a note's sections in their short forms, time zones, units of time, blood tests and function words."""
_SIGNED_BEFORE = re.compile(
    r"(?:entered|reviewed|signed|typed|dictated|checked|initials?)(?: by)?[:.]? ?$", re.IGNORECASE
)
_COLUMN = re.compile(r"[ \t]{0,24}\|")
_ROOM_WORDS = frozenset(["rm", "room", "bed", "or", "unit", "ward", "floor", "bay", "bldg", "suite"])
_BAY = re.compile(r"bed[ :#]{0,2}\d")
"""A bay of an emergency department; beds of a ward have two figures or a letter."""
_CREDENTIAL_CODES = frozenset(("pa", "md", "ma", "do", "pt", "ot", "rn", "np", "id", "ms"))
"""Credentials, some of which are the codes of states too."""
_FORM_BEFORE = re.compile(r"\bform(?: no\.?| #)? {1,2}$", re.IGNORECASE)
_NO_STATES = frozenset(("Tx", "Rx", "Dx", "Hx"))
_BIN_NUMBER = re.compile(r"\W{1,3}\d{6}(?!\d)")
"""Six figures, by which a pharmacy finds the payer; Bin by itself is a name."""
_ROOM_NUMBER = re.compile(r" #?\d{1,2}(?!\d)(?![-/])")
"""The number of an operating room; a ZIP code has five figures."""
_SHOP_BEFORE = re.compile(
    r"(?<![a-z])(?:[A-Z][\w'’.-]* |(?:st|street|ave|terrace|way|rd|road|dr|lane|ln|blvd|ct|court|pl|pharmacy) )#?$"
)
_ROLES = frozenset(
    [
        "anes",
        "anesth",
        "ortho",
        "neuro",
        "cards",
        "eval",
        "dep",
        "txp",
        "pano",
        "niece",
        "neice",
        "rx",
        "tx",
        "pcn",
        "ppo",
        "hmo",
    ]
)
"""Short words for services, relations and forms: no part of the name behind them."""
_WORDS_ONLY = frozenset((Category.NAME, Category.ORGANIZATION, Category.PROFESSION))


def is_noise(text: str, span: Span) -> bool:
    """Whether a span that only a neural detector found is a figure or a fragment that identifies no one.

    Dates and times that are one bare figure, names without a letter, ages with a unit of measurement behind them, single
    characters, the word of a room without its number, numbers of forms, credentials in brackets taken for states, and section
    headings, units and labels of table rows taken for initials. Labelled numbers are patterns' business and never come here.
    """
    value = text[span.start : span.end]
    low = value.lower()
    if span.entity is Entity.INITIALS and _SIGNED_BEFORE.search(text[max(0, span.start - 12) : span.start]):
        return False
    if len(value) == 1:
        return span.entity is not Entity.AGE and span.category is not Category.ID
    if span.category is Category.DATE:
        return bool(_FIGURE.fullmatch(value))
    if span.category in _WORDS_ONLY and span.entity is not Entity.USERNAME and not re.search(r"[^\W\d_]", value):
        # "Corner Pharmacy #12" is a shop; "dispense #28" is tablets.
        is_shop = span.category is Category.ORGANIZATION and _SHOP_BEFORE.search(
            text[max(0, span.start - 24) : span.start]
        )
        return not is_shop and (span.category is not Category.ORGANIZATION or len(value.strip("# ")) < 3)
    if span.category is Category.NAME and value.islower() and low in _NO_INITIALS:
        return True
    if span.category in _WORDS_ONLY and (low in _ROLES or (value == "BIN" and _BIN_NUMBER.match(text, span.end))):
        return True
    match span.entity:
        case Entity.AGE:
            return bool(_UNIT.match(text, span.end))
        case Entity.INITIALS:
            return low in _NO_INITIALS or bool(_COLUMN.match(text, span.end))
        case Entity.LOCATION_OTHER:
            return low in _ROOM_WORDS or bool(_BAY.fullmatch(low))
        case Entity.STATE:
            if value in _NO_STATES or (value == "OR" and _ROOM_NUMBER.match(text, span.end)):
                return True
            brackets = text[max(0, span.start - 1) : span.start], text[span.end : span.end + 1]
            return low in _CREDENTIAL_CODES and brackets == ("(", ")")
        case Entity.OTHER_ID:
            return bool(_FORM_BEFORE.search(text[max(0, span.start - 12) : span.start]))
    return False
