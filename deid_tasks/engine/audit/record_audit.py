"""Whether a part of the patient's own structured record is still in the output."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, product
from typing import TypeVar

from deid_tasks.core.patient import IDENTIFIER_KINDS, PatientRecord, TermKind
from deid_tasks.engine.lexicon.everyday_names import find_everyday_names, is_public_word
from deid_tasks.engine.lexicon.normalise import normalise
from deid_tasks.engine.lexicon.patient_terms import FULL, OWN, everyday_names_of
from deid_tasks.engine.lexicon.terms import street_variants

_Kind = TypeVar("_Kind")
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_MAX_GAP = 4
"""Characters between two words, or two groups of digits, that belong together."""
_MAX_GROUPS = 6
"""Groups of digits that one number may be written in."""
_SEPARATING_MARKS = ",;:"
"""Punctuation that separates two numbers."""
_NAME_PUNCTUATION = frozenset(" \t\n.,-_'’‐‑")
_MIN_WORD_LENGTH = 5
"""Shorter identifiers are not compared as words."""
MIN_DIGITS = 6
"""Shorter numbers occur too often to identify a patient."""


class FindingKind(StrEnum):
    """The part of the record that was found."""

    FULL_NAME = "full_name"
    NAME = "name"
    """A name that is an everyday word, where the words around it or its rarity show that it is a name."""
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
    """One part of the record at ``start``–``end`` of the output, in code points. Holds no text."""

    kind: FindingKind
    start: int
    end: int
    in_surrogate: bool = False
    """Whether it overlaps a surrogate: the surrogate equals the original."""


Phrase = tuple[str, ...]
"""Consecutive words in lower case; an empty one stands for any one word."""
PhraseIndex = dict[str, list[tuple[Phrase, FindingKind]]]
"""Phrases of the record by their first word."""

_NUMBER_KINDS = {kind: FindingKind(kind.value) for kind in (*IDENTIFIER_KINDS, TermKind.PHONE)}


def audit(
    deid_text: str,
    record: PatientRecord | None,
    replaced: Sequence[tuple[int, int]] = (),
    originals: Sequence[str] | None = None,
) -> list[Finding]:
    """Return the parts of ``record`` that are in ``deid_text``, in order; empty without a record.

    The search covers numbers by their digits, whatever stands between them; e-mail addresses; the first (or preferred)
    and the last name side by side in either order, with at most one word between them; names that are everyday words,
    by the rule of the patient detector (``lexicon.everyday_names``); and the street line. City, state and ZIP are left
    to the policy. The text's words are read once.

    Args:
        deid_text: the output.
        record: the patient's record.
        replaced: ``(start, end)`` of the surrogates in the output; they are searched like the rest.
        originals: what each surrogate replaced. An everyday word within a surrogate is then no finding where the
            original does not have it: a clinician's surrogate may by chance be "Moody", as the patient's record is.
    """
    if record is None or not record.terms:
        return []
    found = {*find_digits(deid_text, _numbers(record)), *_find_phrases(deid_text, _phrases(record))}
    if names := everyday_names_of(record):
        found |= {
            (FindingKind.NAME, start, end)
            for start, end, _ in find_everyday_names(deid_text, names, OWN | FULL)
            if not _is_by_chance(deid_text, start, end, replaced, originals)
        }
    return sorted(
        (
            Finding(kind, start, end, any(start < stop and begin < end for begin, stop in replaced))
            for kind, start, end in found
        ),
        key=lambda finding: (finding.start, finding.end, finding.kind),
    )


def _is_by_chance(
    text: str, start: int, end: int, replaced: Sequence[tuple[int, int]], originals: Sequence[str] | None
) -> bool:
    """Whether a name stands wholly in a surrogate of which the original has none of the name's words."""
    if originals is None:
        return False
    for (begin, stop), original in zip(replaced, originals, strict=True):
        if begin <= start and end <= stop:
            return set(text_words(text[start:end])).isdisjoint(text_words(original))
    return False


def _numbers(record: PatientRecord) -> dict[str, FindingKind]:
    """Return the digits of the record's numbers."""
    numbers: dict[str, FindingKind] = {}
    for term in record.terms:
        digits = "".join(char for char in term.term if char.isdecimal()) if term.kind in _NUMBER_KINDS else ""
        if len(digits) >= MIN_DIGITS:
            numbers.setdefault(digits, _NUMBER_KINDS[term.kind])
            if term.kind is TermKind.PHONE and len(digits) == 11:
                numbers.setdefault(digits.removeprefix("1"), FindingKind.PHONE)
    return numbers


def find_digits(text: str, numbers: Mapping[str, _Kind]) -> Iterator[tuple[_Kind, int, int]]:
    """Yield kind, start and end of each number in ``text`` whose digits are one of ``numbers``, however grouped."""
    if not numbers:
        return
    prefixes = {number[:length] for number in numbers for length in range(1, len(number))}
    groups = [(match.start(), match.end(), match.group()) for match in _DIGITS.finditer(text)]
    for index, (start, end, digits) in enumerate(groups):
        if digits in numbers:
            yield numbers[digits], start, end
        for next_start, next_end, more in groups[index + 1 : index + _MAX_GROUPS]:
            if digits not in prefixes or not _is_within_number(text[end:next_start]):
                break
            digits, end = digits + more, next_end
            if digits in numbers:
                yield numbers[digits], start, end


def _is_within_number(gap: str) -> bool:
    """Whether the characters between two groups of digits may stand within one number."""
    return len(gap) <= _MAX_GAP and not any(char.isalnum() or char in _SEPARATING_MARKS for char in gap)


def _phrases(record: PatientRecord) -> PhraseIndex:
    """Return the record's names, streets, e-mail addresses and identifiers of letters as phrases."""
    phrases = _name_phrases(record)
    for street in record.of_kind(TermKind.STREET):
        phrases |= {(words_of(form), FindingKind.STREET) for form in (street, *street_variants(street))}
    phrases |= {(words_of(email), FindingKind.EMAIL) for email in record.of_kind(TermKind.EMAIL)}
    # Identifiers of letters, or with too few digits to be compared by them, are compared as words.
    phrases |= {
        (words_of(term.term), _NUMBER_KINDS[term.kind])
        for term in record.terms
        if term.kind in _NUMBER_KINDS and len(term.term) >= _MIN_WORD_LENGTH
        if sum(char.isdecimal() for char in term.term) < MIN_DIGITS
    }
    index: PhraseIndex = {}
    for words, kind in phrases:
        if len(words) > 1 or (words and kind is not FindingKind.STREET):
            index.setdefault(words[0], []).append((words, kind))
    return index


def _name_phrases(record: PatientRecord) -> set[tuple[Phrase, FindingKind]]:
    phrases: set[tuple[Phrase, FindingKind]] = set()
    given = [words_of(name) for name in record.of_kind(TermKind.FIRST, TermKind.PREFERRED)]
    surnames = [words_of(name) for name in record.of_kind(TermKind.LAST)]
    for first, last in product(given, surnames):
        if first and last:
            forms = ((*first, *last), (*last, *first), (*first, "", *last))
            phrases |= {(form, FindingKind.FULL_NAME) for form in forms}
    return phrases


def words_of(term: str) -> Phrase:
    """Return the normalised words of a term."""
    return tuple(normalise(term).split())


def text_words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case and without accents."""
    if text.isascii():
        return _WORD.findall(text.lower())
    words = [word.lower() for word in _WORD.findall(text)]
    return [word if word.isascii() else normalise(word).replace(" ", "") for word in words]


def word_ranges(text: str) -> list[tuple[int, int]]:
    """Return start and end of each word that ``text_words`` returns."""
    return [match.span() for match in _WORD.finditer(text)]


def _find_phrases(text: str, phrases: PhraseIndex) -> Iterator[tuple[FindingKind, int, int]]:
    if not phrases:
        return
    ranges, words = word_ranges(text), text_words(text)
    for index, word in enumerate(words):
        for phrase, kind in phrases.get(word, ()):
            stop = index + len(phrase)
            if stop > len(words) or not _matches(phrase, words[index:stop]) or not is_close(ranges[index:stop]):
                continue
            if kind is FindingKind.FULL_NAME and not _is_name(text, ranges[index:stop], phrase):
                continue
            yield kind, ranges[index][0], ranges[stop - 1][1]


def _matches(phrase: Phrase, words: Sequence[str]) -> bool:
    return all(part in ("", word) for part, word in zip(phrase, words, strict=True))


def is_close(ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether no two neighbouring words have more than ``_MAX_GAP`` characters between them."""
    return all(after[0] - before[1] <= _MAX_GAP for before, after in pairwise(ranges))


def _is_name(text: str, ranges: Sequence[tuple[int, int]], phrase: Phrase) -> bool:
    """Whether the words are written as one name.

    That is, with a capital letter, with one at the word in between, and without the end of a sentence among them; or in
    lower case throughout, if one of them is no everyday word.
    """
    if not any(text[start].isupper() for start, _ in ranges) and all(
        is_public_word(word) or len(word) == 1 for word in phrase
    ):
        return False
    if any(not part and not text[start].isupper() for part, (start, _) in zip(phrase, ranges, strict=True)):
        return False
    between = "".join(text[before[1] : after[0]] for before, after in pairwise(ranges))
    return set(between) <= _NAME_PUNCTUATION
