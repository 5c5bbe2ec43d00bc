"""What is learned from notes: models (``train``), inclusion lists and templates (``harvest``), word counts
(``literature``).
"""
