"""Adapters of the systems that can be compared, one folder each.

A folder holds ``adapter.py`` (a program that speaks the protocol), ``labels.json`` (each of the system's labels as one
of our entities, or null if it is not an identifier) and, for a system with an environment of its own,
``requirements.txt`` with every package pinned.
"""
