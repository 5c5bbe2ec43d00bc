"""Detectors: each reads notes and returns spans, and depends on no other detector's answer.

Patterns, context rules, templates, the institution's lexicon and the patient's own record are rules; ``transformer``
runs token-classification models. Import a detector from its module: models and their libraries are loaded on use.
"""

from deid_tasks.engine.detect.base import Detector

__all__ = ["Detector"]
