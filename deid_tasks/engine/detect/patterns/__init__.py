"""Identifiers that give themselves away by their form or by the words around them."""

from deid_tasks.engine.detect.patterns.detector import PatternDetector

__all__ = ["PatternDetector"]
