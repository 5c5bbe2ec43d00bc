"""Scores of detected spans against gold spans, in several views, with intervals and error tables."""

from deid_tasks.evaluate.certificate import Certificate, issue_certificate
from deid_tasks.evaluate.errors import ErrorAnalysis
from deid_tasks.evaluate.evaluation import ALL, WORD, Evaluation, Figure
from deid_tasks.evaluate.scorer import Scorer
from deid_tasks.evaluate.scores import Counts, Interval
from deid_tasks.evaluate.terms import TermCount

__all__ = [
    "ALL",
    "WORD",
    "Certificate",
    "Counts",
    "ErrorAnalysis",
    "Evaluation",
    "Figure",
    "Interval",
    "Scorer",
    "TermCount",
    "issue_certificate",
]
