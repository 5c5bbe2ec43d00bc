"""Numbers of the patient's record in a note, whatever separates their digits."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.patient_terms import PatientTerms

_ENTITY_OF_KIND = {
    TermKind.PHONE: Entity.PHONE,
    TermKind.SSN: Entity.SSN,
    TermKind.MRN: Entity.MRN,
    TermKind.HEALTH_PLAN: Entity.HEALTH_PLAN,
    TermKind.ACCOUNT: Entity.ACCOUNT,
    TermKind.LICENSE: Entity.LICENSE,
    TermKind.OTHER_ID: Entity.OTHER_ID,
}
_DIGIT_RUN = re.compile(r"\d+")
_MAX_RUNS = 6
"""Runs of digits that one number may be written in."""
_MAX_SEPARATOR_CHARACTERS = 3
_MAX_PREFIX_CHARACTERS = 12
"""How far before the first digit the letters of a number are looked for."""


def find_numbers(text: str, terms: PatientTerms, detector: str) -> Iterator[Span]:
    """Yield the spans of the record's numbers in ``text``.

    Args:
        text: the note.
        terms: the patient's compiled record.
        detector: name of the spans' detector.
    """
    if not terms.digits:
        return
    runs = [(match.start(), match.end(), match.group()) for match in _DIGIT_RUN.finditer(text)]
    for index, (start, _, digits) in enumerate(runs):
        if digits not in terms.beginnings:
            continue
        kind, end = _longest_number(text, runs[index : index + _MAX_RUNS], terms)
        if kind is None:
            continue
        letters = terms.letters.get(kind)
        if letters is not None and (before := letters.search(text, max(0, start - _MAX_PREFIX_CHARACTERS), start)):
            start = before.start()
        if kind is TermKind.PHONE and text[start - 1 : start] == "(":
            start -= 1
        yield Span(start, end, _ENTITY_OF_KIND[kind], detector)


def _longest_number(text: str, runs: list[tuple[int, int, str]], terms: PatientTerms) -> tuple[TermKind | None, int]:
    """Return the kind and the end of the longest number of the record that begins with the first of ``runs``."""
    _, end, number = runs[0]
    kind, best = terms.digits.get(number), end
    for next_start, next_end, digits in runs[1:]:
        if number not in terms.beginnings or not _is_separator(text[end:next_start]):
            break
        number, end = number + digits, next_end
        if number in terms.digits:
            kind, best = terms.digits[number], end
    return kind, best


def _is_separator(gap: str) -> bool:
    return len(gap) <= _MAX_SEPARATOR_CHARACTERS and not any(mark.isalnum() or mark in ",;:" for mark in gap)
