"""What one note's surrogates depend on: the institution's key, the patient, and the day the note was written."""

import datetime
import re
from dataclasses import dataclass, field
from functools import cached_property

from deid_tasks.obfuscate.keyed import Keyed
from deid_tasks.patient import PatientRecord, TermKind
from deid_tasks.reference import fold

NAME_PART = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
"""One part of a name; hyphens and spaces part them."""


_NAMES = frozenset(
    {
        TermKind.FIRST,
        TermKind.MIDDLE,
        TermKind.PREFERRED,
        TermKind.LAST,
        TermKind.RELATIVE_FIRST,
        TermKind.RELATIVE_LAST,
    }
)


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
    keeps_times: bool = True
    """Whether the policy leaves times of day as they are, so that they stay beside a date too."""

    def of_record(self, *kinds: TermKind) -> tuple[str, ...]:
        """The record's terms of these kinds; none where there is no record."""
        return self.record.of_kind(*kinds) if self.record else ()

    @cached_property
    def firsts(self) -> frozenset[str]:
        """Every word, folded, of the given names of the patient and the relatives."""
        return _words(self.of_record(TermKind.FIRST, TermKind.MIDDLE, TermKind.PREFERRED, TermKind.RELATIVE_FIRST))

    @cached_property
    def own_firsts(self) -> frozenset[str]:
        """The patient's own given names, folded."""
        return _words(self.of_record(TermKind.FIRST, TermKind.PREFERRED))

    @cached_property
    def lasts(self) -> frozenset[str]:
        """Every word, folded, of their surnames."""
        return _words(self.of_record(TermKind.LAST, TermKind.RELATIVE_LAST))

    @cached_property
    def cities(self) -> frozenset[str]:
        """The patient's own cities, folded."""
        return frozenset(map(fold, self.of_record(TermKind.CITY)))

    @cached_property
    def whole_names(self) -> frozenset[str]:
        """The names of the record that are one word, folded: no title or particle, whatever they look like."""
        return (
            frozenset(fold_name(term.term) for term in self.record.terms if term.kind in _NAMES)
            if self.record
            else frozenset()
        )

    @cached_property
    def own_names(self) -> frozenset[str]:
        """Every word, folded, of the names of the patient and the relatives: what no surrogate may be."""
        return self.firsts | self.lasts


def fold_name(name: str) -> str:
    """``name`` folded, without apostrophes: O'Brien, O’Brien and OBRIEN are one name."""
    folded = fold(name)
    return folded if folded.isalpha() else folded.replace("'", "").replace("’", "")


def _words(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(fold_name(part) for name in names for part in NAME_PART.findall(name))
