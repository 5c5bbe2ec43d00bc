"""Two annotators' work, compared: agreement by word, conflicts for a third person, and the settled note."""

from deid_tasks.evidence.annotation.adjudication import Comparison, Conflict, Dispute, Settled, compare, settle
from deid_tasks.evidence.annotation.agreement import Agreement, interval
from deid_tasks.evidence.annotation.tally import ALL, ERRORS, AgreementTally, Kappa, marks

__all__ = [
    "ALL",
    "ERRORS",
    "Agreement",
    "AgreementTally",
    "Comparison",
    "Conflict",
    "Dispute",
    "Kappa",
    "Settled",
    "compare",
    "interval",
    "marks",
    "settle",
]
