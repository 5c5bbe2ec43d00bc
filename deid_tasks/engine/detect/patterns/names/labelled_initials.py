"""Initials behind a label, in pairs, and beside a name or a record number."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.names.initial_words import (
    CLOCK,
    HEADINGS,
    LETTERS,
    NEVER,
    PAIR,
    UNITS,
    initials_candidate,
    is_abbreviation,
    is_in_capitals,
    line_around,
)
from deid_tasks.engine.detect.patterns.reference_words import (
    is_everyday_word,
    is_frequent_word,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, as_word_set, word_set

_WHOLE_DATE = r"(?:[0-9]{1,2}[/.\-][0-9]{1,2}[/.\-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2})"
_TYPIST = r"(?-i:[a-z]{2,4}|[A-Z]{2,4})"
LABEL_TRIGGER = (
    r"(?i)\b(?:initials?|init|typed by|scribed by|screened by|transcribed by|dictated by|entered by|given by"
    r"|(?:case|chart|claim|encounter|ticket) (?:closed|locked)"
    r"|(?:un)?checked [^\n]{0,24}by|witness(?:ed by)?|entered|scored|opr|reviewed(?: by)?|tech|typed|coded|filed"
    r"|scanned|keyed|qc|signed|dd|td|tr|by|nurse|presenter|recorder|reader|verifier)"
    r"[:.]{0,2} {1,3}\(?(?-i:[A-Z]{2,3}|[a-z]{3})\b(?:/(?-i:[A-Z]{2,3}))?"
    rf"|\b(?:T|TT|DT|D/T|TD|TR)[: ] ?(?:{_WHOLE_DATE}) {{1,3}}(?-i:{PAIR})\b"  # T: 3/15/21 MTO:jd
    r"|\b(?:transcribed(?: by)?|typed(?: by)?|dictated(?: by)?|transcriptionist|typist|trans|dict)(?::|/TR:?) {1,3}"
    rf"{_TYPIST}\b(?: ?/ ?{_TYPIST}\b)?"  # typist: mto/jd
    rf"|\b(?-i:TR|DD|TD|DT|D/T|T|D|QT): ?{_TYPIST} ?/ ?{_TYPIST}\b"  # QT: MTO/jd
    rf"|\bRN {{1,3}}(?-i:[A-Z]{{2,3}}) {{1,3}}{CLOCK}"  # RN MTO 0835
)
_LABELLED_LETTERS = re.compile(r"([A-Za-z]{2,4})(?:(?: ?/ ?|[:/]{1,2})([A-Za-z]{2,4}))?$")
_NEEDS_CAPITALS = re.compile(r"(?i)(?:by|nurse|tech|qc|reviewed|signed|entered|witness|filed|coded|closed|locked)\W*$")
_BY_COLON = re.compile(r"(?i)(?:transcribed|typed|scribed|dictated|keyed|entered) by: {1,3}$")
"""Behind a colon small letters are initials too: transcribed by: mko."""
_LABELS_AND_WORDS = as_word_set("by nurse reviewed signed tech entered filed coded td tr dd") | {
    f"{what} {done}" for what in ("case", "chart", "claim", "encounter", "ticket") for done in ("closed", "locked")
}
"""Labels that are words or abbreviations of their own too."""
_DAY_OF_STAY = re.compile(r"(?:HD|POD|DOL|HOD|PPD) ?#?[0-9]{1,2}(?![0-9/:])")
"""The day of a stay behind "by": oriented by HD 3."""
_BY_TAIL = re.compile(r"\)?(?:[.,;:\n/]|$| {2}|,? (?:CT|RN|at|on|[0-9]))")


@dataclass(slots=True)
class _LabelledLetters:
    """Letters behind a label."""

    label: str
    letters: str
    has_second: bool
    is_dictation: bool
    """Whether a date or a time stands among label and letters."""


def _is_plain_word(one: _LabelledLetters) -> bool:
    return one.letters.islower() and not one.is_dictation and is_frequent_word(one.letters.lower())


def _is_abbreviation_behind_word(one: _LabelledLetters) -> bool:
    is_weak = ":" not in one.label and not one.is_dictation and not one.has_second
    return is_weak and is_abbreviation(one.letters.lower())


LABELLED_LETTERS: FormTable[_LabelledLetters, bool] = FormTable(
    "labelled initials",
    Form("never initials", "entered: STAT, QC: NO", lambda one: one.letters.lower() in NEVER, never),
    Form("everyday word", "keyed: the", _is_plain_word, never),
    Form("abbreviation", "scored GCS", _is_abbreviation_behind_word, never),
    Form("initials", "Entered: [INITIALS:MTO]", always, always),
)
"""Which letters behind a label are initials."""


def read_labelled_initials(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Entered: MTO, QC MTO, by MTO, CT(ASCP), T: 3/15/21 MTO:jd."""
    stretch = text[start:end]
    is_dictation = any(character.isdigit() for character in stretch)
    if stretch[:2] == "RN" and is_dictation:
        word = LETTERS.search(text, start + 2, end)
        if word and word.group().lower() not in NEVER:
            yield initials_candidate(*word.span(), Strength.LABELLED)
        return
    match = _LABELLED_LETTERS.search(stretch)
    if match is None:
        return
    label = stretch[: match.start(1)].rstrip("(")
    if _DAY_OF_STAY.match(text, start + match.start(1)):
        return
    if not is_dictation and _is_phrase(text, start, end, label, match.group(1)):
        return
    for group in (1, 2):
        letters: str | None = match.group(group)
        if letters is None:
            continue
        if LABELLED_LETTERS.decide(_LabelledLetters(label, letters, match.group(2) is not None, is_dictation)):
            yield initials_candidate(start + match.start(group), start + match.end(group), Strength.LABELLED)


def _is_phrase(text: str, start: int, end: int, label: str, letters: str) -> bool:
    """Whether a label is an ordinary word of a sentence: seen by the …, reviewed THE PLAN."""
    if _NEEDS_CAPITALS.search(label) and not letters.isupper():
        return not _BY_COLON.search(label)
    if label.strip(" .:").lower() not in _LABELS_AND_WORDS:
        return False
    if not _BY_TAIL.match(text, end, end + 8):
        return True
    return is_in_capitals(line_around(text, start)) and is_everyday_word(letters)


TWINS_TRIGGER = r"(?i)\b[a-z]{2,3}[:/]{1,2}[a-z]{2,4}\b"
_TWINS_MARK = re.compile(r"[:/]+")


def read_author_and_typist(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read who dictated and who typed, where both are one person: MO:mto, JL:jal."""
    value = text[start:end]
    one, two = _TWINS_MARK.split(value.lower())
    if one[0] != two[0] or one[-1] != two[-1] or text[start - 1 : start] in {"/", ":"} or {one, two} & NEVER:
        return
    has_case = value[:2].isupper() and (value[-2:].islower() or ":" in value)
    if not has_case and (is_abbreviation(one) or is_abbreviation(two) or is_everyday_word(one)):
        return
    if value.islower() and len(one) == len(two) and one != two:
        return
    yield initials_candidate(start, start + len(one))
    yield initials_candidate(end - len(two), end)


WITH_NAME_TRIGGER = (
    r"(?m)(?:^[ \t]{0,4}|[.!?] {1,2})[A-Z][A-Za-z'\-]{1,24} ?/{1,2} ?[A-Za-z]{2,3}[ \t]{0,4}$"  # Okafor/jd
    r"|^[ \t]{0,4}[A-Z]{2,3} ?/{1,2} ?[A-Z][A-Za-z'\-]{2,24}[ \t]{0,4}$"  # JD/Okafor
)
_NAME_OR_LETTERS = re.compile(r"[A-Za-z'\-]+")


def read_name_and_initials(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Okafor/jd alone on a line."""
    parts = list(_NAME_OR_LETTERS.finditer(text, start, end))
    if len(parts) != 2:
        return
    one, two = parts
    is_turned = len(one.group()) <= 3 and one.group().isupper() and len(two.group()) > 3
    name, letters = (two, one) if is_turned else (one, two)
    if _is_name_beside(name.group().lower(), letters.group()):
        yield Candidate(*name.span(), Entity.PROVIDER)
        yield initials_candidate(*letters.span())


def _is_name_beside(low: str, letters: str) -> bool:
    """Whether a word in lower case beside initials is a name."""
    if low in medical_term_words() or low in HEADINGS or low in NOT_NAMES - {"doctor"}:
        return False
    if letters.lower() in UNITS | HEADINGS:
        return False
    return letters.isupper() or not is_everyday_word(low)


PATIENT_INITIALS_TRIGGER = r"\b[A-Z]{2,3}(?:, | ?/ ?| {2,4})(?:MRN:? ?)?[A-Z]{1,3}[0-9]{6,10}\b"
_NOT_PATIENTS = word_set("names", "not_patients_initials")


def read_initials_of_patient(text: str, start: int, _end: int) -> Iterator[Candidate]:
    """Read the patient's initials beside a record number: MTO, RH1234567."""
    word = LETTERS.match(text, start)
    if word is None or is_in_capitals(line_around(text, start)):
        return
    low = word.group().lower()
    if low not in _NOT_PATIENTS and not is_abbreviation(low):
        yield Candidate(*word.span(), Entity.PATIENT)


TRIAL_TRIGGER = r"(?i)\binitials?:? {1,3}(?-i:[A-Z]-[A-Z])\b"


def read_initials_of_trial(_text: str, _start: int, end: int) -> Iterator[Candidate]:
    """Read the form in which trials write who has no middle name: subject initials A-B."""
    yield initials_candidate(end - 3, end, Strength.LABELLED)
