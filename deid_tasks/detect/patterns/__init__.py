"""Identifiers that give themselves away by their form or by the words around them."""

from deid_tasks.detect.patterns.detector import PatternDetector

__all__ = ["PatternDetector"]
