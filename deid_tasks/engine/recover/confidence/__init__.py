"""Confidence: a calibrated probability that a merged span is an identifier, learned from the evidence of all detectors.

``evidence`` collects what each detector said of a span, ``features`` describes the span, the words around it and the
rest of its note, and ``model`` weighs the features (logistic regression) and decides which spans of models are
recovered. The weights are fitted by ``learning.confidence``.
"""

from deid_tasks.engine.recover.confidence.evidence import SpanEvidence, collect_evidence
from deid_tasks.engine.recover.confidence.features import note_features
from deid_tasks.engine.recover.confidence.model import ConfidenceModel, assess, default_model, evidence_features

__all__ = [
    "ConfidenceModel",
    "SpanEvidence",
    "assess",
    "collect_evidence",
    "default_model",
    "evidence_features",
    "note_features",
]
