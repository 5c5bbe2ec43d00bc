"""Scores of detected spans against gold spans, with intervals, and the certificate that lets data out."""

from deid_tasks.evaluate.certificate import Certificate, issue_certificate
from deid_tasks.evaluate.scorer import Evaluation, Scorer
from deid_tasks.evaluate.scores import Counts, Interval, Score

__all__ = ["Certificate", "Counts", "Evaluation", "Interval", "Score", "Scorer", "issue_certificate"]
