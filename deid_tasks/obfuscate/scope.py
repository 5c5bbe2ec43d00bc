"""What one note's surrogates depend on: the institution's key, the patient, and the day the note was written."""

import datetime
from dataclasses import dataclass, field
from functools import cached_property

from deid_tasks.obfuscate.keyed import Keyed
from deid_tasks.patient import PatientRecord, TermKind
from deid_tasks.reference import fold


@dataclass(frozen=True)
class Scope:
    """The circumstances of one note; no text of it."""

    keyed: Keyed
    patient_id: str
    """Empty where the note names no patient."""
    record: PatientRecord | None = field(default=None, repr=False)
    shift_days: int = 0
    written_at: datetime.datetime | None = field(default=None, repr=False)
    keeps_states: bool = False
    """Whether the policy leaves states as they are, so that cities must stay in theirs."""

    def of_record(self, *kinds: TermKind) -> tuple[str, ...]:
        """The record's terms of these kinds; none where there is no record."""
        return self.record.of_kind(*kinds) if self.record else ()

    @cached_property
    def own_names(self) -> frozenset[str]:
        """Every word, folded, of the names of the patient and the relatives: what no surrogate may be."""
        names = self.of_record(
            TermKind.FIRST,
            TermKind.MIDDLE,
            TermKind.LAST,
            TermKind.PREFERRED,
            TermKind.RELATIVE_FIRST,
            TermKind.RELATIVE_LAST,
        )
        return frozenset(fold(part) for name in names for part in name.replace("-", " ").split())
