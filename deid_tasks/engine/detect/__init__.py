"""Detectors: each reads notes and returns spans."""
