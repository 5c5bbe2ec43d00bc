"""Names behind the label of who wrote, signed, ordered or was told: signed by Maria Okafor; PCP: Okafor."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.names.credentials import CREDENTIAL
from deid_tasks.engine.detect.patterns.names.name_parts import take_name
from deid_tasks.engine.detect.patterns.organizations.organizations import organization_behind_label
from deid_tasks.engine.detect.patterns.reference_words import (
    is_given_name,
    languages,
    medical_term_words,
    surname_rates,
    us_towns,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation, as_word_set
from deid_tasks.engine.lexicon.public import medical_abbreviations

SIGNATURE_TRIGGER = (
    r"(?i)\b(?:(?:electronically |digitally |e-?)?"
    rf"(?:{alternation('names', 'signing_verbs')})(?: electronically)?(?: and [a-z]{{4,12}})? by"  # signed by
    rf"|{alternation('names', 'signing_labels')})\b"  # PCP
    r" ?(?:\([a-z ]{1,12}\) ?)?[:,\-]{0,2}\s{0,3}(?:dr\.? |by )?[a-z]"
)
_CREDENTIAL_AFTER = re.compile(rf",?\s{{1,2}}(?:{CREDENTIAL})(?![A-Za-z])")
_KIND_OF_NURSE = re.compile(
    r"(?:District|Community|Practice|School|Charge|Staff|Ward|Research|Link) (?:Nurse|Midwife)\b"
)
"""A role behind a credential: RN, District Nurse."""
_NO_PERSON = re.compile(r"Poisons? (?:Info|Centre|Center|Control|Line)\b")
_DOCTOR = re.compile(r"D[Rr]\.? ")
_TITLED = re.compile(r"\bD[Rr]\.? $")
_TURNED = re.compile(r", ([A-Z][A-Za-z'\-]{1,20})(?: [A-Z]\.?(?![A-Za-z]))?")
"""The given name behind a surname and a comma."""
_LAST_INITIAL = re.compile(r", [A-Z](?:\.(?![A-Z])|(?![A-Za-z0-9'.]))")
_ONLY_CREDENTIAL = re.compile(CREDENTIAL)
_CLOSINGS = frozenset({"sincerely", "regards", "thanks", "signed", "signature"})
"""Labels with the name in the next line."""
_WEAK_LABELS = as_word_set("from to per cc staff anesthesia c/o thanks")
"""Labels that are words of their own too."""
_NAMING_LABELS = as_word_set(
    "pcp surgeon author attn d/w notified paged nurse rn np hospitalist pharmacist interpreter radiologist cardiologist"
    " attending"
) | {"discussed with", "spoke with", "spoke to", "case manager", "social worker", "called to"}
"""Labels with a given name and a surname behind them, without a colon."""
_BORNE_SURNAME_PER_100K = 4.0
"""Bearers among 100,000 people from which a kind of organization is a surname behind a given name: Maria Church."""
_SHORT_LABELS = as_word_set("rn np nurse pcp d/w paged")
"""Labels with one name behind them, without a colon."""
_DEPARTMENTS = as_word_set(
    "rads onc neuro ortho cards nephro neph pulm heme rheum derm uro gyn psych peds palli vasc plastics trauma"
    " transplant anesth neurosurg nsgy endo gastro ophtho optho neonatology nicu picu micro"
)
"""Short words for departments, which read, refer and order as people do."""

_MIN_ABBREVIATION = 4


@dataclass
class _Signature:
    """A name behind the label of an author."""

    label: str
    value: str
    is_titled: bool
    """Whether Dr. stands in front of the name."""
    is_credited: bool
    """Whether a credential stands behind the name."""

    @cached_property
    def word(self) -> str:
        return self.label.strip().lower().rstrip(" :,-")

    @property
    def has_colon(self) -> bool:
        return ":" in self.label

    @property
    def has_by(self) -> bool:
        return self.word.endswith(" by")

    @cached_property
    def has_two_words(self) -> bool:
        words = self.value.replace(",", " ").split()
        return len([word for word in words if len(word.rstrip(".")) > 1]) >= 2


def _is_next_line(signature: _Signature) -> bool:
    return "\n" in signature.label and signature.word not in _CLOSINGS and not signature.has_colon


def _is_in_capitals(signature: _Signature) -> bool:
    return signature.value.isupper() and not signature.has_colon and not signature.has_by


def _is_one_name_in_title_case(signature: _Signature) -> bool:
    value = signature.value
    is_title = len(value) > 2 and value[0].isupper() and value[1:].islower()
    return signature.word in _SHORT_LABELS and is_title


def _is_ward(signature: _Signature) -> bool:
    """Whether the one word behind the label is an abbreviation of four letters or more: to MICU, RT at side."""
    value = signature.value
    is_long = value.isupper() and value.isalpha() and len(value) >= _MIN_ABBREVIATION and not signature.is_titled
    return is_long and value.lower() in medical_abbreviations() and value.lower() not in surname_rates()


SIGNATURES: FormTable[_Signature, bool] = FormTable(
    "signatures",
    Form(
        "credential alone",
        "per BSN today",
        lambda signature: _ONLY_CREDENTIAL.fullmatch(signature.value) is not None,
        never,
    ),
    Form("language", "Interpreter: Tagalog", lambda signature: signature.value.lower() in languages(), never),
    Form(
        "next column of a table",
        "provider  Tylenol",
        lambda signature: signature.label.endswith("  ") and not signature.has_colon,
        never,
    ),
    Form("next line", "seen by\nTylenol", _is_next_line, never),
    Form(
        "department",
        "read by Rads today",
        lambda signature: not signature.is_titled and signature.value.lower() in _DEPARTMENTS,
        never,
    ),
    Form("ward", "to CICU, RT at side", _is_ward, never),
    Form(
        "title or credential",
        "resident [PROVIDER:Maria Okafor], RN",
        lambda signature: signature.is_titled or signature.is_credited,
        always,
    ),
    Form("capitals", "surgeon BOOKED TODAY", _is_in_capitals, never),
    Form(
        "colon or by",
        "signed by [PROVIDER:Okafor]",
        lambda signature: signature.has_colon or signature.has_by,
        lambda signature: signature.word not in _WEAK_LABELS or signature.has_two_words,
    ),
    Form(
        "end of a letter",
        "Sincerely,\n[PROVIDER:Maria Okafor]",
        lambda signature: signature.word in {"sincerely", "regards"},
        lambda signature: signature.has_two_words,
    ),
    Form(
        "two names",
        "notified [PROVIDER:Maria Okafor]",
        lambda signature: signature.has_two_words and signature.word in _NAMING_LABELS,
        always,
    ),
    Form("one name", "paged [PROVIDER:Okafor]", _is_one_name_in_title_case, always),
)
"""Which names behind the label of an author are those of a clinician."""


def read_signature(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Electronically signed by Maria Okafor, PCP: Okafor and cc: Maria Okafor."""
    begin = end - 1
    if not text[begin].isupper():
        return
    if _KIND_OF_NURSE.match(text, begin) or _NO_PERSON.match(text, begin):
        return
    label = text[start:begin]
    doctor = _DOCTOR.match(text, begin, begin + 5)
    begin = doctor.end() if doctor else begin
    span = _name_of_author(text, start, begin, label, is_titled=bool(doctor or _TITLED.search(label)))
    if span is None:
        return
    if "\n" in label and text[span[1] : span[1] + 1] == ":":
        return  # the label of the next field: EXP COSIGNER:, and URGENCY: in the line below
    is_credited = _CREDENTIAL_AFTER.match(text, span[1], span[1] + 12) is not None
    is_person = is_credited or doctor or _TITLED.search(label)
    if not is_person and (organization := _organization(text, span[0])):
        yield organization
        return
    signature = _Signature(label, text[slice(*span)], doctor is not None, is_credited)
    if SIGNATURES.decide(signature):
        is_labelled = signature.has_colon or signature.has_by or is_credited or doctor is not None
        yield Candidate(*span, Entity.PROVIDER, Strength.LABELLED if is_labelled else Strength.FORMAT)


def _organization(text: str, start: int) -> Candidate | None:
    """Return the organization that stands where a person's name may: From: Bradford Crown Court."""
    if (found := organization_behind_label(text, start)) is None:
        return None
    words = text[start : found[0]].split()
    if is_given_name(words[0]) and surname_rates().get(words[-1].lower(), 0.0) >= _BORNE_SURNAME_PER_100K:
        return None
    return Candidate(start, *found, Strength.LABELLED)


def _name_of_author(text: str, start: int, begin: int, label: str, *, is_titled: bool) -> tuple[int, int] | None:
    """Return the span of the name, also in the order of a register: signed by Okafor, Maria; PCP: Okafor, M."""
    span = take_name(text, begin, 4, comma=":" in label or "signed" in label.lower())
    if span is None:
        return None
    low, high = span
    comma = text.find(",", low, high)
    if comma > 0 and text[low:comma].lower() in languages():
        return comma + 1 + text[comma + 1 : high].count(" ", 0, 1), high  # Interpreter: Somali, Amina Okafor
    if comma > 0 and (is_titled or is_given_name(text[low:comma].split()[0])) and " " in text[low:comma]:
        # A full name ends there, and its employer may follow: Dr. Maria Okafor, Linden Clinic.
        return low, comma
    turned = _TURNED.match(text, high, high + 24) if text[start:begin].rstrip().endswith(" by") else None
    if turned and is_given_name(turned.group(1)):
        high = turned.end()
    initial = _LAST_INITIAL.match(text, high, high + 6) if ":" in label else None
    return low, initial.end() if initial else high


CELL_TRIGGER = (
    r"\|[ \t]{0,3}(?:PCP|Pcp|PMD|Surgeon|Attending|Referring|Provider|Oncologist|Cardiologist|Nephrologist) {2,12}"
    r"[A-Z][A-Za-z'\-]{1,20}"
)
_CELL_END = re.compile(r"(?: \((?P<town>[A-Z][A-Za-z.']+(?: [A-Z][A-Za-z.']+)?)\))?[ \t]*(?:\||\n|$)")


def read_name_in_cell(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a cell that holds a label, a name and perhaps the town: | PCP   Okafor (Akron)   |."""
    begin = text.rindex(" ", start, end) + 1
    span = take_name(text, begin, 3)
    if span is None or (cell := _CELL_END.match(text, span[1], span[1] + 60)) is None:
        return
    last = text[slice(*span)].split()[-1]
    if last.lower() in surname_rates() and last.lower() not in medical_term_words():
        yield Candidate(*span, Entity.PROVIDER, Strength.LABELLED)
        if cell["town"] and fold(cell["town"]) in us_towns():
            yield Candidate(*cell.span("town"), Entity.CITY, Strength.LABELLED)
