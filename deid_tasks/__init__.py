"""Palimpsest: find every identifier in clinical notes, and put consistent, plausible surrogates in their place."""

__version__ = "0.1.0"
