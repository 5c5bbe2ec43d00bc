"""Recall, precision and speed of the whole engine."""
