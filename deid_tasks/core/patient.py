"""The record of one patient: the input of the patient detector, the surrogates and the audit."""

import datetime
from dataclasses import dataclass, field
from enum import StrEnum


class TermKind(StrEnum):
    """What a patient's term is; the ``kind`` column of ``dict_patient``."""

    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"
    PREFERRED = "preferred"
    RELATIVE_FIRST = "relative_first"
    RELATIVE_LAST = "relative_last"
    MRN = "mrn"
    SSN = "ssn"
    HEALTH_PLAN = "health_plan"
    ACCOUNT = "account"
    LICENSE = "license"
    OTHER_ID = "other_id"
    PHONE = "phone"
    EMAIL = "email"
    STREET = "street"
    CITY = "city"
    STATE = "state"
    ZIP = "zip"


IDENTIFIER_KINDS = (
    TermKind.MRN,
    TermKind.SSN,
    TermKind.HEALTH_PLAN,
    TermKind.ACCOUNT,
    TermKind.LICENSE,
    TermKind.OTHER_ID,
)
"""Numbers that a registry gave the patient."""
IDENTIFYING_KINDS = frozenset((TermKind.FIRST, TermKind.MIDDLE, TermKind.LAST, TermKind.PREFERRED, *IDENTIFIER_KINDS))
"""Names and identifiers of the patient: a record with none of them cannot be searched for or audited."""


@dataclass(frozen=True, slots=True)
class PatientTerm:
    """One term of one patient, as the warehouse holds it."""

    kind: TermKind
    term: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PatientRecord:
    """One patient's identity; its ``repr`` shows the identifier of the row only."""

    patient_id: str
    sex: str = field(default="U", repr=False)
    """``F``, ``M`` or ``U``."""
    birth_date: datetime.date | None = field(default=None, repr=False)
    ethnicity_hint: str = field(default="unknown", repr=False)
    """One of the Census groups: white, black, api, native, multiple, hispanic, unknown."""
    terms: tuple[PatientTerm, ...] = field(default=(), repr=False)

    @property
    def is_identifying(self) -> bool:
        """Whether the record has a name or an identifier of the patient."""
        return any(term.kind in IDENTIFYING_KINDS for term in self.terms)

    def of_kind(self, *kinds: TermKind) -> tuple[str, ...]:
        """Return the patient's terms of the given kinds, in the order of the record."""
        return tuple(term.term for term in self.terms if term.kind in kinds)
