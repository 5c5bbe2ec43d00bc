"""Scores of detected spans against gold spans, in several views, with intervals and error tables."""

from deid_tasks.evidence.evaluate.errors import ErrorAnalysis
from deid_tasks.evidence.evaluate.evaluation import ALL, WORD, Confusion, Evaluation, Figure
from deid_tasks.evidence.evaluate.scorer import Scorer
from deid_tasks.evidence.evaluate.scores import Counts, Interval
from deid_tasks.evidence.evaluate.terms import TermCount

__all__ = [
    "ALL",
    "WORD",
    "Confusion",
    "Counts",
    "ErrorAnalysis",
    "Evaluation",
    "Figure",
    "Interval",
    "Scorer",
    "TermCount",
]
