"""Philter, as the package philter-lite carries it."""
