"""What a neural detector alone takes for an identifier although its form says otherwise: figures, fragments, everyday words."""

import re

from deid_tasks.entities import Category, Entity
from deid_tasks.span import Span

_FIGURE = re.compile(r"\d{1,3}|\d{2}[6-9]\d|(?:2[4-9]|[3-9]\d)\d\d(?<!19\d\d)(?<!20\d\d)")
"""A reading: up to three figures, or four that are neither a year nor a time of day."""
_UNIT = re.compile(r"\s?(?:%|U/L|IU|units?\b|mg|mcg|g/dL|ml\b|mmol|mEq|ng|pg|mm\b|cm\b|kg\b|bpm|x\s?10)", re.IGNORECASE)
_ABBREVIATIONS = frozenset(
    (
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
    )
)
"""Headings of a note's sections, in their short forms."""


def is_noise(text: str, span: Span) -> bool:
    """Whether a span that only a neural detector found is a figure or a fragment that identifies no one.

    Dates and times that are one bare figure, ages with a unit of measurement behind them, single characters,
    and section headings taken for initials. Labelled numbers are patterns' business and never come here.
    """
    value = text[span.start : span.end]
    if len(value) == 1:
        return span.entity is not Entity.AGE and span.category is not Category.ID
    if span.category is Category.DATE:
        return bool(_FIGURE.fullmatch(value))
    if span.entity is Entity.AGE:
        return bool(_UNIT.match(text, span.end))
    if span.entity is Entity.INITIALS:
        return value.lower() in _ABBREVIATIONS
    return False
