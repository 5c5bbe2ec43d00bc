"""Does anything of the patient's own structured record still stand in the output?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, product

from deid_tasks.core.patient import PatientRecord, TermKind
from deid_tasks.engine.lexicon.normalise import normalise
from deid_tasks.engine.lexicon.terms import street_variants

_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_MAX_GAP = 4
_MAX_GROUPS = 6
MIN_DIGITS = 6
"""Shorter numbers are too common to say whose they are."""


class FindingKind(StrEnum):
    """Which part of the record was found."""

    FULL_NAME = "full_name"
    MRN = "mrn"
    SSN = "ssn"
    HEALTH_PLAN = "health_plan"
    ACCOUNT = "account"
    LICENSE = "license"
    OTHER_ID = "other_id"
    PHONE = "phone"
    EMAIL = "email"
    STREET = "street"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One part of the record at ``start``–``end`` (code points of the output); holds no text.

    ``in_surrogate`` says that it stands where a surrogate was put: the surrogate equals the original.
    """

    kind: FindingKind
    start: int
    end: int
    in_surrogate: bool = False


_NUMBERS = {
    kind: FindingKind(kind.value)
    for kind in (
        TermKind.MRN,
        TermKind.SSN,
        TermKind.HEALTH_PLAN,
        TermKind.ACCOUNT,
        TermKind.LICENSE,
        TermKind.OTHER_ID,
        TermKind.PHONE,
    )
}


def audit(deid_text: str, record: PatientRecord | None, replaced: Sequence[tuple[int, int]] = ()) -> list[Finding]:
    """What of ``record`` stands in ``deid_text``, sorted by place; empty without a record.

    Looked for: numbers by their digits, whatever stands between them; e-mail addresses; first (or preferred) and last name side
    by side in either order, one middle word allowed; the street line. City, state and ZIP are left to the policy. ``replaced``
    are the ranges of the output that hold surrogates; they are searched like the rest. One pass over the text's words.
    """
    if record is None or not record.terms:
        return []
    numbers = _numbers(record)
    phrases = _phrases(record)
    found = {*_find_numbers(deid_text, numbers), *_find_phrases(deid_text, phrases)}
    return sorted(
        (
            Finding(kind, start, end, any(start < stop and begin < end for begin, stop in replaced))
            for kind, start, end in found
        ),
        key=lambda finding: (finding.start, finding.end, finding.kind),
    )


def _numbers(record: PatientRecord) -> dict[str, FindingKind]:
    numbers: dict[str, FindingKind] = {}
    for term in record.terms:
        if term.kind in _NUMBERS:
            digits = "".join(character for character in term.term if character.isdecimal())
            if len(digits) >= MIN_DIGITS:
                numbers.setdefault(digits, _NUMBERS[term.kind])
                if term.kind is TermKind.PHONE and len(digits) == 11:
                    numbers.setdefault(digits.removeprefix("1"), FindingKind.PHONE)
    return numbers


def _find_numbers(text: str, numbers: dict[str, FindingKind]) -> Iterator[tuple[FindingKind, int, int]]:
    if not numbers:
        return
    beginnings = {number[:length] for number in numbers for length in range(1, len(number))}
    groups = [(match.start(), match.end(), match.group()) for match in _DIGITS.finditer(text)]
    for index, (start, end, digits) in enumerate(groups):
        if digits in numbers:
            yield numbers[digits], start, end
        for next_start, next_end, more in groups[index + 1 : index + _MAX_GROUPS]:
            gap = text[end:next_start]
            if (
                digits not in beginnings
                or len(gap) > _MAX_GAP
                or any(character.isalnum() or character in ",;:" for character in gap)
            ):
                break
            digits, end = digits + more, next_end
            if digits in numbers:
                yield numbers[digits], start, end


def _phrases(record: PatientRecord) -> dict[str, list[tuple[tuple[str, ...], FindingKind]]]:
    """Word sequences of the record by their first word."""
    forms: set[tuple[tuple[str, ...], FindingKind]] = set()
    given = [_words(name) for name in record.of_kind(TermKind.FIRST, TermKind.PREFERRED)]
    last = [_words(name) for name in record.of_kind(TermKind.LAST)]
    for first, family in product(given, last):
        if first and family:
            forms |= {((*first, *family), FindingKind.FULL_NAME), ((*family, *first), FindingKind.FULL_NAME)}
            forms.add(((*first, "", *family), FindingKind.FULL_NAME))
    for street in record.of_kind(TermKind.STREET):
        forms |= {(_words(form), FindingKind.STREET) for form in (street, *street_variants(street))}
    forms |= {(_words(email), FindingKind.EMAIL) for email in record.of_kind(TermKind.EMAIL)}
    # Identifiers of letters, or of too few digits to be compared by them, are compared as words.
    for term in record.terms:
        if (
            term.kind in _NUMBERS
            and not sum(mark.isdecimal() for mark in term.term) >= MIN_DIGITS
            and len(term.term) >= 5
        ):
            forms.add((_words(term.term), _NUMBERS[term.kind]))
    index: dict[str, list[tuple[tuple[str, ...], FindingKind]]] = {}
    for words, kind in forms:
        if len(words) > 1 or (words and kind is not FindingKind.STREET):
            index.setdefault(words[0], []).append((words, kind))
    return index


def _words(term: str) -> tuple[str, ...]:
    return tuple(normalise(term).split())


def _find_phrases(
    text: str, phrases: dict[str, list[tuple[tuple[str, ...], FindingKind]]]
) -> Iterator[tuple[FindingKind, int, int]]:
    """``""`` in a form stands for any one word. Names in small letters throughout are everyday words more often than names."""
    if not phrases:
        return
    places = [match.span() for match in _WORD.finditer(text)]
    words = [text[start:end].lower() for start, end in places]
    if not text.isascii():
        words = [word if word.isascii() else normalise(word).replace(" ", "") for word in words]
    for index, word in enumerate(words):
        for form, kind in phrases.get(word, ()):
            stop = index + len(form)
            if stop > len(words) or any(
                part not in ("", other) for part, other in zip(form, words[index:stop], strict=True)
            ):
                continue
            gaps = zip(places[index : stop - 1], places[index + 1 : stop], strict=True)
            if any(after[0] - before[1] > _MAX_GAP for before, after in gaps):
                continue
            start, end = places[index][0], places[stop - 1][1]
            if kind is FindingKind.FULL_NAME and not _is_name(text, places[index:stop], form):
                continue
            yield kind, start, end


def _is_name(text: str, places: Sequence[tuple[int, int]], form: tuple[str, ...]) -> bool:
    """Whether the words are written as one name: some capital, a capital for the word between, no sentence end among them."""
    if not any(text[start].isupper() for start, _ in places):
        return False
    if any(not part and not text[start].isupper() for part, (start, _) in zip(form, places, strict=True)):
        return False
    between = "".join(text[before[1] : after[0]] for before, after in pairwise(places))
    return not set(between) - set(" \t\n.,-_'’‐‑")
