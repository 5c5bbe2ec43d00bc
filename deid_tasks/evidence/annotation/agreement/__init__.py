"""Agreement of two annotators, and the note that follows from their work.

``kappa`` holds Cohen's kappa of one table and its interval, ``tally`` counts the words of many notes into such tables,
and ``adjudication`` finds the conflicts in one note and applies the adjudicator's decisions.
"""

from deid_tasks.evidence.annotation.agreement.adjudication import (
    AdjudicatedNote,
    Comparison,
    Conflict,
    ConflictKind,
    Decision,
    DecisionBasis,
    adjudicate_note,
    compare_annotators,
)
from deid_tasks.evidence.annotation.agreement.kappa import AgreementTable, kappa_interval
from deid_tasks.evidence.annotation.agreement.tally import ALL, ERRORS, AgreementTally, KappaRow

__all__ = [
    "ALL",
    "ERRORS",
    "AdjudicatedNote",
    "AgreementTable",
    "AgreementTally",
    "Comparison",
    "Conflict",
    "ConflictKind",
    "Decision",
    "DecisionBasis",
    "KappaRow",
    "adjudicate_note",
    "compare_annotators",
    "kappa_interval",
]
