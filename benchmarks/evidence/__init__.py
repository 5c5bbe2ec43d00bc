"""Scoring, sampling and the formats of annotation tools."""
