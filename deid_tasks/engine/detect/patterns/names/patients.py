"""Names of patients behind a label, in the header of a note, and in the fields of a form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.names.name_parts import (
    CAPS_WORD,
    INITIAL,
    TITLE_WORD,
    may_be_name,
    name_candidates,
    take_name,
)
from deid_tasks.engine.detect.patterns.reference_words import is_everyday_word, is_frequent_surname
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation, as_word_set

PATIENT_TRIGGER = (
    rf"(?i)\b(?:{alternation('names', 'patient_labels')})\b"
    r" ?(?:\([a-z, ]{1,14}\) ?)?(?: is|[:=,\-]{0,2})[ \t]{0,12}[\"(]?[a-z]"
)
_GREETINGS = frozenset({"dear", "hi", "hello"})
_CALLED = frozenset(
    {
        "named",
        "my name is",
        "goes by",
        "known as",
        "maiden name",
        "preferred name",
        "prefers to be called",
        "aka",
        "a/k/a",
        "alias",
        "prefers",
    }
)
"""Words that announce a name without a colon."""
_WEAK_LABELS = as_word_set("re for regarding subject insured client pt patient")
_TOPICS = frozenset({"re", "regarding", "subject"})
_FAITH = re.compile(
    r"(?:Roman|Greek|Byzantine) Catholic|(?:Greek|Russian|Serbian) Orthodox|(?:Southern|Free Will) Baptist"
)
"""A church that stands where a name may: Pt Roman Catholic."""
_LETTERS = re.compile(r"[A-Z]+")
_SECOND_GREETED = re.compile(r",? (?:and|&) (?=[A-Z])")
_ASSISTANCE = re.compile(r"(?:(?:Mod|Min|CG|Tot)|Max(?= A (?:x|for\b|w/|of\b)))(?:/(?:Mod|Min|Max))? A\b")
_COLON_BEHIND = re.compile(r"\s?:")
_NAME_AND_MARKS = re.compile(rf"(?:{TITLE_WORD}|{CAPS_WORD}|{INITIAL}|,| |\.)+")


@dataclass(slots=True)
class _LabelledPatient:
    """A name behind a label."""

    text: str
    label: str
    word: str
    """The label in lower case, without marks."""
    start: int
    end: int
    value: str
    has_colon: bool
    has_two_words: bool

    @property
    def second(self) -> tuple[int, int] | None:
        """The other name of a greeting: Dear Maria and John."""
        pair = _SECOND_GREETED.match(self.text, self.end, self.end + 7)
        return take_name(self.text, pair.end(), 3) if pair else None


def _is_assistance(patient: _LabelledPatient) -> bool:
    """Whether a therapist's label has the assistance behind it that somebody needed: PT: Mod A x1."""
    return patient.label.startswith("PT") and _ASSISTANCE.match(patient.text, patient.start) is not None


def _is_end_of_greeting(patient: _LabelledPatient) -> bool:
    second = patient.second
    end = second[1] if second else patient.end
    return patient.text[end : end + 1] in {",", ":", "-", "!", "."}


def _is_not_word_in_capitals(patient: _LabelledPatient) -> bool:
    if not patient.value.isupper() or patient.has_colon:
        return True
    return len(patient.value) >= 4 and not (patient.label.isupper() and not patient.has_two_words)


def _is_topic_in_capitals(patient: _LabelledPatient) -> bool:
    """Whether capitals behind RE: say what a letter is about: everyday words that are no surnames, LEVEL APPEAL."""
    if patient.word not in _TOPICS or not patient.value.isupper():
        return False
    return all(is_everyday_word(word) and not is_frequent_surname(word) for word in _LETTERS.findall(patient.value))


def _is_short_label(patient: _LabelledPatient) -> bool:
    is_short = not patient.has_colon and patient.word in {"pt", "decedent"}
    if _FAITH.fullmatch(patient.value):
        return False
    return is_short and patient.has_two_words and not patient.value.isupper()


LABELLED_PATIENTS: FormTable[_LabelledPatient, bool] = FormTable(
    "labelled patients",
    Form("greeting", "Dear [PATIENT:Maria],", lambda patient: patient.word in _GREETINGS, _is_end_of_greeting),
    Form(
        "announced",
        "goes by [PATIENT:Mia]",
        lambda patient: patient.word in _CALLED or patient.word.endswith("name is"),
        _is_not_word_in_capitals,
    ),
    Form("assistance", "PT: Mod A x1", _is_assistance, never),
    Form("short label", "pt [PATIENT:Maria Okafor] slept", _is_short_label, always),
    Form("no colon", "patient Okafor slept", lambda patient: not patient.has_colon, never),
    Form(
        "one word behind a weak label",
        "Re: Tylenol",
        lambda patient: patient.word in _WEAK_LABELS and not patient.has_two_words,
        never,
    ),
    Form("topic in capitals", "RE: SECOND LEVEL APPEAL", _is_topic_in_capitals, never),
    Form("label", "Patient Name: [PATIENT:Okafor, Maria T]", always, always),
)
"""Which names behind a label are those of a patient."""


def read_labelled_patient(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Patient Name: Okafor, Maria T; Dear Maria,; goes by "Mia"."""
    begin = end - 1
    if not text[begin].isupper():
        return
    label = text[start:begin]
    has_colon = ":" in label or "=" in label
    span = take_name(text, begin, 4, comma=has_colon)
    if span is None:
        return
    value = text[slice(*span)]
    word = label.strip(' :="(-,\t').lower()
    has_two_words = len(value.replace(",", " ").split()) >= 2
    patient = _LabelledPatient(text, label, word, *span, value, has_colon, has_two_words)
    if not LABELLED_PATIENTS.decide(patient):
        return
    if word in _GREETINGS:
        yield from name_candidates(patient.second, Entity.PATIENT)
    if not has_two_words and _COLON_BEHIND.match(text[span[1] : span[1] + 2]):
        return  # the label of the next field
    if word not in _TOPICS or _NAME_AND_MARKS.fullmatch(value):
        yield Candidate(*span, Entity.PATIENT, Strength.LABELLED)


HEADER_TRIGGER = (
    r"(?m)^[ \t]{0,4}[A-Z][A-Za-z'\-]{1,20}(?: [A-Z][A-Za-z'\-]{1,20})?, ?[A-Z][A-Za-z'\-]{1,20}"
    r"(?: [A-Z][A-Za-z]{0,15}\.?)?[ \t,;|(\-]{1,8}(?:MRN|DOB|[0-9]{2}-[0-9]{2}-(?:19|20)|[0-9]{1,3} ?[/MF(]|D\.O\.B"
    r"|[0-9]{1,2}/[0-9]{1,2}/|MR ?#|Age|[0-9]{3}-[0-9]{2}-[0-9]{2}|[0-9]{6,9}\b|[0-9]{1,3} ?[yY])"
)


def read_patient_in_header(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read OKAFOR, MARIA T   MRN …, at the head of a line."""
    begin = next((i for i in range(start, end) if text[i].isalpha()), end)
    yield from name_candidates(take_name(text, begin, 4, comma=True), Entity.PATIENT)


FIELDS_TRIGGER = (
    r"\b(?i:surname|family(?: name)?|last(?: name)?): {0,3}[A-Z][A-Za-z'\-]{1,24}[,;]? {1,6}"
    r"(?i:given(?: names?)?|first(?: names?)?|forenames?): {0,3}[A-Z]"  # Surname: OKAFOR   Given: MARIA
    r"|\b(?:ALIAS|Alias|alias|AKA): {0,3}[A-Z]{2,20}, ?[A-Z]{2,20}\b"  # ALIAS: TRAUMA, KILO NINE
)
_ALIAS = re.compile(r": {0,3}(?P<name>[A-Z]{2,20}, ?[A-Z]{2,20}(?: [A-Z]{2,20}){0,2})(?![A-Za-z:])")
_NO_ALIAS = frozenset({"NONE", "UNKNOWN", "DENIES", "NO", "NOT"})


def read_name_fields(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Surname: OKAFOR   Given: MARIA and ALIAS: TRAUMA, KILO NINE."""
    if text[start].lower() == "a":
        alias = _ALIAS.search(text, start, end + 44)
        if alias and alias["name"].split(",")[0] not in _NO_ALIAS:
            yield Candidate(*alias.span("name"), Entity.PATIENT, Strength.LABELLED)
    else:
        yield from name_candidates(take_name(text, end - 1, 4), Entity.PATIENT)


NEWBORN_TRIGGER = (
    r"\b(?:[A-Z][a-z'\-]{1,20}|[A-Z][A-Z'\-]{1,20}), ?(?:Baby|BABY|Infant|INFANT|Newborn|NEWBORN)[ \-]?"
    r"(?:[Bb]oy|BOY|[Gg]irl|GIRL|[Mm]ale|MALE|[Ff]emale|FEMALE)(?: ?#?[A-D1-4])?\b"
)


def read_newborn(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the name of a newborn by the mother's surname: Okafor, Baby Girl B."""
    if may_be_name(text[start : text.index(",", start, end)]):
        yield Candidate(start, end, Entity.PATIENT, Strength.LABELLED)
