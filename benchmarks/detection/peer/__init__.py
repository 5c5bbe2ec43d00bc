"""Processes of other tools, run by their own Python."""
