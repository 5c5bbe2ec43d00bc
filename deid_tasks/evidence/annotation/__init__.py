"""Notes that people labelled: files, label schemes, agreement of two annotators, and adjudication.

``formats`` reads and writes the files of annotation tools and of published corpora, ``labels`` maps the labels of other
schemes to our entities, and ``agreement`` compares two annotators and builds the note that enters the gold set.
"""

from deid_tasks.evidence.annotation.agreement import (
    ALL,
    ERRORS,
    AdjudicatedNote,
    AgreementTable,
    AgreementTally,
    Comparison,
    Conflict,
    ConflictKind,
    Decision,
    DecisionBasis,
    KappaRow,
    adjudicate_note,
    compare_annotators,
    kappa_interval,
)

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
