"""Scores of predicted spans against gold spans, in several views, with intervals and error tables.

Add notes to a ``Scorer``; ``finish`` returns an ``Evaluation`` with every ``Figure``. ``tokenization`` and
``span_views`` say what is counted, ``counts`` and ``intervals`` turn counts into scores with bounds,
``error_tables``, ``error_list`` and ``term_counts`` say what was missed, and ``reliability`` what the scores of spans
are worth.
"""

from deid_tasks.evidence.evaluate.counts import Counts
from deid_tasks.evidence.evaluate.error_list import ErrorKind, NoteError
from deid_tasks.evidence.evaluate.error_tables import ErrorAnalysis
from deid_tasks.evidence.evaluate.evaluation import (
    ALL,
    CATEGORY_VIEW,
    TYPE_VIEW,
    WORD,
    Cluster,
    Confusion,
    Evaluation,
    Figure,
)
from deid_tasks.evidence.evaluate.intervals import Interval
from deid_tasks.evidence.evaluate.reliability import Reliability, ReliabilityBin, ReliabilityTally
from deid_tasks.evidence.evaluate.scorer import Scorer
from deid_tasks.evidence.evaluate.term_counts import TermCount

__all__ = [
    "ALL",
    "CATEGORY_VIEW",
    "TYPE_VIEW",
    "WORD",
    "Cluster",
    "Confusion",
    "Counts",
    "ErrorAnalysis",
    "ErrorKind",
    "Evaluation",
    "Figure",
    "Interval",
    "NoteError",
    "Reliability",
    "ReliabilityBin",
    "ReliabilityTally",
    "Scorer",
    "TermCount",
]
